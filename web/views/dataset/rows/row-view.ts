// Row view: which rows of a dataset are shown and in which order, as stored in an address and as SQL. Knows no element.
import { isObject } from '../../../../src/core/json.ts'
import { datasetHref } from '../../../router.ts'

export const operators = ['contains', '=', '<>', '<', '<=', '>', '>=', 'null', 'notNull'] as const
export type Operator = (typeof operators)[number]

export interface Filter {
  readonly column: string
  readonly operator: Operator
  /** As text, whatever the type of the column; ignored for `null` and `notNull`. */
  readonly value: string
  /** True if the length of a text is compared, not the text. */
  readonly isLength?: boolean
}

export interface Sort {
  readonly column: string
  readonly isDescending: boolean
}

export interface RowView {
  readonly filters: readonly Filter[]
  readonly sort: Sort | null
}

/** All rows, in the order of the file. */
export const wholeFile: RowView = { filters: [], sort: null }

/** More would not help a user, and a request has room for this many. */
const filtersMax = 20
const valueLengthMax = 2_000

export function isWholeFile({ filters, sort }: RowView): boolean {
  return filters.length === 0 && sort === null
}

/** The rows tab of a dataset with a view of its rows. */
export function rowsHref(id: string, view: RowView): string {
  return `${datasetHref(id, 'rows')}${isWholeFile(view) ? '' : `?${encodeURIComponent(JSON.stringify(view))}`}`
}

/** Parses an address, as far as it makes sense for these columns. */
export function parseView(text: string, columns: readonly string[]): RowView {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return wholeFile
  }
  if (!isObject(value)) return wholeFile
  const filters = Array.isArray(value.filters) ? value.filters.slice(0, filtersMax) : []
  const known = new Set<unknown>(columns)
  const sort = value.sort
  return {
    filters: filters.filter((one): one is Filter => isFilter(one) && known.has(one.column)),
    sort:
      isObject(sort) && known.has(sort.column)
        ? { column: String(sort.column), isDescending: sort.isDescending === true }
        : null,
  }
}

function isFilter(value: unknown): value is Filter {
  if (!isObject(value)) return false
  const { column, operator, value: text, isLength } = value
  return (
    typeof column === 'string' &&
    operators.some((one) => one === operator) &&
    typeof text === 'string' &&
    text.length <= valueLengthMax &&
    (isLength === undefined || typeof isLength === 'boolean')
  )
}

/** A name for the number of a row that no column has. */
function numberName(columns: readonly string[]): string {
  let name = 'row'
  while (columns.some((column) => column.toLowerCase() === name)) name += '_'
  return name
}

/** The rows of a page, each with its number in the file in front. */
export function pageSql(view: RowView, columns: readonly string[], offset: number, limit: number): string {
  const number = quotedName(numberName(columns))
  const { sort } = view
  const order =
    sort === null ? number : `${quotedName(sort.column)}${sort.isDescending ? ' DESC' : ''} NULLS LAST, ${number}`
  return `SELECT * FROM (SELECT row_number() OVER () AS ${number}, * FROM data)${whereSql(view)} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`
}

export function countSql(view: RowView): string {
  return `SELECT count(*) FROM data${whereSql(view)}`
}

function whereSql({ filters }: RowView): string {
  return filters.length === 0 ? '' : ` WHERE ${filters.map(conditionSql).join(' AND ')}`
}

function conditionSql({ column, operator, value, isLength }: Filter): string {
  const name = quotedName(column)
  switch (operator) {
    case 'contains':
      return `contains(lower(CAST(${name} AS VARCHAR)), lower(${quotedText(value)}))`
    case 'null':
      return `${name} IS NULL`
    case 'notNull':
      return `${name} IS NOT NULL`
    default:
      // A text in quotes is compared as a value of the column's type.
      return `${isLength ? `length(${name})` : name} ${operator} ${quotedText(value)}`
  }
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
