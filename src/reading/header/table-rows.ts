// Table rows: which records of a text are comments and which belong to the table. Knows nothing of what is declared but the comment character.
import { fits, isBlank, recordCount, recordValues, type Tokens, widthOf } from '../sniffer/tokenize.ts'
import { looksLikeNames, profile, weighHeader } from './score-header.ts'

export interface TableRows {
  readonly commentChar: string | null
  /** Records that are neither blank nor a comment. */
  readonly rows: readonly number[]
}

const hash = '#'
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
  const rows: number[] = []
  const above: number[] = []
  const marked: number[] = []
  for (let record = 0; record < recordCount(tokens); record += 1) {
    if (isBlank(tokens, record)) continue
    if (tokens.text[tokens.recordStarts[record] ?? 0] !== char) rows.push(record)
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
  const isOneMore = fields === width + 1 && (isLabel(values[0] ?? '') || values[width]?.trim() === '')
  if (tokens.broken.has(record) || (fields !== width && !isOneMore)) return false
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

/** `#Fields:`, as the header of a W3C log begins. */
export function isLabel(value: string): boolean {
  return /^#\w+:$/.test(value)
}
