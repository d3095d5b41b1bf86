// Marked records: records that seem to be set apart by a mark: commented out, or with escaped delimiters or line ends.
// They are noted, not acted on. Knows nothing of bytes.
import { type Note, note } from '../../core/notes.ts'
import { linesOf } from '../sniffer/line-numbers.ts'
import { fieldsOf, fieldValue, fits, isQuoted, rawField, type Tokens, widthOf } from '../sniffer/tokenize.ts'
import { isMeasured, kindOf } from '../sniffer/value-kind.ts'
import type { HeadTable } from './repeated-headers.ts'

/** Notes records that look commented out, and those that a backslash before a delimiter or line end makes too wide or short. */
export function markedRecords(table: HeadTable): Note[] {
  return [...commentedOut(table), ...escapedDelimiters(table), ...escapedLineEnds(table)]
}

const mark = /^(?:[#!;%]|\/\/) ?/

/** Records whose first value is a number or date like the others, except for a mark in front of it. */
function commentedOut({ tokens, width, rows, top }: HeadTable): Note[] {
  if (width < 2) return []
  const isData = (record: number) => record >= top.firstData && fits(tokens, record, width)
  const isFound = (record: number) => mayBeMarked(tokens, record) && isMeasuredBehindMark(tokens, record)
  const found = rows.filter((record) => isData(record) && isFound(record))
  if (found.length === 0) return []
  const data = rows.filter(isData)
  if (found.length * 2 > data.length) return []
  const marked = new Set(found)
  const others = data.filter((record) => !marked.has(record))
  if (!others.every((record) => isMeasured(kindOf(firstValue(tokens, record))))) return []
  const lines = linesOf(tokens, found)
  const [are, they] =
    found.length === 1
      ? ['1 record of the usual width begins', 'it is read as a record']
      : [`${found.length} records of the usual width begin`, 'they are read as records']
  const message = `${are} with a mark before the first value, as if commented out (${lines.text}): ${they}.`
  return [note('RECORDS_MARKED', message, lines)]
}

function firstValue(tokens: Tokens, record: number): string {
  return fieldValue(tokens, tokens.firstFields[record] ?? 0)
}

/** False for nearly all records, whose first field begins with a letter, a digit or a quote. */
function mayBeMarked(tokens: Tokens, record: number): boolean {
  const field = tokens.firstFields[record] ?? 0
  return !isQuoted(tokens, field) && '#!;%/'.includes(tokens.text.charAt(tokens.fieldStarts[field] ?? 0))
}

function isMeasuredBehindMark(tokens: Tokens, record: number): boolean {
  const value = firstValue(tokens, record)
  const behind = value.replace(mark, '')
  return behind !== value && isMeasured(kindOf(behind))
}

/** Records that would have the width of the table, or of its header, if a delimiter after a backslash did not count. */
function escapedDelimiters({ tokens, width, rows, top }: HeadTable): Note[] {
  const { text, layout } = tokens
  if (layout.delimiter === 0x5c || !text.includes(`\\${String.fromCharCode(layout.delimiter)}`)) return []
  const names = top.headers.length === 1 ? widthOf(tokens, top.firstHeader) : width
  const wanted = names < width ? names : width
  const found = rows.filter((record) => {
    const surplus = widthOf(tokens, record) - wanted
    return record >= top.firstData && surplus > 0 && surplus === escapesIn(tokens, record)
  })
  if (found.length === 0) return []
  const lines = linesOf(tokens, found)
  const [have, them] = found.length === 1 ? ['1 record has', 'it has'] : [`${found.length} records have`, 'they have']
  const message = `${have} a backslash before a delimiter outside quotes (${lines.text}): it is still read as a delimiter, so ${them} more fields than intended.`
  return [note('DELIMITERS_ESCAPED', message, lines)]
}

/** Fields that end with a backslash, the last one aside. */
function escapesIn(tokens: Tokens, record: number): number {
  const fields = fieldsOf(tokens, record).slice(0, -1)
  return fields.filter((field) => rawField(tokens, field).endsWith('\\')).length
}

/** Records that would have the width of the table if a line end after a backslash did not end them, as MySQL writes them. */
function escapedLineEnds({ tokens, width, rows, top }: HeadTable): Note[] {
  if (width < 2 || !['\\\n', '\\\r\n'].some((end) => tokens.text.includes(end))) return []
  const found: number[] = []
  for (let at = 0; at < rows.length; at += 1) {
    const first = rows[at] as number
    if (first < top.firstData || !endsEscaped(tokens, first)) continue
    let joined = widthOf(tokens, first)
    while (joined <= width && endsEscaped(tokens, rows[at] as number) && rows[at + 1] === (rows[at] as number) + 1) {
      at += 1
      joined += widthOf(tokens, rows[at] as number) - 1
    }
    if (joined === width && (rows[at] as number) > first && !endsEscaped(tokens, rows[at] as number)) found.push(first)
  }
  if (found.length === 0) return []
  const lines = linesOf(tokens, found)
  const [have, them] = found.length === 1 ? ['1 record has', 'it is'] : [`${found.length} records have`, 'they are']
  const message = `${have} a backslash before a line end outside quotes (${lines.text}): it still ends the record, so ${them} read as several.`
  return [note('LINE_ENDS_ESCAPED', message, lines)]
}

/** An odd number of backslashes before the line end, not in quotes. */
function endsEscaped(tokens: Tokens, record: number): boolean {
  const last = fieldsOf(tokens, record).at(-1) ?? 0
  const raw = rawField(tokens, last)
  let end = raw.length
  while (raw[end - 1] === '\\') end -= 1
  return !isQuoted(tokens, last) && (raw.length - end) % 2 === 1
}
