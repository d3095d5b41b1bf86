// Quoted lines: notes that lines seem to be quoted as a whole, so that each is one value. Decides nothing.
import { type Note, note } from '../../core/notes.ts'
import { fieldValue, isQuoted, recordCount, type Tokens, tokenize, widthOf } from '../sniffer/tokenize.ts'

const recordsMax = 100
/** With the header. Fewer prove nothing. */
const recordsMin = 3
const delimiters = [',', ';', '\t', '|']

/**
 * Some programs quote whole lines when they save a table that they show as one column.
 *
 * @param rows Records that are neither comments nor blank, in order.
 */
export function quotedLines(tokens: Tokens, width: number, rows: readonly number[]): Note[] {
  if (width !== 1) return []
  const records = rows.slice(0, recordsMax)
  if (records.length < recordsMin || !records.every((record) => widthOf(tokens, record) === 1)) return []
  const fields = records.map((record) => tokens.firstFields[record] ?? 0)
  // A header without a quote may be as the program found it.
  if (!fields.slice(1).every((field) => isQuoted(tokens, field))) return []
  const values = fields.map((field) => fieldValue(tokens, field))
  const delimiter = delimiters.find((one) => separates(values, one))
  if (delimiter === undefined) return []
  const name = delimiter === '\t' ? 'tabs' : `'${delimiter}'`
  const message = `Lines seem to be quoted as a whole: ${name} would separate the same number of values in each, but the quotes make it one value. Write the file without these quotes.`
  return [note('LINES_QUOTED', message)]
}

/** True if it splits all values into as many pieces, and does not just belong to texts such as `Oslo, Norway`. */
function separates(values: readonly string[], delimiter: string): boolean {
  if (!values.every((value) => value.includes(delimiter) && !/[\r\n]/.test(value))) return false
  if (!values.some((value) => new RegExp(`[${delimiter}](?! |$)`).test(value))) return false
  const code = delimiter.charCodeAt(0)
  const layout = { delimiter: code, quote: 0x22, escape: 'doubled', skipInitialSpace: false, lineEnd: 'lf' } as const
  const inner = tokenize(`${values.join('\n')}\n`, layout, false)
  if (inner.broken.size > 0 || recordCount(inner) !== values.length) return false
  return values.every((_, record) => widthOf(inner, record) === widthOf(inner, 0))
}
