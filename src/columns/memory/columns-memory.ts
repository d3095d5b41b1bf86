// Columns memory: an instance of the module that reads and encodes columns, with its memory. Knows no records.

import type { Pattern } from '../patterns/pattern.ts'
import { keptDouble } from './kept-double.ts'

const pageBytes = 65_536
/**
 * A chunk of key hashes, in u32: a header, for each bucket the number of entries before it and then that of all; and the
 * entries, by the first bits of their hash, then as in the file: 4 words of the key's hash, 2 of the text's, the number of
 * the record, that of the key.
 */
export const keyChunk = { bucketCount: 1024, headerWords: 1025, entryWords: 8 } as const

const { bucketCount, headerWords, entryWords } = keyChunk

// Addresses of wasm/columns/memory.ts.
const factsIndex = 2048 / 4
const dictionaryAt = 163_840
const leastAt = 272_640
const greatestAt = 272_768
const utf8OfBytesAt = 401_472
const encodedBytesAt = 402_560
const encodedBytesMax = 16_384
const decodedAt = 419_072
/** Where the tables of declared columns begin. */
export const rulesAt = 468_352

/** What the module reports; see wasm/columns/columns.ts. */
type Report =
  | ('levels' | 'window' | 'marks' | 'hashes' | 'records' | 'recordsEnd' | 'fieldStart' | 'fieldEnd' | 'nullCount')
  | ('bodyAt' | 'bodyBytes' | 'plainBytes' | 'isCompressed' | 'encoding' | 'columnForm')
  | ('pageDictionaryBytes' | 'pageEntryCount')
  | ('hasStatistics' | 'leastBytes' | 'greatestBytes' | 'isLeastExact' | 'isGreatestExact')

interface Exports extends Readonly<Record<Report, { readonly value: number }>> {
  readonly memory: WebAssembly.Memory
  fillTables(): void
  configure(windowBytes: number, placesMax: number, recordsMax: number, rulesBytes: number, keyBytes: number): number
  setDialect(width: number, delimiter: number, quote: number, lineEnd: number): void
  setTextEnds(areUsed: number): void
  begin(start: number): void
  find(end: number, recordsMax: number): number
  setKind(first: number, second: number, decimalByte: number, group: number): void
  read(column: number, records: number, kind: number, nullWords: number, form: number, isChecked: number): number
  findField(column: number, record: number): void
  setRules(form: number, flags: number, missing: number, reader: number, decimalChar: number, groupChar: number): void
  clearMarks(records: number): void
  check(column: number, records: number, kind: number, mark: number): void
  checkBound(records: number, bound: number, limit: bigint, rule: number): void
  checkNumberBound(column: number, records: number, bound: number, limit: number, isLong: number, rule: number): void
  checkListed(
    column: number,
    records: number,
    valueBytes: number,
    listed: number,
    areNumbers: number,
    isLong: number,
    rule: number,
  ): void
  checkTexts(column: number, records: number, what: number, first: number, second: number, rule: number): void
  endChecks(): number
  beginKey(records: number, index: number, secretLow: bigint, secretHigh: bigint): void
  addToKey(column: number, records: number, kind: number): void
  endKey(read: number, first: number, key: number): void
  dropMarked(records: number): void
  encode(records: number, kind: number, valueBytes: number, form: number): void
  toUtf8(table: number, from: number, end: number, out: number, isAscii: number): number
  matchesPattern(block: number, start: number, end: number): number
  /** From here on for tests. Returns 0 after the last region. */
  regionBound(index: number, isEnd: number): number
  readMomentOf(program: number, start: number, end: number, out: number): number
}

/**
 * Decided for the module while it checks a column. @param rule A number of `ruleCode`. @param text A number in the form of
 * the column.
 */
export type CompareNumber = (rule: number, text: string) => number

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const ascii = new TextEncoder()

/** An instance with its memory, which only grows, and never beyond the 1 GiB that the module allows. */
export class ColumnsMemory {
  readonly exports: Exports
  /** Patterns of the writer that uses the memory, by the address of their tables. */
  readonly patterns = new Map<number, Pattern>()
  bytes = new Uint8Array(0)
  #words = new Uint32Array(0)
  readonly #decoded = new Uint8Array(3 * encodedBytesMax)

  /** Set before the checks of a column with rules for numbers. */
  compareNumber: CompareNumber = () => 0
  /** The same text for numbers that are equal, empty if their doubles tell them from all others. */
  numberKey: (text: string) => string = () => ''

