// Rule tables: the bytes that the module needs to read declared columns, gathered before its memory is laid out.
// Knows no rules. Formats: wasm/columns/rules.

import { type ColumnsMemory, rulesAt } from '../memory/columns-memory.ts'
import { compilePattern, type Pattern } from '../patterns/pattern.ts'

/** Everything begins at a multiple of this. */
export const alignment = 16
/** For the states of a pattern: if it needs more, they are computed again and again. */
const patternBytesMax = 65_536
const patternBytesMin = 8_192
/** Of all patterns together, unless they have the least. */
const patternsBytes = 8_388_608
const utf8 = new TextEncoder()

export class RuleTables {
  #bytes = new Uint8Array(1024)
  /** There are rules only if it is not zero. */
  #length = 0
  readonly #tables = new Map<string, number>()
  readonly #patterns = new Map<string, { readonly pattern: Pattern; readonly at: number; readonly bytes: number }>()

  readonly #patternsMax: number

  /** @param patternsMax At most as many patterns will be added. */
  constructor(patternsMax: number) {
    this.#patternsMax = patternsMax
  }

  /** Everything so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Makes the tables available to the module, whose memory has been laid out for as many bytes. */
  writeTo(memory: ColumnsMemory): void {
    memory.bytes.set(this.bytes, rulesAt)
    memory.patterns.clear()
    for (const { pattern, at, bytes } of this.#patterns.values()) memory.placePattern(pattern, at, bytes)
  }

  /** The tables of a pattern, which are filled while texts are matched; equal patterns share them. */
  pattern(source: string): number {
    const known = this.#patterns.get(source)
    if (known !== undefined) return known.at
    const pattern = compilePattern(source)
    const share = patternsBytes / this.#patternsMax
    const bytes = pattern.blockBytes(Math.max(patternBytesMin, Math.min(patternBytesMax, share)))
    const at = this.reserve(bytes)
    this.#patterns.set(source, { pattern, at, bytes })
    return at
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
      .toSorted((a, b) => a.bytes.length - b.bytes.length || compareBytes(a.bytes, b.bytes))
      .filter(
        ({ bytes }, i, all) =>
          i === 0 || all[i - 1]?.bytes.length !== bytes.length || compareBytes(bytes, all[i - 1]!.bytes) !== 0,
      )
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

/** Of the same length; browsers have no `Buffer`. */
function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at < 0 ? 0 : a[at]! - b[at]!
}
