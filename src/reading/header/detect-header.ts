// Detect header: finds where the data of a table begin and what its columns are called. Knows no bytes, nor how the layout was found.
import { ServiceError } from '../../core/errors.ts'
import { isRuleCell } from '../sniffer/drawn-lines.ts'
import { fieldValue, fits, isBlank, recordCount, recordValues, type Tokens } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'
import { findTableStart, startAt, type TableStart, titlesWithoutHeader } from './find-titles.ts'
import { hasRowNames, namesIn, type RaggedNames } from './ragged-header.ts'
import { isQuotedAlone, looksLikeNames, profile, type TossUp, weighHeader } from './score-header.ts'
import { isUnitRow } from './unit-row.ts'

/** What is above the data. Records are indices into the tokens. */
export interface Top {
  /** Values of the header records, one array each; empty if there is no header. */
  readonly headers: readonly (readonly string[])[]
  /** Titles: records above the header that are not part of the table. */
  readonly titles: readonly number[]
  /** Set if the first record may be either, header or data. */
  readonly tossUp: TossUp | null
  /** Records of units below the header, which are not part of the table. */
  readonly unitRows: number
  /** Blank records among those of the header. */
  readonly emptyRows: number
  /** The first record of the header; the first data record if there is none. */
  readonly firstHeader: number
  /** The first record below the header; the number of records if there is none. */
  readonly firstData: number
  /** The first record that is neither title nor header: above the header if records of another width are there. */
  readonly firstScanned: number
}

export interface TopQuestion {
  readonly tokens: Tokens
  readonly width: number
  /** Records that are neither comments nor blank, in order. */
  readonly rows: readonly number[]
  readonly header: boolean | undefined
  readonly skipRows: number | undefined
  /** Numbers of the header records, from 1. */
  readonly headerRows: readonly number[] | undefined
}

const bodyRowsMax = 100
const headerRowsMax = 4

/** Finds titles, header and the first data record. What is declared always wins. */
export function findTop(question: TopQuestion): Top {
  const { tokens, rows, width, header, skipRows, headerRows } = question
  if (header !== false && headerRows !== undefined && headerRows.length > 0) return declaredTop(question, headerRows)
  const start = skipRows === undefined ? findTableStart(tokens, rows, width) : declaredStart(skipRows)
  if (header === false || headerRows !== undefined) return withoutHeader(question, start)
  // Below records that are not titles, a record of another width is one of them.
  if (skipRows === undefined && start.tableRow > 0 && start.titleRows >= start.tableRow - 1) {
    const ragged = raggedHeader(question, start.tableRow)
    if (ragged !== null) return withHeader(question, start, start.tableRow - 1, [ragged.names], raggedFound(ragged))
  }
  const weighed = headersAt(question, start.tableRow)
  // Below titles, a record that may be either is a header.
  const isBelowTitles = start.titleRows > 0 && start.titleRows === start.tableRow && weighed.tossUp !== null
  const found = isBelowTitles
    ? { ...headersAt({ ...question, header: true }, start.tableRow), tossUp: weighed.tossUp }
    : weighed
  if (found.headers.length > 0) return withHeader(question, start, start.tableRow, found.headers, found)
  // A header above records of which the first ones are not of the usual width.
  const above = skipRows === undefined ? raggedHeader(question, start.titleRows + 1) : null
  if (above !== null) return withHeader(question, start, start.titleRows, [above.names], raggedFound(above))
  const sparse = skipRows === undefined ? sparseRowsAt(question, start.tableRow) : 0
  const below = startAt(tokens, rows, width, start.tableRow + sparse)
  const names = sparse > 0 ? headersAt(question, below.tableRow) : noHeader
  return names.headers.length === 0 || names.tossUp !== null
    ? withoutHeader(question, start, found.tossUp)
    : withHeader(question, below, below.tableRow, names.headers, names)
}

const sparseRowsMax = 20

/**
 * The number of records from a row on that a spreadsheet padded to full width above names, such as `Region:,EMEA,,,`; 0
 * unless names follow, and below these full records with a number or the like.
 */
