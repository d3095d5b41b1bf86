// Read head: combines everything that the beginning of a file decides about the rest. Pure: bytes and declarations in, a Reading out.
import { ServiceError } from '../core/errors.ts'
import { type Note, note } from '../core/notes.ts'
import type { Dialect } from '../core/receipt.ts'
import { beforeData } from './before-data.ts'
import { checkDeclared } from './check-declared.ts'
import { documentKind } from './document-kind.ts'
import { refuseNuls, refuseSignature } from './encoding/binary-signatures.ts'
import { decodeHead, detectEncoding } from './encoding/detect-encoding.ts'
import { type UnusualLineEnd, unusualLineEnd, withUsualLineEnds } from './encoding/line-end-coder.ts'
import { nameColumns } from './header/column-names.ts'
import { findTop, type Top } from './header/detect-header.ts'
import { readableHeaders } from './header/readable-headers.ts'
import { leadingComments, paddedWidth, tableRows } from './header/table-rows.ts'
import { dialectConflicts } from './notes/dialect-conflicts.ts'
import { doubtsOf, evidenceOf } from './notes/evidence.ts'
import { columnsMax, type DeclaredDialect, headBytesMax, type Reading } from './reading.ts'
import { bestTokens, type Candidates, countOf, namedDelimiter, rankNamed } from './sniffer/detect-dialect.ts'
import { lineOf, linesOf } from './sniffer/line-numbers.ts'
import { runawayQuotes, runawayRule } from './sniffer/runaway-quotes.ts'
import { type Candidate, usualWidth, withoutSurplus } from './sniffer/score-layout.ts'
import { recordValues, type Tokens, tokenize } from './sniffer/tokenize.ts'

/** Layouts are tried on the first of these lengths that has enough lines, in characters; else on the whole head. */
const samples = [
  { length: 65_536, linesMin: 200 },
  { length: 262_144, linesMin: 20 },
] as const

/** The number of records that must precede a cut inside a quoted field in a sample. */
const recordsMin = 20

/**
 * Decides from its head how a file is read.
 *
 * @param head The first bytes of the file; anything beyond headBytesMax is ignored.
 * @param isWholeFile True if nothing follows; otherwise the last record may be cut off.
 * @param declared What the client declared: it wins, and what contradicts it is noted.
 * @throws {ServiceError} NOT_CSV if the file is not text; NOT_READABLE if it has too many columns; BAD_PARAMETER if a declaration cannot be followed.
 */
export function readHead(head: Uint8Array, isWholeFile: boolean, declared: DeclaredDialect = {}): Reading {
  return head.length > headBytesMax
    ? decide(head.subarray(0, headBytesMax), false, declared)
    : decide(head, isWholeFile, declared)
}

