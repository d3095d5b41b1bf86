// Repeated headers: records below the header that look like headers too, from a second table or a second line of names.
// They are noted, not acted on: where a table ends is never certain. Knows nothing of bytes.
import { type Note, note } from '../../core/notes.ts'
import type { Top } from '../header/detect-header.ts'
import { looksLikeNames, profile, shapeOf, weighHeader } from '../header/score-header.ts'
import { lineOf, linesOf } from '../sniffer/line-numbers.ts'
import {
  fieldValue,
  fits,
  isBlank,
  isQuoted,
  lineText,
  recordCount,
  recordValues,
  type Tokens,
  widthOf,
} from '../sniffer/tokenize.ts'
import { isMeasured, isPlainNumber, kindOf } from '../sniffer/value-kind.ts'

/** A table as far as the head shows it. */
export interface HeadTable {
  readonly tokens: Tokens
  readonly width: number
  /** Records that are neither comments nor blank, in order. */
  readonly rows: readonly number[]
  readonly top: Top
}

/** More than this many are not further tables but records of another kind. */
const tablesMax = 3
const bodyRowsMax = 100

/** Notes what looks like the start of another table, a repetition of the header, or its second line. */
export function repeatedHeaders(table: HeadTable): Note[] {
  const equal = equalTables(table)
  return [
    ...secondLine(table),
    ...repeats(table),
    ...otherTables(table),
    ...(equal.length > 0 ? equal : textTables(table)),
  ]
}

/** Rules, units in brackets, and texts above numbers; other second lines are plainly names, and then part of the header. */
function secondLine({ tokens, width, rows, top }: HeadTable): Note[] {
  const at = rows.indexOf(top.firstData)
  const headerRow = rows[at - 1]
  if (top.headers.length === 0 || headerRow === undefined || width < 2 || !fits(tokens, top.firstData, width)) return []
  const values = recordValues(tokens, top.firstData).map((value) => value.trim())
  const filled = values.filter((value) => value !== '')
  // A column that is one character wide has a single dash.
  const isRule = filled.every((value) => /^:?[-=_]+:?$/.test(value)) && filled.some((value) => value.length > 1)
  const isUnits = filled.every((value) => /^(?:\(.*\)|\[.*\])$/.test(value))
  const table = { tokens, width, rows, top }
  const isMore = areTextsAboveNumbers(values, table) || namesGaps(values, table)
  if (filled.length < 2 || !(isRule || isUnits || isMore)) return []
  const line = lineOf(tokens, top.firstData)
  const message = `Line ${line}, right below the header, looks like part of it: it is read as a record. If it belongs to the header, declare \`headerRows\` [${headerRow + 1}, ${top.firstData + 1}].`
  return [note('HEADER_SECOND_LINE', message, { lines: [line] })]
}

/** True if values name the columns that have no name, as options of a question, and others that have one are empty. */
function namesGaps(values: readonly string[], { tokens, width, rows, top }: HeadTable): boolean {
  const [names = [], ...others] = top.headers
  const gaps = names.flatMap((name, column) => (name.trim() === '' ? [column] : []))
  if (others.length > 0 || gaps.length < 2 || gaps.some((column) => values[column] === '')) return false
  if (!looksLikeNames(values.filter((value) => value !== ''))) return false
  const at = rows.indexOf(top.firstData)
  const body = rows.slice(at + 1, at + 1 + bodyRowsMax)
  const columns = profile(tokens, body, width)
  return values.some((value, column) => value === '' && (columns[column]?.values.length ?? 0) * 5 > body.length * 4)
}

/** True if values are texts in columns that hold numbers or dates below, or nothing there. */
function areTextsAboveNumbers(values: readonly string[], { tokens, width, rows, top }: HeadTable): boolean {
  const at = rows.indexOf(top.firstData)
  const isText = (value: string) => value === '' || kindOf(value) === 'text'
  // Nearly always the next record shows that the first is like the others.
  const next = recordValues(tokens, rows[at + 1] ?? top.firstData)
  if (!next.some((value, column) => isMeasured(kindOf(value)) && isText(values[column] ?? ''))) return false
  const columns = profile(tokens, rows.slice(at + 1, at + 1 + bodyRowsMax), width)
  const above = values.filter((_, column) => {
    const below = columns[column]
    return below !== undefined && below.values.length > 2 && isMeasured(below.kind)
  })
  return above.some((value) => value !== '') && above.every(isText)
}

const byteOrderMark = '\ufeff'

/** Records equal to the header; a file appended to another may begin with a byte order mark. */
function repeats({ tokens, width, top }: HeadTable): Note[] {
  const [header, ...others] = top.headerRows
  if (header === undefined || others.length > 0 || width < 2) return []
  const line = lineText(tokens, header)
  const found: number[] = []
  for (let record = top.firstData; record < recordCount(tokens); record += 1) {
    const first = tokens.recordStarts[record] ?? 0
    const start = tokens.text[first] === byteOrderMark ? first + 1 : first
    if (tokens.recordEnds[record] === start + line.length && tokens.text.startsWith(line, start)) found.push(record)
  }
  const are = found.length === 1 ? 'it is read as a record' : 'each is read as a record'
  if (found.length === 0) return []
  const lines = linesOf(tokens, found)
  return [note('HEADER_REPEATED', `The header is repeated on ${lines.text}: ${are}.`, lines)]
}

