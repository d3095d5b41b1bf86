// Evidence: says why a file is read the way it is, and what a careful reader would doubt. Decides nothing.
import {
  type DialectEvidence,
  type Evidence,
  delimiterName as nameOfDelimiter,
  votesText,
} from '../../core/evidence/evidence.ts'
import { type Note, note } from '../../core/notes.ts'
import type { EncodingFound } from '../encoding/detect-encoding.ts'
import type { Top } from '../header/detect-header.ts'
import type { DeclaredDialect } from '../reading.ts'
import type { Candidates } from '../sniffer/detect-dialect.ts'
import { lineOf, linesOf, linesWith, type NotedLines, noted } from '../sniffer/line-numbers.ts'
import { isOfLowWeight } from '../sniffer/single-column.ts'
import { fits, isBlank, recordCount, type Tokens, widthOf } from '../sniffer/tokenize.ts'
import { formulaTexts } from './formula-texts.ts'
import { longDelimiter } from './long-delimiter.ts'
import { markedRecords } from './marked-records.ts'
import { quotedLines } from './quoted-lines.ts'
import { type HeadTable, repeatedHeaders } from './repeated-headers.ts'
import { suspiciousContent } from './suspicious-content.ts'
import { unlikelyTable } from './unlikely-table.ts'

/** Everything decided from a head. */
export interface HeadDecisions extends HeadTable {
  readonly encoding: EncodingFound
  readonly ranked: Candidates
  readonly declared: DeclaredDialect
  /** Column names. */
  readonly names: readonly string[]
  /** The delimiter that a first line `sep=;` names, as Excel writes it. */
  readonly named: string | null
  readonly isWholeFile: boolean
}

/** The reasons for it. */
export function evidenceOf(decided: HeadDecisions): Evidence {
  const { encoding, tokens, top } = decided
  return {
    encoding: encoding.why,
    dialect: dialectEvidence(decided),
    header: { ...top.votes, lines: top.headerRows.map((record) => lineOf(tokens, record)) },
  }
}

function dialectEvidence({ tokens, width, rows, ranked, declared, named }: HeadDecisions): DialectEvidence {
  let fitting = 0
  for (const record of rows) if (fits(tokens, record, width)) fitting += 1
  const [best, next] = ranked
  const table = { delimiter: String.fromCharCode(tokens.layout.delimiter), width, fitting, records: rows.length }
  if (width < 2 && declared.delimiter === undefined) return { code: 'one_column', ...table }
  return {
    code: declared.delimiter !== undefined ? 'declared' : isNamed(tokens, named) ? 'named' : 'best',
    ...table,
    ...(next !== undefined &&
      next.score > 0 &&
      next.score <= best.score && {
        next: {
          delimiter: String.fromCharCode(next.tokens.layout.delimiter),
          percent: Math.round((100 * next.score) / best.score),
        },
      }),
  }
}

function isNamed({ layout }: Tokens, named: string | null): boolean {
  return named === String.fromCharCode(layout.delimiter)
}

/** What a careful reader would doubt. */
export function doubtsOf(decided: HeadDecisions): Note[] {
  const { tokens, width, rows, declared } = decided
  const suspicious = suspiciousContent(tokens, width, rows)
  const isFree = declared.delimiter === undefined && (declared.padShortRecords !== true || width === 1)
  const isAligned = suspicious.some(({ code }) => code === 'ALIGNED_COLUMNS')
  return [
    ...layoutDoubts(decided),
    ...longDelimiter(tokens, width, rows),
    ...quotedLines(tokens, width, rows),
    ...topDoubts(decided),
    ...repeatedHeaders(decided),
    ...markedRecords(decided),
    ...suspicious,
    ...(isFree ? unlikelyTable(tokens, width, withoutTitles(decided), isAligned) : []),
    ...formulaTexts(decided, decided.names),
  ]
}

function withoutTitles({ rows, top }: HeadDecisions): readonly number[] {
  return rows.filter((record) => !top.titles.includes(record))
}

