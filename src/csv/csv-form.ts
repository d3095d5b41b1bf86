// CSV form: how a client wants the accepted records of a file written. Plain values, so that any thread can write them.
import type { Dialect } from '../core/receipt.ts'
import { type CsvDelimiter, createCsvRewriter } from './csv-rewriter.ts'
import { createFormulaEscape } from './escape-formulas.ts'

export interface CsvForm {
  /** How the records are written in the file; null if they are RFC 4180 with this delimiter already. */
  readonly dialect: Dialect | null
  readonly delimiter: CsvDelimiter
  /** For each column whether its values are numbers, dates or times; null if formulas are not to be escaped. */
  readonly isTyped: readonly boolean[] | null
}

/** Some text to write, of a client that takes turns with others. */
export interface TextJob {
  /** Whole records. */
  readonly records: Uint8Array<ArrayBuffer>
  readonly form: CsvForm
  readonly client: string
}

/** Returns the records themselves if nothing changes; else bytes with memory of their own. */
export function writeText({ records, form: { dialect, delimiter, isTyped } }: TextJob): Uint8Array<ArrayBuffer> {
  const [text = records] = dialect === null ? [] : createCsvRewriter(dialect, delimiter)([records])
  const pieces = isTyped === null ? [text] : createFormulaEscape(delimiter, isTyped)(text)
  if (pieces.length === 1 && pieces[0]?.buffer === records.buffer) return records
  const made = Buffer.concat(pieces)
  // Small buffers of Node share memory, which cannot be transferred to another thread.
  return made.buffer.byteLength === made.length ? made : new Uint8Array(made)
}