function sparseRowsAt({ tokens, rows, width, header }: TopQuestion, at: number): number {
  const filledAt = (row: number) => recordValues(tokens, row).filter((value) => value.trim() !== '')
  const isSparse = (row: number) => fits(tokens, row, width) && filledAt(row).length * 2 <= width
  let count = 0
  while (count < sparseRowsMax && at + count < rows.length && isSparse(rows[at + count] ?? 0)) count += 1
  const row = rows[at + count]
  if (header !== undefined || count === 0 || row === undefined || !fits(tokens, row, width)) return 0
  const names = filledAt(row)
  if (names.length < width - 1 || !looksLikeNames(names)) return 0
  const body = rows.slice(at + count + 1, at + count + 1 + bodyRowsMax)
  const isFull = body.length > 1 && body.filter(isSparse).length * 5 <= body.length
  return isFull && profile(tokens, body, width).some(({ kind }) => isMeasured(kind)) ? count : 0
}

function declaredStart(skipRows: number): TableStart {
  return { tableRow: skipRows, titleRows: skipRows }
}

interface HeadersFound {
  /** Empty if there is no header. */
  readonly headers: readonly string[][]
  readonly unitRows: number
  /** Between or below them. */
  readonly emptyRows: number
  readonly tossUp: TossUp | null
}

const noHeader: HeadersFound = { headers: [], unitRows: 0, emptyRows: 0, tossUp: null }

/** The header records from a row on. */
function headersAt(question: TopQuestion, at: number): HeadersFound {
  const { tokens, rows, width } = question
  const first = rows[at]
  if (first === undefined) return noHeader
  const values = recordValues(tokens, first)
  if (question.header === undefined && values.length !== width) return noHeader
  const groups = question.header === undefined ? groupedHeaders(question, values, at) : null
  if (groups !== null) return groups
  const areNumbered = areNumberedNames(values)
  const unitRows = areNumbered || looksLikeNames(values) ? unitRowsAt(question, at + 1) : 0
  const body = rows.slice(at + 1 + Math.max(unitRows, repeatsOf(values, question, at)))
  const columns = columnsBelow(values, question, body.slice(0, bodyRowsMax))
  const weighed =
    question.header === undefined && !isQuotedAlone(tokens, first, body.slice(0, bodyRowsMax))
      ? weighHeader(values, columns, body.length)
      : { isHeader: question.header ?? true, tossUp: null }
  const { tossUp } = weighed
  if (areNumbered && unitRows > 0 && question.header === undefined) return { ...noHeader, headers: [values], unitRows }
  if (!weighed.isHeader) return { ...noHeader, tossUp }
  if (unitRows > 0) return { ...noHeader, headers: [values], unitRows, tossUp }
  const headers = [values]
  while (headers.length < headerRowsMax && continuesHeader(question, values, at, headers.length)) {
    headers.push(recordValues(tokens, rows[at + headers.length] ?? 0))
  }
  const index = headers.length > 1 ? indexNames(question, headers, at + headers.length) : null
  return { ...noHeader, headers: index === null ? headers : [...headers, index], tossUp }
}

/** Records that repeat texts above other values are headers of further tables, and no values. */
function columnsBelow(values: readonly string[], { tokens, width }: TopQuestion, body: readonly number[]) {
  const others = width < 2 ? body : body.filter((row) => !holds(tokens, row, values))
  const columns = profile(tokens, others, width)
  if (others.length === body.length) return columns
  const isAboveOthers =
    looksLikeNames(values) && columns.some((column) => column.values.length > 0 && isMeasured(column.kind))
  return isAboveOthers ? columns : profile(tokens, body, width)
}

/** A name and numbers of channels, as oscilloscopes write them above units. */
function areNumberedNames([first, ...others]: readonly string[]): boolean {
  const numbers = others.map((value) => (/^[1-9]\d?$/.test(value.trim()) ? Number(value) : 0))
  const areRising = numbers.every((number, at) => number > (numbers[at - 1] ?? 0))
  return numbers.length > 0 && areRising && kindOf(first ?? '') === 'text'
}

