// Row view: which rows of a dataset are shown and in which order, as stored in an address and as SQL. Knows no element.
import { isObject } from '../../../../src/core/json.ts'
import { datasetHref } from '../../../router.ts'

export const operators = ['contains', '=', '<>', '<', '<=', '>', '>=', 'between', 'in', 'null', 'notNull'] as const
export type Operator = (typeof operators)[number]

export interface Filter {
  readonly column: string
  readonly operator: Operator
  /** As text, whatever the type of the column: two for `between`, any number for `in`, none for `null` and `notNull`. */
  readonly values: readonly string[]
  /** True if the length of a text is compared, not the text. */
  readonly isLength?: boolean
}

export interface Sort<Column = string> {
  readonly column: Column
  readonly isDescending: boolean
}

/** What a press on the head of a column sorts by: upwards, then downwards, then not. */
export function nextSort<Column>(sort: Sort<Column> | null, column: Column): Sort<Column> | null {
  if (sort?.column !== column) return { column, isDescending: false }
  return sort.isDescending ? null : { column, isDescending: true }
}

/** As `aria-sort` has it. */
export function orderOf<Column>(sort: Sort<Column> | null, column: Column) {
  if (sort?.column !== column) return undefined
  return sort.isDescending ? 'descending' : 'ascending'
}

export interface RowView {
  readonly filters: readonly Filter[]
  readonly sort: Sort | null
  /** The column in the inspector; null if it is closed. */
  readonly column: string | null
  readonly hidden: readonly string[]
}

/** All rows and columns, in the order of the file. */
export const wholeFile: RowView = { filters: [], sort: null, column: null, hidden: [] }

/** More would not help a user, and a request has room for this many. */
const filtersMax = 20
const valuesMax = 40
const valueLengthMax = 2_000

/** Whether the rows are those of the file, in its order. */
export function isInFileOrder({ filters, sort }: RowView): boolean {
  return filters.length === 0 && sort === null
}

/** The rows tab of a dataset with a view of its rows; what is left out is as in `wholeFile`. */
export function rowsHref(id: string, view: Partial<RowView>): string {
  const kept = Object.entries(view).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  )
  const query = kept.length === 0 ? '' : `?${encodeURIComponent(JSON.stringify(Object.fromEntries(kept)))}`
  return `${datasetHref(id, 'rows')}${query}`
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
  const known = new Set<unknown>(columns)
  const { sort, column } = value
  return {
    filters: listOf(value.filters)
      .slice(0, filtersMax)
      .filter((one): one is Filter => isFilter(one) && known.has(one.column)),
    sort:
      isObject(sort) && known.has(sort.column)
        ? { column: String(sort.column), isDescending: sort.isDescending === true }
        : null,
    column: known.has(column) ? String(column) : null,
    hidden: listOf(value.hidden)
      .filter((one) => known.has(one))
      .map(String),
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isFilter(value: unknown): value is Filter {
  if (!isObject(value)) return false
  const { column, operator, values, isLength } = value
  const count = listOf(values).length
  return (
    typeof column === 'string' &&
    operators.some((one) => one === operator) &&
    listOf(values).every((one) => typeof one === 'string' && one.length <= valueLengthMax) &&
    (operator === 'in' ? count <= valuesMax : count === (valueCounts[String(operator)] ?? 1)) &&
    (isLength === undefined || typeof isLength === 'boolean')
  )
}

const valueCounts: Readonly<Record<string, number>> = { between: 2, null: 0, notNull: 0 }

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

/** How many rows each of these filters leaves on its own. */
export function countsSql(filters: readonly Filter[]): string {
  return `SELECT ${filters.map((one) => `count(*) FILTER (WHERE ${conditionSql(one)})`).join(', ')} FROM data`
}

/** Bins of a column, or of the lengths of its texts: one more edge than bins, and the last one includes its end. */
export interface Bins {
  readonly column: string
  readonly edges: readonly string[]
  readonly isLength: boolean
  /** Whole numbers or days: nothing is between one and the next. */
  readonly isWhole: boolean
}

/** Tables with more rows have their matches counted in a tenth of the rows. */
export const sampledRowsMin = 1_000_000

/** How many of the rows that match are in each bin, bins of all columns after another. */
export function matchesSql(view: RowView, columns: readonly Bins[], rows: number): string {
  const counts = columns.flatMap(({ column, edges, isLength }) => {
    const name = isLength ? `length(${quotedName(column)})` : quotedName(column)
    return edges.slice(1).map((end, at) => {
      const below = at === edges.length - 2 ? '<=' : '<'
      const start = quotedText(edges[at] ?? '')
      return `count(*) FILTER (WHERE ${name} >= ${start} AND ${name} ${below} ${quotedText(end)})`
    })
  })
  const from = rows < sampledRowsMin ? 'data' : '(SELECT * FROM data TABLESAMPLE system(10%) REPEATABLE (1))'
  return `SELECT ${counts.join(', ')} FROM ${from}${whereSql(view)}`
}

/** The most frequent values of a column, each with its count. */
export function topValuesSql(column: string): string {
  const text = `left(CAST(${quotedName(column)} AS VARCHAR), ${valueLengthMax})`
  return `SELECT ${text}, count(*) FROM data WHERE ${quotedName(column)} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10`
}

/** The sum and the mean of numbers in some columns of some rows of a view. */
export function sumSql(view: RowView, columns: readonly string[], offset: number, limit: number): string {
  const all = (what: string) => columns.map((one) => `coalesce(${what}(${quotedName(one)}), 0)`).join(' + ')
  const rows = isInFileOrder(view)
    ? `SELECT * FROM data LIMIT ${limit} OFFSET ${offset}`
    : pageSql(view, columns, offset, limit)
  return `SELECT sum, sum / nullif(values, 0) FROM (SELECT ${all('sum')} AS sum, ${all('count')} AS values FROM (${rows}))`
}

function whereSql({ filters }: RowView): string {
  return filters.length === 0 ? '' : ` WHERE ${filters.map(conditionSql).join(' AND ')}`
}

function conditionSql({ column, operator, values, isLength }: Filter): string {
  const name = isLength ? `length(${quotedName(column)})` : quotedName(column)
  // A text in quotes is compared as a value of the column's type.
  const [first = '', last = ''] = values.map(quotedText)
  switch (operator) {
    case 'contains':
      return `contains(lower(CAST(${name} AS VARCHAR)), lower(${first}))`
    case 'null':
      return `${name} IS NULL`
    case 'notNull':
      return `${name} IS NOT NULL`
    case 'between':
      return `${name} BETWEEN ${first} AND ${last}`
    case 'in':
      return `${name} IN (${values.map(quotedText).join(', ')})`
    default:
      return `${name} ${operator} ${first}`
  }
}

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
