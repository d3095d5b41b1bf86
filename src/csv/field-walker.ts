// Field walker: iterates over the fields of whole CSV records. The one place that knows where a field ends.

export const comma = 0x2c
export const quote = 0x22
export const lineFeed = 0x0a
export const carriageReturn = 0x0d

/** How fields are written in records. */
export interface FieldLayout {
  /** One character. */
  readonly delimiter: Uint8Array
  /** -1 when nothing is quoted. */
  readonly quoteByte: number
  /** What escapes a quote; -1 when a quote is doubled. */
  readonly escapeByte: number
  /** The escape also counts outside quotes, and before delimiters and line ends. */
  readonly escapesAll?: boolean
  /** Quotes may be doubled beside an escape. */
  readonly doublesToo?: boolean
  /** `lf` takes LF and CRLF, `cr` a lone CR. */
  readonly lineEnd: 'lf' | 'cr'
}

/** A cursor, made for speed: its members describe the current field. */
export class FieldWalker {
  /** Start of the field's content, without quotes. */
  start = 0
  /** End of the content: the index after its last byte. */
  end = 0
  isQuoted = false
  /** Counted from 0. */
  column = 0
  /** True for the last field of its record. */
  endsRecord = true
  readonly #layout: FieldLayout
  #records: Uint8Array = new Uint8Array(0)
  #next = 0

  constructor(layout: FieldLayout) {
    this.#layout = layout
  }

  /** Starts before the first field of whole records. */
  begin(records: Uint8Array): void {
    this.#records = records
    this.#next = 0
    this.endsRecord = true
  }

  /** Moves to the next field; false if there is none. */
  advance(): boolean {
    const records = this.#records
    const from = this.#next
    if (from >= records.length) return false
    this.column = this.endsRecord ? 0 : this.column + 1
    this.isQuoted = records[from] === this.#layout.quoteByte
    this.start = this.isQuoted ? from + 1 : from
    this.end = this.isQuoted ? this.#quotedEnd(this.start) : this.#plainEnd(from)
    const after = this.isQuoted ? this.end + 1 : this.end
    this.endsRecord = !this.#isDelimiter(after)
    this.#next = this.endsRecord ? this.#afterLineEnd(after) : after + this.#layout.delimiter.length
    return true
  }

  /** Whether the byte at `index` of the field escapes the one after it. */
  isEscape(index: number): boolean {
    const { escapeByte, quoteByte, escapesAll, doublesToo } = this.#layout
    if (index + 1 >= this.end || !(this.isQuoted || escapesAll)) return false
    const byte = this.#records[index]
    const escaped = this.#records[index + 1]
    if (escapeByte < 0) return byte === quoteByte
    if (byte === quoteByte) return doublesToo === true && this.isQuoted && escaped === quoteByte
    if (byte !== escapeByte) return false
    const isSpecial = escaped === carriageReturn || escaped === lineFeed || this.#isDelimiter(index + 1)
    return escaped === quoteByte || escaped === escapeByte || (escapesAll === true && isSpecial)
  }

  #isDelimiter(at: number): boolean {
    const { delimiter } = this.#layout
    for (let i = 0; i < delimiter.length; i++) if (this.#records[at + i] !== delimiter[i]) return false
    return true
  }

  #afterLineEnd(at: number): number {
    const { lineEnd } = this.#layout
    const afterReturn = this.#records[at] === carriageReturn ? at + 1 : at
    return lineEnd === 'lf' ? afterReturn + 1 : afterReturn
  }

  #quotedEnd(from: number): number {
    const { escapeByte, quoteByte, doublesToo } = this.#layout
    const records = this.#records
    for (let i = from; i < records.length; i++) {
      const byte = records[i]
      if (escapeByte >= 0 && byte === escapeByte) i++
      else if (byte === quoteByte) {
        if ((escapeByte >= 0 && !doublesToo) || records[i + 1] !== quoteByte) return i
        i++
      }
    }
    return records.length
  }

  #plainEnd(from: number): number {
    const { delimiter, lineEnd, escapeByte, escapesAll } = this.#layout
    const records = this.#records
    for (let i = from; i < records.length; i++) {
      const byte = records[i]
      if (escapesAll && byte === escapeByte) {
        // A CR LF is escaped as one; nothing is at the end of the file.
        const next =
          records[i + 1] === carriageReturn && records[i + 2] === lineFeed && lineEnd !== 'cr' ? i + 2 : i + 1
        if (next + 1 < records.length) i = next
        continue
      }
      if (byte === delimiter[0] && this.#isDelimiter(i)) return i
      if (byte === carriageReturn && lineEnd === 'cr') return i
      if (byte === lineFeed && lineEnd === 'lf') return i > from && records[i - 1] === carriageReturn ? i - 1 : i
    }
    return records.length
  }
}