function decide(head: Uint8Array, isWholeFile: boolean, declared: DeclaredDialect): Reading {
  checkDeclared(declared)
  refuseSignature(head)
  const encodingFound = detectEncoding(head, declared.encoding)
  const { encoding } = encodingFound
  if (!/^utf-(?:16|32)/.test(encoding.name)) refuseNuls(head)
  const decoded = decodeHead(head, encoding)
  const lineEnd = declared.lineTerminator === '\r' ? null : unusualLineEnd(decoded)
  const normalized = (one: string) => (lineEnd === null ? one : withUsualLineEnds(one, lineEnd))
  const text = normalized(decoded)
  if (Object.keys(declared).length === 0) refuseDocument(text, isWholeFile)
  const named = namedDelimiter(text)
  const comments = leadingComments(declared.commentChar === undefined ? text : '')
  const split = comments.delimiter === null ? declared : { delimiter: comments.delimiter, ...declared }
  const ranked = rankSample(text.slice(comments.offset), isWholeFile, split, named)
  const firstRecord = named === null ? comments.lines : 1
  const { tokens, runaway, usual } = tokensOf(bestTokens(text, ranked[0].tokens, !isWholeFile), firstRecord, declared)
  const widthOfRecords =
    comments.width ?? (declared.padShortRecords ? paddedWidth(tokens, firstRecord, usual, declared.header) : usual)
  // A file of blank lines has no column.
  const width = isWholeFile && !/[^\r\n]/.test(text) ? 0 : widthOfRecords
  if (width > columnsMax) {
    // The message does not say how many more: the head may end within the first record.
    const problem = `it has more than ${columnsMax} columns, which is the limit; send files with fewer columns, or one record per value: row, column, value`
    throw new ServiceError('NOT_READABLE', { problem })
  }
  const { commentChar, rows: records } = tableRows(tokens, width, declared.commentChar)
  const keepsWideComments = declared.commentChar === undefined && commentChar !== null
  const rows = named === null ? records : records.slice(1)
  const top = topOf(tokens, width, records, named !== null, declared)
  const before = beforeData({ head, encoding, tokens, lineEnd }, top, records)
  const header = { tokens, bytes: head.subarray(0, before.headerEnd), encoding, normalized }
  const readable = readableHeaders(top.headers, header)
  const lines = top.headerRows.map((record) => lineOf(tokens, record))
  const naming = nameColumns(readable.headers, width, lines, declared.headerJoin)
  const found = { encoding: encodingFound, ranked, named, tokens, width, rows, top, names: naming.names }
  const decided = { ...found, declared, isWholeFile }
  return {
    encoding,
    dialect: {
      ...dialectOf(tokens),
      ...(lineEnd !== null && { lineTerminator: lineEnd }),
      header: top.headers.length > 0,
      skipRows: top.titles.length,
      commentChar,
      ...(declared.padShortRecords && { padShortRecords: true as const }),
    },
    width,
    names: naming.names,
    headerFields: naming.fields,
    before,
    keepsWideComments,
    runaway,
    evidence: evidenceOf(decided),
    notes: [
      ...lineEndNotes(lineEnd, tokens),
      ...readable.notes,
      ...naming.notes,
      ...doubtsOf(decided),
      ...dialectConflicts(decided, head),
    ],
  }
}

/** The records of the head, read as the scanner reads those of the file, and their usual width. */
function tokensOf(tokens: Tokens, firstRecord: number, { names = [] }: DeclaredDialect) {
  const first = names.length === 0 ? [] : recordValues(tokens, firstRecord)
  const isNamed = first.length > 0 && first.length === names.length && names.every((name, i) => name === first[i])
  const width = isNamed ? names.length : usualWidth(tokens, firstRecord)
  const runaway = runawayRule(tokens, width)
  const strays = runaway === null ? null : runawayQuotes(tokens, width, runaway)
  if (strays === null || strays.size === 0) return { tokens: withoutSurplus(tokens, width), runaway, usual: width }
  const text = tokens.text.slice(0, tokens.end)
  const without = tokenize(text, tokens.layout, tokens.end < tokens.text.length, strays)
  const usual = usualWidth(without, firstRecord)
  return { tokens: withoutSurplus(without, usual), runaway, usual }
}

/** @throws {ServiceError} NOT_CSV for a document of another format */
function refuseDocument(text: string, isWholeFile: boolean): void {
  const looksLike = documentKind(text, isWholeFile)
  if (looksLike === null) return
  const wayOut = 'send its table as a CSV file, or declare a dialect to have it read as it is'
  throw new ServiceError('NOT_CSV', { looksLike, wayOut })
}

function lineEndNotes(lineEnd: UnusualLineEnd | null, tokens: Tokens): Note[] {
  if (lineEnd === null) return mixedLineEnds(tokens)
  const name = lineEnd === '\n\r' ? 'LF CR' : 'CR CR LF'
  return [note('UNUSUAL_LINE_ENDS', `Lines end with ${name}: each is read as one line end, CR LF, in values too.`)]
}

