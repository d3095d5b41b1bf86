// Detect header: finds where the data of a table begin and what its columns are called. Knows no bytes, nor how the layout was found.
import { ServiceError } from '../../core/errors.ts'
import type { HeaderVotes } from '../../core/evidence/evidence.ts'
import { fieldValue, fits, isBlank, recordCount, recordValues, type Tokens, widthOf } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'
import {
  filledIn,
  findTableStart,
  isBelowKeys,
  isProse,
  isSetOffAbove,
  type TableStart,
  titlesAbove,
  titlesWithoutHeader,
} from './find-titles.ts'
import {
  bodyRowsMax,
  continuesHeader,
  groupedHeaders,
  headerRowsMax,
  indexNames,
  isSame,
  type TableRecords,
  unitRowsAt,
} from './header-lines.ts'
import { hasRowNames, namesIn, type RaggedNames } from './ragged-header.ts'
import { isQuotedAlone, looksLikeNames, profile, votesBy, weighHeader } from './score-header.ts'
import { withoutLabel } from './table-rows.ts'

/** What is above the data. Records are indices into the tokens. */
export interface Top extends HeadersFound {
  /** Titles: records above the header that are not part of the table. */
  readonly titles: readonly number[]
  /** The records of the header. */
  readonly headerRows: readonly number[]
  /** The first record of the header; the first data record if there is none. */
  readonly firstHeader: number
  /** The first record below the header; the number of records if there is none. */
  readonly firstData: number
  /** The first record that is neither title nor header: above the header if records of another width are there. */
  readonly firstScanned: number
}

export interface TopQuestion extends TableRecords {
  readonly header: boolean | undefined
  readonly skipRows: number | undefined
  /** Numbers of the header records, from 1. */
  readonly headerRows: readonly number[] | undefined
}

/** Finds titles, header and the first data record. What is declared always wins. */
export function findTop(question: TopQuestion): Top {
  const { tokens, rows, width, header, skipRows, headerRows } = question
  if (header !== false && headerRows !== undefined && headerRows.length > 0) return declaredTop(question, headerRows)
  const start = skipRows === undefined ? findTableStart(tokens, rows, width, header) : declaredStart(skipRows)
  if (header === false || headerRows !== undefined) return withoutHeader(question, start, votesBy('declared'))
  const isFree = skipRows === undefined
  const lines = isFree && header === undefined ? proseRows(question) : 0
  if (lines > 0) return withHeader(question, { tableRow: lines, titleRows: lines }, lines, headersAt(question, lines))
  const above = start.tableRow - 1
  const isBelowTitles = start.titleRows >= above || isBelowKeys(tokens, rows, above)
  // Below records that are not titles, a record of another width is one of them.
  if (isFree && above >= 0 && isBelowTitles) {
    const ragged = raggedHeader(question, start.tableRow)
    if (ragged !== null) return withHeader(question, start, above, raggedFound(ragged))
  }
  const weighed = headersAt(question, start.tableRow)
  const keys =
    isFree && header === undefined && weighed.votes.code !== 'groups' ? keyRowsAt(question, start.tableRow) : 0
  if (keys > 0) {
    const at = start.tableRow + keys
    const titleRows = isBelowTitles ? at : start.titleRows
    return withHeader(question, { tableRow: at, titleRows }, at, headersAt(question, at))
  }
  if (weighed.headers.length > 0) return withHeader(question, start, start.tableRow, weighed)
  // A header above records of which the first ones are not of the usual width.
  const ragged = isFree ? raggedHeader(question, start.titleRows + 1) : null
  return ragged === null
    ? withoutHeader(question, start, weighed.votes)
    : withHeader(question, start, start.titleRows, raggedFound(ragged))
}

/**
 * The number of rows of text, such as `Report, 2024, draft`, above a header whose delimiters no blank follows, and below
 * which most columns have a type.
 */
