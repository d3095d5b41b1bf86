// Header lines: which records below the first line of a header belong to it, by proof. Knows nothing of how the first is found.
import { isRuleCell } from '../sniffer/drawn-lines.ts'
import { fits, recordValues, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'
import { looksLikeNames, profile } from './score-header.ts'
import { isUnitRow } from './unit-row.ts'

/** The records of a table that are neither comments nor blank, in order. */
export interface TableRecords {
  readonly tokens: Tokens
  readonly width: number
  readonly rows: readonly number[]
}

export interface GroupedHeaders {
  readonly headers: readonly string[][]
  /** Between them. */
  readonly emptyRows: number
}

export const bodyRowsMax = 100
export const headerRowsMax = 4

/**
 * A record with gaps that names groups of columns, above one that names the columns in the gaps; null if it is not one. A
 * group extends over the gaps next to it.
 */
export function groupedHeaders(
  { tokens, rows, width }: TableRecords,
  groups: readonly string[],
  at: number,
): GroupedHeaders | null {
  const isFilled = (value: string | undefined) => value !== undefined && value.trim() !== ''
  const isEmpty = (row: number | undefined) => row !== undefined && !recordValues(tokens, row).some(isFilled)
  const emptyRows = isEmpty(rows[at + 1]) ? 1 : 0
  const row = rows[at + 1 + emptyRows]
  if (row === undefined || groups.every(isFilled) || !fits(tokens, row, width)) return null
  const names = recordValues(tokens, row)
  // Names with values, padded to full width, are no groups: nothing follows their gaps, and every column has a name below.
  const trailing = groups.findLastIndex(isFilled) + 1
  if (groups.slice(0, trailing).every(isFilled) && names.every(isFilled)) return null
  // A first column without any name holds row names.
  const gaps = groups.flatMap((value, at) => (isFilled(value) || (at === 0 && !isFilled(names[0])) ? [] : [at]))
  if (gaps.length === 0 || gaps.length > width - 2) return null
  // Names may be repeated in different groups.
  const isName = (value: string) => looksLikeNames([value])
  if (!gaps.every((column) => isFilled(names[column])) || !names.filter(isFilled).every(isName)) return null
  const columns = profile(tokens, rows.slice(at + 2 + emptyRows, at + 2 + emptyRows + bodyRowsMax), width)
  const isTyped = (column: number) => isMeasured(columns[column]?.kind ?? 'text')
  const above = names.flatMap((name, column) => (isFilled(name) && isTyped(column) ? [column] : []))
  if (above.length < 2 || !above.some((column) => gaps.includes(column))) return null
  let group = ''
  const filled = groups.map((value, column) => {
    if (isFilled(value)) group = value
    return isFilled(names[column]) && !isFilled(value) ? group : value
  })
  const headers = [filled, names]
  const index = emptyRows === 0 ? indexNames({ tokens, rows, width }, headers, at + 2) : null
  return { headers: index === null ? headers : [...headers, index], emptyRows }
}

/**
 * The record in which pandas names the index below several levels of column names: only its first fields are filled, above
 * dates or numbers or where no level has a name. Null if the row is not one.
 */
export function indexNames(
  { tokens, rows, width }: TableRecords,
  headers: readonly (readonly string[])[],
  at: number,
): string[] | null {
  const row = rows[at]
  if (row === undefined || headers.length >= headerRowsMax || !fits(tokens, row, width)) return null
  const values = recordValues(tokens, row)
  const filledIn = (record: number) => recordValues(tokens, record).filter((value) => value.trim() !== '')
  const filled = filledIn(row)
  const isAtStart = filled.every((value, column) => value === values[column])
  if (filled.length === 0 || filled.length > width - 2 || !isAtStart || !looksLikeNames(filled)) return null
  const body = rows.slice(at + 1, at + 1 + bodyRowsMax)
  // Where other records are as sparse, each is the title of a section.
  if (body.length === 0 || body.some((record) => filledIn(record).length <= filled.length)) return null
  const columns = profile(tokens, body, width)
  const isNamed = (column: number) => headers.some((names) => (names[column] ?? '').trim() !== '')
  const isFigures = (column: number) => isMeasured(columns[column]?.kind ?? 'text')
  return filled.every((_, column) => isFigures(column) || !isNamed(column)) ? values : null
}

/** 1 if the row holds the units of the numeric columns below it; more if a logger wrote below them how values were measured. */
export function unitRowsAt({ tokens, rows, width }: TableRecords, at: number): number {
  const valuesAt = (row: number) => {
    const record = rows[row]
    return record === undefined || !fits(tokens, record, width) ? null : recordValues(tokens, record)
  }
  const units = valuesAt(at)
  if (units === null) return 0
  const isText = (value: string) => value.trim() === '' || kindOf(value) === 'text'
  const isMore = valuesAt(at + 1)?.every(isText) === true
  let columns: ReturnType<typeof profile> | undefined
  const isFigures = (column: number) => {
    // Few rows are of units by their values alone.
    columns ??= profile(tokens, rows.slice(at + (isMore ? 2 : 1), at + 1 + bodyRowsMax), width)
    const { kind, values } = columns[column] ?? { kind: 'text', values: [] }
    return values.length > 0 && isMeasured(kind)
  }
  if (!isUnitRow(units, isFigures)) return 0
  return isMore && units.every((_, column) => isFigures(column)) ? 2 : 1
}

/**
 * True if the row below so many lines of the header is proved to continue it: it repeats it, or the header repeats names
 * of groups, or levels of names are above the name of an index, and the row is text above numeric columns.
 *
 * @param from The first row of the header.
 */
export function continuesHeader(
  question: TableRecords,
  header: readonly string[],
  from: number,
  lines: number,
): boolean {
  const { tokens, rows, width } = question
  const at = from + lines
  const row = rows[at]
  if (row === undefined || !fits(tokens, row, width)) return false
  const values = recordValues(tokens, row)
  if (isSame(values, header)) return width > 1 && at + 1 < rows.length
  const hasGroups = new Set(header).size < header.length
  if (!hasGroups && indexNames(question, [header, values], at + 1) === null) return false
  if (values.every(isRuleCell)) return false
  // A date or a number above texts is data as well.
  if (values.some((value) => isMeasured(kindOf(value)))) return false
  const columns = profile(tokens, rows.slice(at + 1, at + 1 + bodyRowsMax), width)
  const typed = columns.flatMap((column, index) =>
    column.values.length >= 3 && isMeasured(column.kind) ? [values[index]?.trim() ?? ''] : [],
  )
  const texts = typed.filter((value) => kindOf(value) === 'text').length
  return typed.length >= 2 && texts >= 2 && texts * 2 > typed.length
}

export function isSame(values: readonly string[], others: readonly string[]): boolean {
  return values.length === others.length && values.every((value, at) => value === others[at])
}