/** Records of both kinds of line ends: one of them may be text of values that are not quoted. */
function mixedLineEnds(tokens: Tokens): Note[] {
  const { text, recordEnds, layout } = tokens
  if (layout.lineEnd === 'cr' || !text.includes('\r\n')) return []
  const records = Array.from(recordEnds.keys()).filter((record) => (recordEnds[record] ?? 0) < text.length)
  const [feeds, returns] = [[] as number[], [] as number[]]
  for (const record of records) (text[recordEnds[record] ?? 0] === '\r' ? returns : feeds).push(record)
  if (feeds.length === 0 || returns.length === 0) return []
  const [rare, name, usual] =
    feeds.length < returns.length ? ([feeds, 'LF', 'CR LF'] as const) : ([returns, 'CR LF', 'LF'] as const)
  const lines = linesOf(tokens, rare)
  const message = `${rare.length === 1 ? '1 record ends' : `${rare.length} records end`} with ${name} among others that end with ${usual} (${lines.text}): both are read as line ends. If an LF alone belongs to a value, declare \`lineTerminator\` CR LF.`
  return [note('LINE_ENDS_MIXED', message, lines)]
}

/** A first line that names the delimiter is a title, unless the extent of the table is declared. */
function topOf(
  tokens: Tokens,
  width: number,
  rows: readonly number[],
  isNamed: boolean,
  declared: DeclaredDialect,
): Top {
  const { header, skipRows, headerRows } = declared
  const first = rows[0]
  if (!isNamed || first === undefined || skipRows !== undefined || headerRows !== undefined) {
    return findTop({ tokens, width, rows, header, skipRows, headerRows })
  }
  const top = findTop({ tokens, width, rows: rows.slice(1), header, skipRows, headerRows })
  return { ...top, titles: [first, ...top.titles] }
}

/** Ranks layouts on a sample; on a larger one if it is cut inside a quoted field after only a few records. */
function rankSample(text: string, isWholeFile: boolean, declared: DeclaredDialect, named: string | null): Candidates {
  for (const { length, linesMin } of samples) {
    // A line end of CR and LF is one.
    if (Math.max(countOf(text, '\n', linesMin, length), countOf(text, '\r', linesMin, length)) < linesMin) continue
    const sample = text.slice(0, length)
    const ranked = rankNamed(sample, sample.length < text.length || !isWholeFile, declared, named)
    const isTelling = ({ tokens }: Candidate) => tokens.unclosed === null || tokens.unclosed >= recordsMin
    if (sample.length === text.length || ranked.every(isTelling)) return ranked
  }
  return rankNamed(text, !isWholeFile, declared, named)
}

function dialectOf(tokens: Tokens): Omit<Dialect, 'header' | 'skipRows' | 'commentChar'> {
  const { delimiter, quote, skipInitialSpace, escape: mark, isEscapeDeclared, doublesToo, lineEnd } = tokens.layout
  const declared = [
    ...(isEscapeDeclared ? (['escapeChar'] as const) : []),
    ...(lineEnd === 'crlf' ? (['lineTerminator'] as const) : []),
  ]
  return {
    delimiter: String.fromCharCode(delimiter),
    quoteChar: quote === 'none' ? null : String.fromCharCode(quote),
    doubleQuote: mark === 'doubled' || doublesToo === true,
    escapeChar: typeof mark === 'number' ? String.fromCharCode(mark) : null,
    lineTerminator: lineTerminatorOf(tokens),
    skipInitialSpace,
    ...(declared.length > 0 && { declared }),
  }
}

/** The line end of most records. */
function lineTerminatorOf(tokens: Tokens): Dialect['lineTerminator'] {
  if (tokens.layout.lineEnd !== 'lf') return tokens.layout.lineEnd === 'cr' ? '\r' : '\r\n'
  const { text, recordEnds } = tokens
  let crlfs = 0
  for (let record = 0; record < recordEnds.length; record += 1) {
    if (text.charCodeAt(recordEnds[record] ?? 0) === 0x0d) crlfs += 1
  }
  return crlfs * 2 > recordEnds.length ? '\r\n' : '\n'
}
