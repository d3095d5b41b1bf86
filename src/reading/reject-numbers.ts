// Reject numbers: writes lines of CSV from numbers between words that many lines share: the host side of wasm/scanner/reject-lines.ts.
import { WasmInstance } from './wasm/wasm-instance.ts'

/** In the memory of an instance that is not scanning, as in wasm/scanner/reject-lines.ts. */
const wordsAt = 65_536
const [wordsBytes, beforeAt, afterAt] = [256, 16, 136]
const wordsMax = 16
const rowsAt = 73_728
const rowNumbers = 7
const rowsMax = 512
const linesAt = rowsAt + rowsMax * rowNumbers * 8
/** Six numbers of 16 digits, five commas, and words. */
const lineBytesMax = 6 * 16 + 5 + 2 * (afterAt - beforeAt)

/** The words around the last number of a line. */
export interface LineWords {
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** Collects the numbers of lines until they are written. */
export class RejectNumbers {
  readonly #rows = new Float64Array(rowsMax * rowNumbers)
  readonly #words = new Uint8Array(wordsMax * wordsBytes)
  #count = 0

  get isFull(): boolean {
    return this.#count === rowsMax
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Sets the words for the lines of `add` with this number, from now on. */
  setWords(number: number, { before, after }: LineWords): void {
    const room = afterAt - beforeAt
    if (number >= wordsMax || before.length > room || after.length > room) {
      throw new RangeError(`Cannot keep words ${number}: ${before.length} and ${after.length} bytes, wanted ${room}`)
    }
    const at = number * wordsBytes
    new DataView(this.#words.buffer).setUint32(at, before.length, true)
    new DataView(this.#words.buffer).setUint32(at + 4, after.length, true)
    this.#words.set(before, at + beforeAt)
    this.#words.set(after, at + afterAt)
  }

  /** Whole numbers, at least 0; the fifth is left out if it is 0. */
  add(first: number, second: number, third: number, fourth: number, fifth: number, words: number, last: number): void {
    const rows = this.#rows
    const at = rowNumbers * this.#count++
    rows[at] = first
    rows[at + 1] = second
    rows[at + 2] = third
    rows[at + 3] = fourth
    rows[at + 4] = fifth
    rows[at + 5] = words
    rows[at + 6] = last
  }

  /** Passes the lines to `sink`, valid during the call, and starts over. */
  write(sink: (lines: Uint8Array) => void): void {
    const memory = WasmInstance.take()
    memory.growTo(linesAt + rowsMax * lineBytesMax + 64)
    memory.bytes.set(this.#words, wordsAt)
    const rows = new Uint8Array(this.#rows.buffer, 0, 8 * rowNumbers * this.#count)
    memory.bytes.set(rows, rowsAt)
    const end = memory.exports.writeLines(rowsAt, this.#count, wordsAt, linesAt)
    sink(memory.bytes.subarray(linesAt, end))
    memory.give()
    this.#count = 0
  }
}