  constructor(module: WebAssembly.Module) {
    const textAt = (start: number, bytes: number) => utf8.decode(this.bytes.subarray(start, start + bytes))
    const host = {
      keptDouble: (start: number, bytes: number) => keptDouble(textAt(start, bytes)),
      nearestDouble: (start: number, bytes: number) => Number(textAt(start, bytes)),
      compareNumber: (rule: number, start: number, bytes: number) => this.compareNumber(rule, textAt(start, bytes)),
      numberKey: (start: number, bytes: number, out: number) =>
        ascii.encodeInto(this.numberKey(textAt(start, bytes)), this.bytes.subarray(out)).written,
      isJson: (start: number, bytes: number, isArray: number) => Number(isJson(textAt(start, bytes), isArray === 1)),
      nextRow: (at: number, row: number, column: number) => {
        const pattern = this.patterns.get(at)
        if (pattern === undefined) throw new Error(`Cannot match a pattern: there is none at ${at}`)
        return pattern.nextRow(this.#words, at, row, column)
      },
    }
    // The shape is that of wasm/columns/columns.ts, from which the module was built.
    this.exports = new WebAssembly.Instance(module, { host }).exports as unknown as Exports
    this.#seeMemory()
    this.exports.fillTables()
  }

  /** The address of the bytes of records, in the layout made by `configure`. */
  get windowAt(): number {
    return this.exports.window.value
  }

  /** Rows of 8 words a class, from row 96 on a count for each null word, from row 100 on how numbers are written. */
  get facts(): Uint32Array {
    return this.#words.subarray(factsIndex, factsIndex + 102 * 8)
  }

  dictionary(bytes: number): Uint8Array {
    return this.bytes.subarray(dictionaryAt, dictionaryAt + bytes)
  }

  /**
   * Passes `bytes` to `sink` in UTF-8, piece by piece, each valid during the call. @param utf8OfBytes As for a writer.
   */
  toUtf8(bytes: Uint8Array, utf8OfBytes: Uint32Array, sink: (utf8: Uint8Array) => void): void {
    const isAscii = utf8OfBytes.subarray(0, 0x80).every((utf8, byte) => utf8 === (byte | (1 << 24)))
    this.#words.set(utf8OfBytes, utf8OfBytesAt / 4)
    for (let from = 0; from < bytes.length; from += encodedBytesMax) {
      const step = bytes.subarray(from, from + encodedBytesMax)
      this.bytes.set(step, encodedBytesAt)
      const { toUtf8 } = this.exports
      const end = toUtf8(utf8OfBytesAt, encodedBytesAt, encodedBytesAt + step.length, decodedAt, isAscii ? 1 : 0)
      // A copy, since the memory may grow in the meantime.
      this.#decoded.set(this.bytes.subarray(decodedAt, end))
      sink(this.#decoded.subarray(0, end - decodedAt))
    }
  }

  /** The marks of records, see wasm/columns/rules/marks.ts. */
  marks(records: number): Uint32Array {
    const from = this.exports.marks.value / 4
    return this.#words.subarray(from, from + records)
  }

  /** The chunk that `endKey` has made of `read` records; valid until the next call. */
  keyChunk(read: number): Uint32Array {
    const from = this.exports.hashes.value / 4 + read * entryWords
    return this.#words.subarray(from, from + headerWords + entryWords * this.#words[from + bucketCount]!)
  }

  /** Writes the tables of a pattern. @param at A multiple of 16. @param bytes Its `blockBytes`. */
  placePattern(pattern: Pattern, at: number, bytes: number): void {
    pattern.writeTo(this.#words, at, bytes)
    this.patterns.set(at, pattern)
  }

  least(bytes: number): Uint8Array {
    return this.bytes.slice(leastAt, leastAt + bytes)
  }

  greatest(bytes: number): Uint8Array {
    return this.bytes.slice(greatestAt, greatestAt + bytes)
  }

  /**
   * Lays out the memory again; the content of the window, and what was found in it, stays if only the window grows.
   *
   * @throws {RangeError} if that is more than the module allows.
   */
  configure(windowBytes: number, placesMax: number, recordsMax: number, rulesBytes = 0, hasKeys = false): void {
    const keyBytes = hasKeys ? 4 * (2 * entryWords * recordsMax + headerWords) : 0
    const missing = this.exports.configure(windowBytes, placesMax, recordsMax, rulesBytes, keyBytes) - this.bytes.length
    if (missing <= 0) return
    this.exports.memory.grow(Math.ceil(missing / pageBytes))
    this.#seeMemory()
  }

  #seeMemory(): void {
    const { buffer } = this.exports.memory
    this.bytes = new Uint8Array(buffer)
    this.#words = new Uint32Array(buffer)
  }
}

function isJson(text: string, isArray: boolean): boolean {
  if (!(isArray ? /^[ \t\n\r]*\[/ : /^[ \t\n\r]*\{/).test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