/** 1 if the row holds the units of the numeric columns below it. */
function unitRowsAt({ tokens, rows, width }: TopQuestion, at: number): number {
  const row = rows[at]
  if (row === undefined || !fits(tokens, row, width)) return 0
  let columns: ReturnType<typeof profile> | undefined
  const isFigures = (column: number) => {
    // Few rows are of units by their values alone.
    columns ??= profile(tokens, rows.slice(at + 1, at + 1 + bodyRowsMax), width)
    const { kind, values } = columns[column] ?? { kind: 'text', values: [] }
    return values.length > 0 && isMeasured(kind)
  }
  return isUnitRow(recordValues(tokens, row), isFigures) ? 1 : 0
}

/**
 * A record with gaps that names groups of columns, above one that names the columns in the gaps; null if it is not one. A
 * group extends over the gaps next to it.
 */
function groupedHeaders(
  { tokens, rows, width }: TopQuestion,
  groups: readonly string[],
  at: number,
): HeadersFound | null {
  const isFilled = (value: string | undefined) => value !== undefined && value.trim() !== ''
  const isEmpty = (row: number | undefined) => row !== undefined && !recordValues(tokens, row).some(isFilled)
  const emptyRows = isEmpty(rows[at + 1]) ? 1 : 0
  const row = rows[at + 1 + emptyRows]
  if (row === undefined || groups.every(isFilled) || !fits(tokens, row, width)) return null
  const names = recordValues(tokens, row)
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
  return { ...noHeader, headers: index === null ? headers : [...headers, index], emptyRows }
}

/**
 * The record in which pandas names the index below several levels of column names: only its first fields are filled, above
 * dates or numbers or where no level has a name. Null if the row is not one.
 */
function indexNames(
  { tokens, rows, width }: Pick<TopQuestion, 'tokens' | 'rows' | 'width'>,
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

function withHeader(
  question: TopQuestion,
  { titleRows }: TableStart,
  at: number,
  headers: readonly string[][],
  { unitRows, emptyRows, tossUp }: Omit<HeadersFound, 'headers'> = noHeader,
): Top {
  const { rows, tokens } = question
  const titles = rows.slice(0, Math.min(titleRows, at))
  const firstData = rows[at + headers.length + unitRows + emptyRows] ?? recordCount(tokens)
  const firstHeader = rows[at] ?? firstData
  return {
    headers,
    titles,
    tossUp,
    unitRows,
    emptyRows,
    firstHeader,
    firstData,
    firstScanned: titles.length < at ? (rows[titles.length] ?? firstData) : firstData,
  }
}

function withoutHeader(question: TopQuestion, { titleRows }: TableStart, tossUp: TossUp | null = null): Top {
  const { rows, tokens, skipRows } = question
  const count = skipRows ?? titlesWithoutHeader(tokens, rows, titleRows)
  const firstData = rows[count] ?? recordCount(tokens)
  return {
    headers: [],
    titles: rows.slice(0, count),
    tossUp,
    unitRows: 0,
    emptyRows: 0,
    firstHeader: firstData,
    firstData,
    firstScanned: firstData,
  }
}

/** @throws {ServiceError} BAD_PARAMETER if the head has no such record, or it is empty. */
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
  const firstData = rows.find((record) => record > last) ?? recordCount(tokens)
  return {
    headers: headers.map((record) => recordValues(tokens, record)),
    titles: rows.filter((record) => record < last && !headers.includes(record)),
    tossUp: null,
    unitRows: 0,
    emptyRows: 0,
    firstHeader: headers[0] ?? firstData,
    firstData,
    firstScanned: firstData,
  }
}

/** How many rows right below repeat a row, not counting the last row. */
function repeatsOf(values: readonly string[], { tokens, rows, width }: TopQuestion, at: number): number {
  let repeats = 0
  while (width > 1 && repeats < headerRowsMax - 1 && at + repeats + 2 < rows.length) {
    if (!isSame(values, recordValues(tokens, rows[at + repeats + 1] ?? 0))) break
    repeats += 1
  }
  return repeats
}

