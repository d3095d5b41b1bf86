// Table rows: which records of a text are comments and which belong to the table. Knows nothing of what is declared but the comment character.
import { fits, isBlank, recordCount, recordValues, type Tokens, widthOf } from '../sniffer/tokenize.ts'
import { looksLikeNames, profile, weighHeader } from './score-header.ts'

export interface TableRows {
  readonly commentChar: string | null
  /** Records that are neither blank nor a comment. */
  readonly rows: readonly number[]
}

/** The comments above the first record of a text. */
export interface LeadingComments {
  /** Lines above the last of them, which may name the columns; that of a W3C log included. */
  readonly lines: number
  /** Where that one begins. */
  readonly offset: number
  /** The delimiter of a W3C log; null for other files. */
  readonly delimiter: string | null
  /** The number of names of a W3C log without records; null for other files. */
  readonly width: number | null
}

/** Comments do not tell how the records below them are split. Where no record follows, only names do. */
export function leadingComments(text: string): LeadingComments {
  const none = { lines: 0, offset: 0, delimiter: null, width: null }
  if (!text.startsWith(hash)) return none
  const [all = ''] = /^(?:#.*(?:\r\n?|\n|$)|\s*(?:\r\n?|\n))*/.exec(text) ?? []
  const offset = /(?:^|[\r\n])#[^\r\n]*\s*$/.exec(all)?.index ?? 0
  const last = all.slice(offset).trim()
  const isLog = last.startsWith(label)
  const records = text.slice(all.length)
  const delimiter = isLog ? (/^.*\t/.test(records) ? '\t' : ' ') : null
  const isAlone = records === ''
  if (isAlone && !isLog && !last.includes('\t')) return none
  const above = all.slice(0, offset === 0 ? 0 : offset + 1)
  const lines = above.split(/\r\n?|\n/).length - (isLog ? 0 : 1)
  const width = isAlone && isLog ? withoutLabel([last]).length : null
  return { lines, offset: above.length, delimiter, width }
}

/**
 * The number of fields of a table whose records may lack some at their ends: that of the header, if no narrower than
 * most records; else that of the widest record.
 */
export function paddedWidth(tokens: Tokens, from: number, usual: number, header: boolean | undefined): number {
  const width = (record: number | undefined) =>
    record === undefined || tokens.broken.has(record) ? 0 : widthOf(tokens, record)
  const records = Array.from({ length: recordCount(tokens) - from }, (_, at) => from + at)
  const areNames = (record: number) => header === true || looksLikeNames(recordValues(tokens, record))
  let at = records.findIndex((record) => width(record) >= Math.max(2, usual))
  // Titles above names have fewer fields.
  while (at >= 0 && width(records[at + 1]) > width(records[at]) && looksLikeNames(recordValues(tokens, from + at + 1)))
    at += 1
  const first = records[at]
  if (header !== false && first !== undefined && areNames(first)) return width(first)
  return records.reduce((greatest, record) => Math.max(greatest, width(record)), 1)
}

const hash = '#'
/** Begins the names of the columns in a W3C log. */
const label = '#Fields:'
const bodyRowsMax = 100

/**
 * The records of a table. Lines above its first record that begin with `#` are comments, however many delimiters they
 * hold, but for the last one if it names the columns. Further down they are if they do not fit the table.
 *
 * @param declared The comment character; undefined if it is to be found.
 */
export function tableRows(tokens: Tokens, width: number, declared: string | null | undefined): TableRows {
  const { delimiter, quote, escape: mark } = tokens.layout
  const isTaken = [delimiter, quote, mark].includes(hash.charCodeAt(0))
  const char = declared === undefined ? (isTaken ? null : hash) : declared
  const code = char?.charCodeAt(0)
  const rows: number[] = []
  const above: number[] = []
  const marked: number[] = []
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record)) continue
    if (tokens.text.charCodeAt(tokens.recordStarts[record] ?? 0) !== code) rows.push(record)
    else if (rows.length === 0) above.push(record)
    else marked.push(record)
  }
  if (above.length + marked.length === 0) return { commentChar: declared ?? null, rows }
  const last = above.at(-1)
  const names = last !== undefined && width > 1 && isHeader(tokens, width, last, rows) ? [last] : []
  if (declared !== undefined) return { commentChar: char, rows: [...names, ...rows] }
  // A line of full width that begins with a character that nobody declared is a record.
  const isRemark = (record: number) =>
    width === 1 ? tokens.text[(tokens.recordStarts[record] ?? 0) + 1] === ' ' : !fits(tokens, record, width)
  const records = marked.filter((record) => !isRemark(record))
  const remarksAbove = width === 1 ? above.filter(isRemark) : above.slice(0, above.length - names.length)
  const isComment = remarksAbove.length > 0 || (records.length < marked.length && records.length + names.length <= 1)
  const kept = isComment ? (width === 1 ? [] : [...names, ...records]) : [...above, ...marked]
  return { commentChar: isComment ? hash : null, rows: [...kept, ...rows].sort((a, b) => a - b) }
}

/** True if a comment names the columns of the records below it: the first of them does not. */
function isHeader(tokens: Tokens, width: number, record: number, [first, ...body]: readonly number[]): boolean {
  const fields = widthOf(tokens, record)
  const values = recordValues(tokens, record)
  const isOneMore = fields === width + 1 && values[width]?.trim() === ''
  const isOfWidth = fields === width || isOneMore || withoutLabel(values).length === width
  if (tokens.broken.has(record) || !isOfWidth) return false
  if (first === undefined) return true
  const below = recordValues(tokens, first)
  const { isHeader: isNamed, votes } = weighHeader(
    below,
    profile(tokens, body.slice(0, bodyRowsMax), width),
    body.length,
  )
  if (fits(tokens, first, width) && !(isNamed && looksLikeNames(below))) return true
  return votes.typed === 0 && !/^#\s/.test(values[0] ?? '')
}

/** The names of the columns: in a W3C log blanks separate them, whatever delimits its records, and `#Fields:` is none. */
export function withoutLabel(values: string[]): string[] {
  return values[0]?.startsWith(label) ? values.join(' ').trim().split(/\s+/).slice(1) : values
}