/** Doubts about the encoding and about how records are split into fields. */
function layoutDoubts({ encoding, ranked, tokens, named, declared }: HeadDecisions): Note[] {
  const notes: Note[] = []
  if (encoding.isGuess) notes.push(encodingNote(encoding, tokens))
  if (named !== null && !isNamed(tokens, named)) {
    const message = `The first line names the delimiter '${named}', but ${delimiterName(tokens)} was used.`
    notes.push(note('DELIMITER_LINE_IGNORED', message, { lines: [1] }))
  }
  const [best, second] = ranked
  if (best.width > 1 && second !== undefined && second.width > 1 && second.score > best.score * 0.8) {
    const lines = linesWith(tokens, literally(second.tokens))
    const message = `The delimiter is not certain: ${delimiterName(best.tokens)} was used, ${delimiterName(second.tokens)} fits nearly as well${within(lines)}.`
    notes.push(note('DELIMITER_UNCERTAIN', message, lines))
  } else if (best.width > 1 && declared.delimiter === undefined && isOfLowWeight(best.tokens) && named === null) {
    const message = `The delimiter is not certain: ${delimiterName(best.tokens)} was used, which also occurs within values; each line may be one value.`
    notes.push(note('DELIMITER_UNCERTAIN', message))
  }
  if (tokens.layout.quote === 'none') {
    const lines = linesWith(tokens, /"/g)
    const message = `Double quotes are read as ordinary characters: they do not enclose fields here${within(lines)}.`
    notes.push(note('QUOTES_AS_TEXT', message, lines))
  }
  if (tokens.layout.escape === 'nothing') {
    const message =
      'Quotes inside quoted fields are neither doubled nor escaped: a quote closes a field only before a delimiter or line end.'
    notes.push(note('QUOTES_NOT_ESCAPED', message))
  }
  return notes
}

function encodingNote({ encoding, utf8Lines, doubt }: EncodingFound, tokens: Tokens): Note {
  if (doubt !== undefined) {
    const lines = linesWith(tokens, /~\{/g)
    return note('ENCODING_GUESSED', `The encoding is not certain${within(lines)}: ${doubt}.`, lines)
  }
  const guessed = `The encoding is not certain: ${encoding.name} was guessed from the bytes`
  if (utf8Lines !== undefined) {
    const lines = noted(utf8Lines.first, utf8Lines.count)
    const are = utf8Lines.count === 1 ? '1 line is' : `${utf8Lines.count} lines are`
    return note('ENCODING_GUESSED', `${guessed}, but ${are} valid UTF-8; please check ${lines.text}.`, lines)
  }
  const lines = linesWith(tokens, /\P{ASCII}/gu)
  return note('ENCODING_GUESSED', `${guessed}${lines.text === '' ? '' : `; please check ${lines.text}`}.`, lines)
}

/** Doubts about where the table begins and ends. */
function topDoubts(decided: HeadDecisions): Note[] {
  const { tokens, width, top, names } = decided
  const notes: Note[] = []
  const broken = [...tokens.broken].find(
    (record) => record >= top.firstHeader && record < top.firstData && !top.titles.includes(record),
  )
  if (broken !== undefined) {
    const lines = linesOf(tokens, [broken])
    const message = `The header has quotes that do not match (${lines.text}): please check the names.`
    notes.push(note('HEADER_QUOTES_UNMATCHED', message, lines))
  }
  const titles = top.titles.length
  if (titles > 0) {
    const lines = linesOf(tokens, top.titles)
    const records = titles === 1 ? '1 record was' : `${titles} records were`
    notes.push(note('TITLES_SKIPPED', `${records} skipped as titles above the table (${lines.text}).`, lines))
  }
  notes.push(...recordsAbove(tokens, top), ...rowNames(tokens, width, top), ...uncertainHeader(decided))
  if (top.unitRows > 0) {
    const lines = linesOf(tokens, [top.firstData - top.unitRows])
    notes.push(note('UNITS_SKIPPED', `The record of units below the header was skipped (${lines.text}).`, lines))
  }
  const hasLastName = top.headers.some((values) => (values[width - 1] ?? '').trim() !== '')
  if (!hasLastName && endsEmpty(tokens, width, top.firstData)) {
    const message = `Every record ends with a delimiter: column ${width}, after it, is always empty.`
    notes.push(note('LAST_COLUMN_EMPTY', message, { column: names[width - 1] ?? '' }))
  }
  return notes
}

/** Records of another width above the header, or above data without one. */
function recordsAbove(tokens: Tokens, top: Top): Note[] {
  const count = top.firstHeader - top.firstScanned
  if (count <= 0) return []
  const found = Array.from({ length: count }, (_, at) => top.firstScanned + at).filter((one) => !isBlank(tokens, one))
  const lines = linesOf(tokens, found)
  const are = found.length === 1 ? '1 record above the header is' : `${found.length} records above the header are`
  const message = `${are} not part of a title (${lines.text}): read as records, which are rejected if they do not have the table's width.`
  return [note('RECORDS_ABOVE_TABLE', message, lines)]
}

function uncertainHeader({ tokens, top, isWholeFile }: HeadDecisions): Note[] {
  const { votes, headers, firstHeader } = top
  if (!votes.isUncertain) return []
  const isHeader = headers.length > 0
  const lines = linesOf(tokens, [firstHeader])
  const isCut = votes.code === 'alone' && !isWholeFile
  const reasons = isCut
    ? 'no other record ends within the first megabyte'
    : votesText({ ...votes, isUncertain: false }, isHeader)
  const message = `Line ${lines.lines[0]} may be a header or a record: ${reasons}. It is read as ${isHeader ? 'a header' : 'a record'}.`
  return [note('HEADER_UNCERTAIN', message, lines)]
}

function rowNames(tokens: Tokens, width: number, { headers, firstHeader }: Top): Note[] {
  if (headers.length !== 1 || headers[0]?.length !== width || widthOf(tokens, firstHeader) !== width - 1) return []
  const message = `The header has ${width - 1} names for ${width} columns: they belong to the columns from the right, and the first column holds row names.`
  return [note('ROW_NAMES', message, { lines: [lineOf(tokens, firstHeader)] })]
}

function within({ text }: NotedLines): string {
  return text === '' ? '' : ` (${text})`
}

/** A pattern for the delimiter of a layout. */
function literally({ layout }: Tokens): RegExp {
  return new RegExp(`\\u${layout.delimiter.toString(16).padStart(4, '0')}`, 'g')
}

/** True if the last of several columns is empty throughout the head, in at least two records. */
function endsEmpty(tokens: Tokens, width: number, firstData: number): boolean {
  let records = 0
  for (let record = firstData; record < recordCount(tokens); record += 1) {
    if (width < 2 || isBlank(tokens, record) || !fits(tokens, record, width)) continue
    const last = (tokens.firstFields[record + 1] ?? 0) - 1
    if (tokens.fieldStarts[last] !== tokens.fieldEnds[last]) return false
    records += 1
  }
  return records > 1
}

/** How a sentence names the delimiter of a layout. */
export function delimiterName({ layout }: Pick<Tokens, 'layout'>): string {
  return nameOfDelimiter(String.fromCharCode(layout.delimiter))
}