/** True if these are the values of a record. */
function holds(tokens: Tokens, row: number, values: readonly string[]): boolean {
  // Most records show by their first value that they are others.
  return fieldValue(tokens, tokens.firstFields[row] ?? 0) === values[0] && isSame(values, recordValues(tokens, row))
}

function isSame(values: readonly string[], others: readonly string[]): boolean {
  return values.length === others.length && values.every((value, at) => value === others[at])
}

/**
 * The row right above the table as a header of another width: one name too many or too few, a stray quote, another
 * delimiter. Null if it is more likely a title, or the first full row is a header itself.
 */
function raggedHeader(question: TopQuestion, table: number): RaggedNames | null {
  const { tokens, rows, width } = question
  const above = rows[table - 1]
  const first = rows[table]
  if (above === undefined || first === undefined || width < 2 || fits(tokens, above, width)) return null
  const columns = profile(tokens, rows.slice(table + 1, table + 1 + bodyRowsMax), width)
  const weighed = weighHeader(recordValues(tokens, first), columns, rows.length - table - 1)
  // Below names, numbers that may count up by chance are a record.
  const isAboveHeader = fits(tokens, first, width) && weighed.isHeader && weighed.tossUp?.kind !== 'counting'
  const rowNames = namesBesideRowNames(question, table)
  if (rowNames !== null && !isAboveHeader) return { names: rowNames, isOtherwise: false }
  const found = namesIn(tokens, above, width)
  if (found === null) return null
  const isTyped = columns.some((column) => column.kind !== 'text' && column.kind !== 'empty')
  if (!isTyped && Math.abs(found.names.length - width) > 1) return null
  return question.header === true || !isTyped || !isAboveHeader ? found : null
}

function raggedFound({ isOtherwise }: RaggedNames): Omit<HeadersFound, 'headers'> {
  return { ...noHeader, tossUp: isOtherwise ? { kind: 'delimited', unlike: 0, like: 0 } : null }
}

/** The names of a header written by R, with an empty one for the row names; null if it is not one. */
function namesBesideRowNames({ tokens, rows, width }: TopQuestion, table: number): string[] | null {
  const above = rows[table - 1]
  // A title may be set off by a blank line.
  if (above === undefined || tokens.broken.has(above) || isBlank(tokens, above + 1)) return null
  const body = rows.slice(table, table + bodyRowsMax).filter((row) => fits(tokens, row, width))
  const names = recordValues(tokens, above)
  const kinds = profile(tokens, body, width).map(({ kind }) => kind)
  return hasRowNames(names, { tokens, body, kinds }) ? ['', ...names] : null
}

/**
 * True if the row below so many lines of the header continues it: it repeats it, or is text above numeric columns.
 *
 * @param from The first row of the header.
 */
function continuesHeader(question: TopQuestion, header: readonly string[], from: number, lines: number): boolean {
  const { tokens, rows, width } = question
  const at = from + lines
  const row = rows[at]
  if (row === undefined || !fits(tokens, row, width)) return false
  const values = recordValues(tokens, row)
  if (isSame(values, header)) return width > 1 && at + 1 < rows.length
  if (values.every(isRuleCell)) return false
  // A date or a number above texts is data as well.
  if (values.some((value) => isMeasured(kindOf(value)))) return false
  const columns = profile(tokens, rows.slice(at + 1, at + 1 + bodyRowsMax), width)
  const typed = columns.flatMap((column, index) =>
    column.values.length >= 3 && isMeasured(column.kind) ? [values[index]?.trim() ?? ''] : [],
  )
  const isText = (value: string) => kindOf(value) === 'text'
  const texts = typed.filter(isText).length
  // Below a second line, a third may have gaps: loggers write there how a value was measured.
  if (lines > 1 && texts > 0 && typed.length === width && typed.every((value) => value === '' || isText(value)))
    return true
  return typed.length >= 2 && texts >= 2 && texts * 2 > typed.length
}