function proseRows(question: TopQuestion): number {
  const { tokens, rows, width } = question
  const count = rows.slice(0, keyRowsMax).findIndex((row) => !isProse(tokens, row))
  const header = rows[count]
  if (count < 1 || header === undefined || !fits(tokens, header, width)) return 0
  if (rows.slice(0, count).every((row) => widthOf(tokens, row) === 1)) return 0
  const { headers, votes } = headersAt(question, count)
  return headers.length > 0 && votes.typed * 2 > width && looksLikeNames(headers[0] ?? []) ? count : 0
}

const keyRowsMax = 20

/**
 * The number of records from a row on that are names with values, such as `Region:,EMEA,,,`, above the header: they are
 * padded to full width, or a blank line sets them off, and more columns have a type below the header than among them.
 */
function keyRowsAt(question: TopQuestion, at: number): number {
  const { tokens, rows, width } = question
  const typedIn = (from: number, to: number) =>
    profile(tokens, rows.slice(from, Math.min(to, from + bodyRowsMax)), width).filter(({ values, kind }) => {
      return values.length > 1 && isMeasured(kind) && values.every((value) => kindOf(value) === kind)
    }).length
  const isEmptyLast = (row: number) => fieldValue(tokens, (tokens.firstFields[row + 1] ?? 1) - 1).trim() === ''
  const near = rows.slice(at, at + keyRowsMax)
  // Nearly every table begins with a full record, and no blank line follows.
  if (!near.some((row, count) => (count === 0 ? isEmptyLast(row) : isSetOffAbove(tokens, row)))) return 0
  let isPadded = true
  let most = 0
  for (let count = 0; count <= keyRowsMax && at + count < rows.length; count += 1) {
    const row = rows[at + count] ?? 0
    if (!fits(tokens, row, width)) return 0
    const filled = filledIn(tokens, row).length
    if (count > 0 && ((isPadded && filled > most) || isSetOffAbove(tokens, row))) {
      const isOfKeys = most <= Math.max(2, width / 2)
      const others = Math.max(typedIn(at + 1, at + count), isOfKeys ? 0 : typedIn(at + 1, rows.length))
      const { headers, votes } = headersAt(question, at + count)
      const isNamed = headers.length > 0 && votes.typed + votes.unlike > 0
      if (isNamed && typedIn(at + count + 1, rows.length) > others) return count
    }
    isPadded &&= isEmptyLast(row)
    most = Math.max(most, filled)
  }
  return 0
}

function declaredStart(skipRows: number): TableStart {
  return { tableRow: skipRows, titleRows: skipRows }
}

interface HeadersFound {
  /** Values of the header records, one array each; empty if there is no header. */
  readonly headers: readonly (readonly string[])[]
  /** Records of units below the header, which are not part of the table. */
  readonly unitRows: number
  /** Blank records between or below those of the header. */
  readonly emptyRows: number
  /** What speaks for and against the header. */
  readonly votes: HeaderVotes
}

const noHeader: HeadersFound = { headers: [], unitRows: 0, emptyRows: 0, votes: votesBy('empty') }

