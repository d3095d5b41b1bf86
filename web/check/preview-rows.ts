// Preview rows: the first accepted records as values. Knows no types.
import { FieldWalker } from '../../src/csv/field-walker.ts'
import { concatBytes } from '../../src/reading/bytes/platform-bytes.ts'
import type { segmentForm } from '../../src/service/ingest/segment-form.ts'
import { previewRowsMax } from './provisional.ts'

/** Limits of what is shown: columns of a record, and bytes of a value. */
const columnsMax = 200
const valueBytesMax = 2_000

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export class PreviewRows {
  readonly rows: (string | null)[][] = []
  readonly #walker: FieldWalker
  readonly #quote: string

  constructor({ delimiter, quote, lineTerminator }: ReturnType<typeof segmentForm>['layout']) {
    this.#quote = quote ?? ''
    this.#walker = new FieldWalker({
      delimiter: new TextEncoder().encode(delimiter),
      quoteByte: quote === null ? -1 : quote.charCodeAt(0),
      escapeByte: -1,
      lineEnd: lineTerminator === '\r' ? 'cr' : 'lf',
    })
  }

  get isFull(): boolean {
    return this.rows.length >= previewRowsMax
  }

  /** Takes what one call of the scanner has accepted: together, the pieces are whole records. */
  add(pieces: readonly Uint8Array[]): void {
    if (this.isFull || pieces.length === 0) return
    const records = concatBytes(pieces)
    const walker = this.#walker
    let row: (string | null)[] = []
    walker.begin(records)
    while (walker.advance()) {
      if (row.length < columnsMax) row.push(this.#value(records))
      if (!walker.endsRecord) continue
      this.rows.push(row)
      row = []
      if (this.isFull) return
    }
  }

  #value(records: Uint8Array): string | null {
    const { start, end, isQuoted } = this.#walker
    if (start === end) return isQuoted ? '' : null
    const cutEnd = Math.min(end, start + valueBytesMax)
    // A character cut at the end becomes one replacement character, which stands for the omitted rest.
    const text = utf8.decode(records.subarray(start, cutEnd)) + (cutEnd < end ? '…' : '')
    return isQuoted ? text.replaceAll(this.#quote + this.#quote, this.#quote) : text
  }
}
