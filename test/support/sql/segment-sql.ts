// Segment SQL: the records of a segment as a table. Knows no types.
import type { Segment } from '../../../src/columns/converter.ts'
import { literal, pathLiteral } from '../../../src/engine/sql/sql-text.ts'

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

/** Bytes read at once: more costs memory, fewer cost time. The best of 0.5 to 32 MiB, as measured. */
const bufferBytesUsual = 2_097_152

/**
 * The ways to read a segment, best first; each one is for segments that the previous one rejects. All of them read a
 * readable segment correctly or not at all (some 50,000 random files, DuckDB 1.5.6):
 * - Strict mode also finds a record with too many fields, but rejects line ends of another kind, even in quotes.
 * - A record may be longer than the usual buffer.
 * - Lenient mode reads all line ends, but also accepts an escape outside quotes.
 */
export function readModes({ bytes }: Segment): readonly ReadMode[] {
  // Some extra bytes, because DuckDB reads on from a buffer that is exactly full.
  const whole = bytes + 64
  const modes = [{ isStrict: true, bufferBytes: Math.min(bufferBytesUsual, whole) }]
  if (whole > bufferBytesUsual) modes.push({ isStrict: true, bufferBytes: whole })
  modes.push({ isStrict: false, bufferBytes: whole })
  return modes
}

/**
 * The records of a segment, all fields as text, null if a field is empty and not quoted. Each option is here because
 * the reader made a mistake without it; the tests beside this file cover each case:
 * - `new_line='\r\n'` in strict mode returns no records and no error, so CRLF is detected there; in lenient mode `\n`
 * stands for LF, CRLF and both.
 * - DuckDB sees an empty record after each CRLF of a file with one field per record. A segment cannot contain such a
 * record: it would be blank.
 * - Hive partitioning adds a column for a directory named like `a=1`.
 * - A byte order mark at the start is removed even if it is data: see `withReadable`.
 */
export function recordsSql({ path, layout }: Segment, mode: ReadMode): string {
  const { width, delimiter, quote } = layout
  const columns = Array.from({ length: width }, (_, i) => `${fieldName(i)}: 'VARCHAR'`)
  const options = [
    `columns = {${columns.join(', ')}}, auto_detect = false, header = false`,
    `delim = ${literal(delimiter)}, quote = ${literal(quote ?? '')}, escape = ${literal(quote ?? '')}, comment = ''`,
    `strict_mode = ${mode.isStrict}${newLineOption(layout, mode)}`,
    `nullstr = '', allow_quoted_nulls = false, null_padding = false, ignore_errors = false`,
    `parallel = false, compression = 'none', hive_partitioning = false`,
    `buffer_size = ${mode.bufferBytes}, max_line_size = ${mode.bufferBytes}`,
  ]
  const records = `read_csv(${pathLiteral(path)}, ${options.join(', ')})`
  return width === 1 ? `(FROM ${records} WHERE ${fieldName(0)} IS NOT NULL)` : records
}

/** DuckDB expects a line end written with a backslash. */
function newLineOption({ lineTerminator }: Segment['layout'], { isStrict }: ReadMode): string {
  if (lineTerminator === '\r') return ", new_line = '\\r'"
  return isStrict && lineTerminator === '\r\n' ? '' : ", new_line = '\\n'"
}
