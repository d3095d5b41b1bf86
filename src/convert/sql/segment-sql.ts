// Segment SQL: names and paths safe in a statement, and the records of a segment as a table. Knows no types.
import type { Segment } from '../convert.ts'

/** A name of any characters but NUL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text of any characters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A path to read from, as a literal: DuckDB takes `*`, `?` and `[` in one for a pattern. */
export function pathLiteral(path: string): string {
  return literal(path.replaceAll(/[*?[]/g, '[$&]'))
}

/** The text of field `i` of a record is column `c<i>`: names from outside appear only where Parquet is written. */
export function fieldName(i: number): string {
  return `c${i}`
}

/** A way to read a segment with DuckDB. */
export interface ReadMode {
  readonly isStrict: boolean
  /** At least one byte more than the longest record. */
  readonly bufferBytes: number
}

/** Bytes read at once: more costs memory, fewer costs time. Measured best of 0.5 to 32 MiB. */
const bufferBytesUsual = 2_097_152

/**
 * The ways to read a segment, the best first; the next is for segments that the one before refuses. What they have in
 * common is that a readable segment is read right or not at all (some 50,000 random files, DuckDB 1.5.6):
 * - Strict mode also finds a record with too many fields, but refuses line ends of another kind, in quotes too.
 * - A record may be longer than the usual buffer.
 * - Lenient mode reads all line ends, but takes an escape outside quotes too.
 */
export function readModes({ bytes, layout }: Segment): readonly ReadMode[] {
  // Some bytes more, because a buffer that is just full is read on from.
  const whole = bytes + 64
  const modes = [{ isStrict: true, bufferBytes: Math.min(bufferBytesUsual, whole) }]
  if (whole > bufferBytesUsual) modes.push({ isStrict: true, bufferBytes: whole })
  if (layout.escape === null) modes.push({ isStrict: false, bufferBytes: whole })
  return modes
}

/** What DuckDB says of a failure, for the log, without the record it quotes: that is not ours to show. */
export function withoutValues(message: string): string {
  const quoteAt = message.indexOf('Original Line:')
  if (quoteAt < 0) return message.slice(0, messageCharactersMax)
  const width = otherWidth.exec(message)?.[0]
  return `${message.slice(0, quoteAt)}${width ?? 'a record that could not be read'}`
}

const messageCharactersMax = 500
const otherWidth = /^Expected Number of Columns: \d+ Found: \d+$/m

/** True for a segment whose records have another number of fields: then no other way to read it is right. */
export function isOtherWidth(message: string): boolean {
  return otherWidth.test(message)
}

/**
 * The records of a segment, all fields as text, null where a field is empty and not quoted. Each option is there because
 * the reader got something wrong without it; the tests beside hold each case:
 * - `new_line='\r\n'` in strict mode gives no records and no error, so CRLF is found by itself there; in lenient mode `\n`
 *   stands for LF, CRLF and both.
 * - An empty record is seen after each CRLF of a file with one field a record. Such a record cannot be in a segment: it
 *   would be blank.
 * - Hive partitioning adds a column for a directory named like `a=1`.
 * - A byte order mark in front is taken away even where it is data: see `withReadable`.
 */
export function recordsSql({ path, layout }: Segment, mode: ReadMode): string {
  const { width, delimiter, quote, escape: escapeCharacter } = layout
  const columns = Array.from({ length: width }, (_, i) => `${fieldName(i)}: 'VARCHAR'`)
  const options = [
    `columns = {${columns.join(', ')}}, auto_detect = false, header = false`,
    `delim = ${literal(delimiter)}, quote = ${literal(quote ?? '')}, escape = ${literal(escapeCharacter ?? quote ?? '')}, comment = ''`,
    `strict_mode = ${mode.isStrict}${newLineOption(layout, mode)}`,
    `nullstr = '', allow_quoted_nulls = false, null_padding = false, ignore_errors = false`,
    `parallel = false, compression = 'none', hive_partitioning = false`,
    `buffer_size = ${mode.bufferBytes}, max_line_size = ${mode.bufferBytes}`,
  ]
  const records = `read_csv(${pathLiteral(path)}, ${options.join(', ')})`
  return width === 1 ? `(FROM ${records} WHERE ${fieldName(0)} IS NOT NULL)` : records
}

/** DuckDB wants a line end spelled with a backslash. */
function newLineOption({ lineTerminator }: Segment['layout'], { isStrict }: ReadMode): string {
  if (lineTerminator === '\r') return ", new_line = '\\r'"
  return isStrict && lineTerminator === '\r\n' ? '' : ", new_line = '\\n'"
}
