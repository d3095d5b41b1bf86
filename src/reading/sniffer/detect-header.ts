// Detect header: finds in a table where its data begin and what its columns are called. Knows nothing of bytes or how the layout was found.
import { ServiceError } from '../../core/errors.ts'
import { isHeader, isQuotedAlone, looksLikeNames, profile } from './score-header.ts'
import { fits, isBlank, recordCount, recordValues, type Tokens, widthOf } from './tokenize.ts'
import { isMeasured, kindOf } from './value-kind.ts'

/** What stands above the data. Records are indices into the tokens. */
export interface Top {
  /** Values of the header records, one array each; empty when there is no header. */
  readonly headers: readonly (readonly string[])[]
  /** Titles: records before the header that belong to no table. */
  readonly titles: readonly number[]
  /** The first data record; the count of records when there is none. */
  readonly firstData: number
}

export interface TopQuestion {
  readonly tokens: Tokens
  readonly width: number
  /** Records that are no comment and not blank, in order. */
  readonly rows: readonly number[]
  readonly header: boolean | undefined
  readonly skipRows: number | undefined
  /** Numbers of the header records, from 1. */
  readonly headerRows: readonly number[] | undefined
}

const bodyRowsMax = 100
const headerRowsMax = 4
const wideTitlesMax = 10

/** Finds titles, header and the first data record. What is stated is obeyed. */
export function findTop(question: TopQuestion): Top {
  const { tokens, rows, width } = question
  if (question.header !== false && question.headerRows !== undefined && question.headerRows.length > 0) {
    return declaredTop(question, question.headerRows)
  }
  const table = question.skipRows ?? firstTableRow(tokens, rows, width)
  if (question.header === false || question.headerRows !== undefined) return top(question, [], table, table)
  if (question.skipRows === undefined && table > 0) {
    const ragged = raggedHeader(question, table)
    if (ragged !== null) return top(question, [ragged], table - 1, table)
  }
  const first = rows[table]
  if (first === undefined) return top(question, [], table, table)
  const values = recordValues(tokens, first)
  if (question.header === undefined && values.length !== width) {
    const ragged = question.skipRows === undefined ? raggedHeader(question, 1) : null
    return ragged === null ? top(question, [], table, table) : top(question, [ragged], 0, 1)
  }
  const body = rows.slice(table + 1 + repeatsOf(values, question, table))
  const columns = profile(tokens, body.slice(0, bodyRowsMax), width)
  const looksLikeHeader = () =>
    isQuotedAlone(tokens, first, body.slice(0, bodyRowsMax)) || isHeader(values, columns, body.length)
  if (!(question.header ?? looksLikeHeader())) return top(question, [], table, table)
  const headers = [values]
  while (headers.length < headerRowsMax && continuesHeader(question, values, table + headers.length)) {
    headers.push(recordValues(tokens, rows[table + headers.length] ?? 0))
  }
  return top(question, headers, table, table + headers.length)
}

/** @throws {ServiceError} BAD_PARAMETER when the head has no such record, or nothing stands in it. */
function declaredTop({ tokens, rows }: TopQuestion, headerRows: readonly number[]): Top {
  const headers = [...new Set(headerRows)].sort((a, b) => a - b).map((number) => number - 1)
  const missing = headers.find((record) => record >= recordCount(tokens) || isBlank(tokens, record))
  if (missing !== undefined) {
    throw new ServiceError('BAD_PARAMETER', {
      name: 'dialect.headerRows',
      seen: `record ${missing + 1} is blank or not within the first megabyte`,
      wanted: 'the numbers of header records, from 1',
    })
  }
  const last = headers.at(-1) ?? 0
  return {
    headers: headers.map((record) => recordValues(tokens, record)),
    titles: rows.filter((record) => record < last && !headers.includes(record)),
    firstData: rows.find((record) => record > last) ?? recordCount(tokens),
  }
}

/** How many rows right below repeat a row, the last row of all not counted. */
function repeatsOf(values: readonly string[], { tokens, rows, width }: TopQuestion, at: number): number {
  let repeats = 0
  while (width > 1 && repeats < headerRowsMax - 1 && at + repeats + 2 < rows.length) {
    if (!isSame(values, recordValues(tokens, rows[at + repeats + 1] ?? 0))) break
    repeats += 1
  }
  return repeats
}

function isSame(values: readonly string[], others: readonly string[]): boolean {
  return values.length === others.length && values.every((value, at) => value === others[at])
}

function top(question: TopQuestion, headers: readonly string[][], titleRows: number, dataRow: number): Top {
  const { rows, tokens } = question
  return { headers, titles: rows.slice(0, titleRows), firstData: rows[dataRow] ?? recordCount(tokens) }
}