/** The header records from a row on. */
function headersAt(question: TopQuestion, at: number): HeadersFound {
  const { tokens, rows, width } = question
  const first = rows[at]
  if (first === undefined) return noHeader
  const values = withoutLabel(recordValues(tokens, first))
  if (question.header === undefined && values.length !== width) return noHeader
  const groups = question.header === undefined ? groupedHeaders(question, values, at) : null
  if (groups !== null) return { ...noHeader, ...groups, votes: votesBy('groups') }
  const areNumbered = areNumberedNames(values)
  const unitRows = areNumbered || looksLikeNames(values) ? unitRowsAt(question, at + 1) : 0
  const body = rows.slice(at + 1 + Math.max(unitRows, repeatsOf(values, question, at)))
  const columns = columnsBelow(values, question, body.slice(0, bodyRowsMax))
  const isDeclared = question.header !== undefined
  const { isHeader, votes } = isDeclared
    ? { isHeader: true, votes: votesBy('declared') }
    : isQuotedAlone(tokens, first, body.slice(0, bodyRowsMax))
      ? { isHeader: true, votes: votesBy('quoted') }
      : weighHeader(values, columns, body.length)
  const channels = areNumbered && unitRows > 0 && !isDeclared
  if (channels) return { ...noHeader, headers: [values], unitRows, votes: votesBy('channels') }
  if (!isHeader) return { ...noHeader, votes }
  if (unitRows > 0) return { ...noHeader, headers: [values], unitRows, votes }
  const headers = [values]
  while (headers.length < headerRowsMax && continuesHeader(question, values, at, headers.length)) {
    headers.push(recordValues(tokens, rows[at + headers.length] ?? 0))
  }
  const index = headers.length > 1 ? indexNames(question, headers, at + headers.length) : null
  return { ...noHeader, headers: index === null ? headers : [...headers, index], votes }
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

function withHeader(question: TopQuestion, { titleRows }: TableStart, at: number, found: HeadersFound): Top {
  const { headers, unitRows, emptyRows } = found
  const { rows, tokens } = question
  const titles = rows.slice(0, titlesAbove(tokens, rows, titleRows, at))
  const below = at + headers.length + emptyRows
  const firstData = rows[below + unitRows] ?? recordCount(tokens)
  const firstHeader = rows[at] ?? firstData
  return {
    ...found,
    titles,
    headerRows: rows.slice(at, below).filter((row) => emptyRows === 0 || filledIn(tokens, row).length > 0),
    firstHeader,
    firstData,
    firstScanned: titles.length < at ? (rows[titles.length] ?? firstData) : firstData,
  }
}

function withoutHeader(question: TopQuestion, { titleRows }: TableStart, votes: HeaderVotes): Top {
  const { rows, tokens, skipRows } = question
  const count = skipRows ?? titlesWithoutHeader(tokens, rows, titleRows)
  const firstData = rows[count] ?? recordCount(tokens)
  const first = { firstHeader: firstData, firstData, firstScanned: firstData }
  return { ...noHeader, titles: rows.slice(0, count), votes, headerRows: [], ...first }
}

/** @throws {ServiceError} BAD_PARAMETER if the head has no such record, or it is empty. */
function declaredTop({ tokens, rows }: TopQuestion, headerRows: readonly number[]): Top {
  const headers = [...new Set(headerRows)].sort((a, b) => a - b).map((number) => number - 1)
  const missing = headers.find((record) => record >= recordCount(tokens) || isBlank(tokens, record))
  if (missing !== undefined) {
    throw new ServiceError('BAD_PARAMETER', {
      name: 'dialect.headerRows',
      seen: `record ${missing + 1} is blank or not within the first megabyte`,
      expected: 'the numbers of header records, from 1',
    })
  }
  const last = headers.at(-1) ?? 0
  const firstData = rows.find((record) => record > last) ?? recordCount(tokens)
  return {
    ...noHeader,
    headers: headers.map((record) => recordValues(tokens, record)),
    titles: rows.filter((record) => record < last && !headers.includes(record)),
    votes: votesBy('declared'),
    headerRows: headers,
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

/** True if these are the values of a record; a file appended to another may begin with a byte order mark. */
function holds(tokens: Tokens, row: number, [first = '', ...others]: readonly string[]): boolean {
  // Most records show by their first value that they are others.
  const value = fieldValue(tokens, tokens.firstFields[row] ?? 0)
  return (value === first || value === `\ufeff${first}`) && isSame(others, recordValues(tokens, row).slice(1))
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
  const isAboveHeader =
    fits(tokens, first, width) && weighed.isHeader && !(weighed.votes.code === 'counting' && weighed.votes.isUncertain)
  const rowNames = namesBesideRowNames(question, table)
  if (rowNames !== null && !isAboveHeader) return { names: rowNames, isOtherwise: false }
  const found = namesIn(tokens, above, width)
  if (found === null) return null
  const isTyped = columns.some((column) => column.kind !== 'text' && column.kind !== 'empty')
  if (!isTyped && Math.abs(found.names.length - width) > 1) return null
  return question.header === true || !isTyped || !isAboveHeader ? found : null
}

function raggedFound({ names, isOtherwise }: RaggedNames): HeadersFound {
  return { ...noHeader, headers: [names], votes: votesBy(isOtherwise ? 'delimited' : 'width', isOtherwise) }
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
