// Rule tables: the bytes that the module needs to read declared columns, gathered before its memory is laid out.
// Knows no rules. Formats: wasm/columns/rules.
import { rulesAt } from './columns-memory.ts'

/** Everything begins at a multiple of this. */
export const alignment = 16
const utf8 = new TextEncoder()

export class RuleTables {
  #bytes = new Uint8Array(1024)
  /** There are rules only if it is not zero. */
  #length = 0
  readonly #tables = new Map<string, number>()

  /** Everything so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Reserves zeros; returns their address in the memory of the module. */
  reserve(count: number): number {
    const from = Math.ceil(this.#length / alignment) * alignment
    if (from + count > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(from + count, 2 * this.#bytes.length))
      grown.set(this.bytes)
      this.#bytes = grown
    }
    this.#length = from + count
    return rulesAt + from
  }

  add(bytes: Uint8Array): number {
    const at = this.reserve(bytes.length)
    this.#bytes.set(bytes, at - rulesAt)
    return at
  }

  /** A table of texts; the same texts share one. With `yes`, a byte for each text says whether it is one of these. */
  texts(texts: readonly string[], yes?: readonly string[]): number {
    const key = JSON.stringify([texts, yes])
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const marked = new Set(yes)
    const at = this.#words(texts.map((text) => ({ bytes: utf8.encode(text), flag: Number(marked.has(text)) })))
    this.#tables.set(key, at)
    return at
  }

  /** A table of values of eight bytes. */
  values(values: readonly Uint8Array[]): number {
    return this.#words(values.map((bytes) => ({ bytes, flag: 0 })))
  }

  #words(words: readonly { readonly bytes: Uint8Array; readonly flag: number }[]): number {
    const sorted = words
      .toSorted((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes))
      .filter(({ bytes }, i, all) => i === 0 || Buffer.compare(bytes, all[i - 1]?.bytes ?? bytes) !== 0)
    const sum = sorted.reduce((total, { bytes }) => total + bytes.length, 0)
    const flagsAt = 8 + 8 * sorted.length
    // Sixteen bytes may be loaded from any byte of a word.
    const table = new Uint8Array(flagsAt + sorted.length + sum + 16)
    const at = this.reserve(table.length)
    const view = new DataView(table.buffer)
    view.setUint32(0, sorted.length, true)
    let from = flagsAt + sorted.length
    let lengths = 0
    for (const [i, { bytes, flag }] of sorted.entries()) {
      view.setUint32(8 + 8 * i, at + from, true)
      view.setUint32(12 + 8 * i, bytes.length, true)
      table[flagsAt + i] = flag
      table.set(bytes, from)
      from += bytes.length
      lengths |= 1 << Math.min(bytes.length, 31)
    }
    view.setUint32(4, lengths >>> 0, true)
    this.#bytes.set(table, at - rulesAt)
    return at
  }
}