/** The first row of the usual width that is no title. 0 when there is none, or what stands above it is more than titles. */
function firstTableRow(tokens: Tokens, rows: readonly number[], width: number): number {
  const fitsAt = (at: number) => at < rows.length && fits(tokens, rows[at] ?? 0, width)
  let first = 0
  let wideRows = 0
  while (first < rows.length && !fitsAt(first)) {
    if (widthOf(tokens, rows[first] ?? 0) > 1) wideRows += 1
    first += 1
  }
  // What was skipped is seen by nobody, what is rejected is listed: many rows with several fields are data gone wrong.
  if (first === rows.length || wideRows > wideTitlesMax) return 0
  return first + paddedTitles(tokens, rows, first, width, fitsAt)
}

/** Spreadsheets pad titles to full width: one value, the rest empty. They are titles only above rows that are filled. */
function paddedTitles(
  tokens: Tokens,
  rows: readonly number[],
  first: number,
  width: number,
  fitsAt: (at: number) => boolean,
): number {
  let at = first
  let hasEmpty = false
  while (fitsAt(at) && isPaddedTitle(tokens, rows[at] ?? 0, width)) {
    if (valuesIn(tokens, rows[at] ?? 0) === 0) hasEmpty = true
    at += 1
  }
  if (!fitsAt(at)) return 0
  const isFilled = valuesIn(tokens, rows[at] ?? 0) * 2 >= width
  return isFilled || hasEmpty ? at - first : 0
}

function isPaddedTitle(tokens: Tokens, row: number, width: number): boolean {
  const values = valuesIn(tokens, row)
  return width > 1 && (values === 0 || (values === 1 && width > 2))
}

/** Fields of a record that are not empty. */
function valuesIn(tokens: Tokens, row: number): number {
  return recordValues(tokens, row).filter((value) => value.trim() !== '').length
}

/**
 * The row right above the table as a header of another width: a name too many or too few, a stray quote, another delimiter.
 * Null when it is rather a title, or the first full row is a header itself.
 */
function raggedHeader(question: TopQuestion, table: number): string[] | null {
  const { tokens, rows, width } = question
  const above = rows[table - 1]
  const first = rows[table]
  if (above === undefined || first === undefined || width < 2) return null
  const names = namesIn(tokens, above, width)
  if (names === null) return null
  const columns = profile(tokens, rows.slice(table + 1, table + 1 + bodyRowsMax), width)
  const isTyped = columns.some((column) => column.kind !== 'text' && column.kind !== 'empty')
  if (!isTyped && Math.abs(names.length - width) > 1) return null
  if (question.header === true || !isTyped) return names
  const below = recordValues(tokens, first)
  return below.length === width && isHeader(below, columns, rows.length - table - 1) ? null : names
}

const otherDelimiters = [',', ';', '\t', '|', ' ']

function namesIn(tokens: Tokens, row: number, width: number): string[] | null {
  const line = tokens.text.slice(tokens.recordStarts[row], tokens.recordEnds[row])
  const own = String.fromCharCode(tokens.layout.delimiter)
  const cells = tokens.broken.has(row) ? splitPlainly(line, own) : recordValues(tokens, row)
  const named = cells.filter((cell) => cell.trim() !== '')
  if (cells.length > 1 && cells.length * 3 >= width * 2) {
    return looksLikeNames(named) && named.length * 2 >= cells.length ? cells : null
  }
  for (const delimiter of otherDelimiters) {
    const others = splitPlainly(line, delimiter)
    if (others.length === width && looksLikeNames(others)) return others
  }
  return null
}

/** Cuts a line at every delimiter, whatever the quotes say, and takes quotes off the pieces that have them at both ends. */
function splitPlainly(line: string, delimiter: string): string[] {
  return line.split(delimiter).map((cell) => cell.trim().replace(/^(["'])(.*)\1$/, '$2'))
}

/** True when the row goes on naming columns: it repeats the header, or is text above columns that are none. */
function continuesHeader(question: TopQuestion, header: readonly string[], at: number): boolean {
  const { tokens, rows, width } = question
  const row = rows[at]
  if (row === undefined || !fits(tokens, row, width)) return false
  const values = recordValues(tokens, row)
  if (isSame(values, header)) return width > 1 && at + 1 < rows.length
  const columns = profile(tokens, rows.slice(at + 1, at + 1 + bodyRowsMax), width)
  const typed = columns.flatMap((column, index) =>
    column.values.length >= 3 && isMeasured(column.kind) ? [values[index]?.trim() ?? ''] : [],
  )
  const texts = typed.filter((value) => kindOf(value) === 'text').length
  return (
    typed.length >= 2 && texts >= 2 && texts * 2 > typed.length && !typed.some((value) => isMeasured(kindOf(value)))
  )
}