/** The values of a record as one text, for comparison, without a byte order mark. */
function textOf(values: readonly string[]): string {
  const joined = values.join('\0')
  return joined.startsWith(byteOrderMark) ? joined.slice(1) : joined
}

/** Runs of records of another width that begin with names. */
function otherTables({ tokens, width, top }: HeadTable): Note[] {
  const notes: Note[] = []
  const count = recordCount(tokens)
  let above = width
  for (let record = top.firstData; record < count && notes.length < tablesMax; record += 1) {
    if (isBlank(tokens, record) || tokens.broken.has(record)) continue
    const fields = widthOf(tokens, record)
    const isNew = fields !== above && fields !== width && fields > 1
    above = fields
    if (!isNew || !fits(tokens, record + 1, fields) || !fits(tokens, record + 2, fields)) continue
    if (!looksLikeNames(recordValues(tokens, record))) continue
    const line = lineOf(tokens, record)
    const message = `Another table seems to begin on line ${line} (${fields} fields): its records are rejects. Send each table as its own file.`
    notes.push(note('TABLE_OTHER_WIDTH', message, { lines: [line] }))
  }
  return notes
}

/** Records of names among numeric records. */
function equalTables({ tokens, width, rows, top }: HeadTable): Note[] {
  const first = rows.indexOf(top.firstData)
  if (first < 0 || width < 2 || top.headers.length === 0) return []
  const columns = profile(tokens, rows.slice(first, first + bodyRowsMax), width)
  const measured = columns.flatMap(({ kind, values }, column) =>
    isMeasured(kind) && values.length > 2 ? [column] : [],
  )
  const [telling, second] = measured
  if (telling === undefined || second === undefined) return []
  const isText = (record: number, column: number) => isTextAt(tokens, (tokens.firstFields[record] ?? 0) + column)
  const header = textOf(top.headers[0] ?? [])
  const found = rows.filter((record, at) => {
    if (at <= first || at === rows.length - 1) return false
    if (!fits(tokens, record, width) || !isText(record, telling) || !measured.every((at) => isText(record, at)))
      return false
    const values = recordValues(tokens, record)
    return looksLikeNames(values) && textOf(values) !== header
  })
  if (found.length === 0 || found.length > tablesMax) return []
  const lines = linesOf(tokens, found)
  const message = `Another table of ${width} fields seems to begin on ${lines.text}: its header and records are read as records of the first table.`
  return [note('TABLE_SAME_WIDTH', message, lines)]
}

/** Most fields that are asked for are plain numbers, which are seen without making them values. */
function isTextAt(tokens: Tokens, field: number): boolean {
  const { text, fieldStarts, fieldEnds } = tokens
  const isNumber = !isQuoted(tokens, field) && isPlainNumber(text, fieldStarts[field] ?? 0, fieldEnds[field] ?? 0)
  return !isNumber && kindOf(fieldValue(tokens, field)) === 'text'
}

/** More blank lines than this between records of one width separate groups, not tables. */
const gapsMax = 3

/** Records of names after a blank line, in a table of texts: shaped like the header, unlike the records. */
function textTables({ tokens, width, rows, top }: HeadTable): Note[] {
  const header = top.headers[0]
  const first = rows.indexOf(top.firstData)
  if (header === undefined || width < 2 || first < 0) return []
  const begins = rows.filter((row, at) => at > first && isBlank(tokens, row - 1) && fits(tokens, row, width))
  if (begins.length === 0 || begins.length > gapsMax) return []
  const above = profile(tokens, rows.slice(first, first + bodyRowsMax), width)
  const found = begins.filter((row) => {
    const values = recordValues(tokens, row)
    const at = rows.indexOf(row)
    const below = profile(tokens, rows.slice(at + 1, at + 1 + bodyRowsMax), width)
    if (!looksLikeNames(values) || below.every((column) => column.values.length === 0)) return false
    if (textOf(values) === textOf(header)) return false
    const isNew = values.every(
      (value, column) => above[column]?.values.filter((other) => other === value.trim()).length === 1,
    )
    const { isHeader, votes } = weighHeader(values, below, rows.length - at - 1)
    return isNew && ((isHeader && !votes.isUncertain) || isBuiltAlike(values, header, above))
  })
  if (found.length === 0) return []
  const lines = linesOf(tokens, found)
  const message = `Another table of ${width} fields seems to begin on ${lines.text}: its header and records are read as records of the first table.`
  return [note('TABLE_SAME_WIDTH', message, lines)]
}

/** Values shaped like those of the header in every column, and in one unlike most of the records. */
function isBuiltAlike(
  values: readonly string[],
  header: readonly string[],
  above: ReturnType<typeof profile>,
): boolean {
  const isAlike = values.every((value, column) => shapeOf(value) === shapeOf(header[column] ?? ''))
  const isUnlikeRecords = values.some((value, column) => {
    const shapes = above[column]?.values.map(shapeOf) ?? []
    return shapes.filter((shape) => shape === shapeOf(value)).length * 3 < shapes.length
  })
  return isAlike && isUnlikeRecords
}
