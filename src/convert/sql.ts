// SQL: names and paths safe in a statement, and the records of a segment as a table. Knows no types.
import type { Segment } from './convert.ts'

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

/** Bytes read at once: more costs memory, fewer costs time. Measured best of 1 to 32 MiB. */
export const bufferBytesUsual = 2_097_152

/**
 * The records of a segment, all fields as text, null where a field is empty and not quoted. Each line of options is
 * there because the reader got something wrong without it (DuckDB 1.5.6; the tests beside hold each case):
 * - strict mode with `new_line='\r\n'` gives no records and no error; with `\n` it refuses CRLF and quoted CR.
 *   Lenient mode with `\n` reads LF, CRLF and both, but takes an escape outside quotes, so dialects with an escape
 *   need strict mode.
 * - lenient mode sees an empty record after each CRLF of a file with one field a record. Such a record cannot be in a
 *   segment: it would be blank.
 * - Hive partitioning adds a column for a directory named like `a=1`.
 * - A byte order mark in front is taken away even where it is data: see `withReadable`.
 *
 * @param bufferBytes At least one byte more than the longest record.
 */
export function recordsSql({ path, layout }: Segment, bufferBytes: number): string {
  const { width, delimiter, quote, escape: escapeCharacter, lineTerminator } = layout
  const columns = Array.from({ length: width }, (_, i) => `${fieldName(i)}: 'VARCHAR'`)
  const options = [
    `columns = {${columns.join(', ')}}, auto_detect = false, header = false`,
    `delim = ${literal(delimiter)}, quote = ${literal(quote ?? '')}, escape = ${literal(escapeCharacter ?? quote ?? '')}, comment = ''`,
    newLineOptions(escapeCharacter, lineTerminator),
    `nullstr = '', allow_quoted_nulls = false, null_padding = false, ignore_errors = false`,
    `parallel = false, compression = 'none', hive_partitioning = false`,
    `buffer_size = ${bufferBytes}, max_line_size = ${bufferBytes}`,
  ]
  const records = `read_csv(${pathLiteral(path)}, ${options.join(', ')})`
  return width === 1 ? `(FROM ${records} WHERE ${fieldName(0)} IS NOT NULL)` : records
}

function newLineOptions(escapeCharacter: string | null, lineTerminator: string): string {
  if (escapeCharacter !== null) {
    return `strict_mode = true${lineTerminator === '\r\n' ? '' : `, new_line = ${lineEndLiteral(lineTerminator)}`}`
  }
  return `strict_mode = false, new_line = ${lineEndLiteral(lineTerminator === '\r' ? '\r' : '\n')}`
}

/** DuckDB wants the line end spelled with a backslash. */
function lineEndLiteral(lineEnd: string): string {
  return lineEnd === '\r' ? "'\\r'" : "'\\n'"
}
