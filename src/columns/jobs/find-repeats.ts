// Find repeats: which records repeat the key of an earlier one, by the hashes of all keys. Knows no values.
import { closeSync, fstatSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import type { Repeats, RepeatsJob } from '../converter.ts'
import { keyChunk } from '../memory/columns-memory.ts'
import { throwIfWithdrawn, type Withdrawal } from './column-job.ts'
import { repeatedPath, repeatedWords } from './key-file.ts'

const { bucketCount, headerWords, entryWords } = keyChunk

/**
 * Entries compared at once: their different keys stay in a core's cache, which takes half the time of a million of them.
 * In more than 33 million entries each bucket has more; a billion take up to 75 MB.
 */
const keysMaxUsual = 32_768

/**
 * Keys are looked at in portions of buckets, so that memory does not grow with the file, but for 8 bytes for each key
 * that several records have. The result depends neither on the secret nor on when the segments were written.
 *
 * @throws {Error} of the file system
 */
export function findRepeats({ segments, keysMax = keysMaxUsual }: RepeatsJob, withdrawal: Withdrawal): Repeats {
  let entries = 0
  const starts = segments.map(({ path }) => {
    rmSync(repeatedPath(path), { force: true })
    return withFile(path, (file) => {
      const found: number[] = []
      for (let at = 0; at < fstatSync(file).size / 4; ) {
        const [count = 0] = readWords(file, at + bucketCount, new Uint32Array(1))
        found.push(at)
        entries += count
        at += headerWords + count * entryWords
      }
      return found
    })
  })
  const counts = segments.map(() => 0)
  const firsts: number[] = []
  const portions = Math.min(bucketCount, Math.ceil(entries / keysMax))
  const table = new KeyTable()
  for (let portion = 0; portion < portions; portion++) {
    table.clear()
    const [from = 0, to = 0] = [portion, portion + 1].map((one) => Math.floor((one * bucketCount) / portions))
    const header = new Uint32Array(to - from + 1)
    for (const [segment, { path, before }] of segments.entries()) {
      withFile(path, (file) => {
        for (const start of starts[segment]!) {
          throwIfWithdrawn(withdrawal)
          const [first = 0] = readWords(file, start + from, header)
          const count = header[to - from]! - first
          readWords(file, start + headerWords + first * entryWords, table.room(count))
          const found = table.add(count, before)
          if (found.repeated.length === 0) continue
          counts[segment]! += found.repeated.length / repeatedWords
          for (const first of found.firsts) firsts.push(first)
          writeFileSync(repeatedPath(path), Uint32Array.from(found.repeated), { flag: 'a', mode: 0o600 })
        }
      })
    }
  }
  return { counts, firsts: Float64Array.from(firsts).sort() }
}

function withFile<Result>(path: string, read: (file: number) => Result): Result {
  const file = openSync(path, 'r')
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}

/** Fills `words` from a word of the file on. */
function readWords(file: number, from: number, words: Uint32Array): Uint32Array {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, { offset: at, position: 4 * from + at })
    if (read === 0) throw new Error(`Cannot read keys: the file ends before word ${from + words.length}`)
    at += read
  }
  return words
}

/**
 * A hash table of the keys of some buckets. Its rows are the entries of the first records with each key, with the record's
 * ordinal (u64) in the last two words, and twice the upper one, plus 1 if the record was returned as a first one.
 */
class KeyTable {
  /** Entries to be added follow the rows. */
  #words = new Uint32Array(0)
  #count = 0
  /** The numbers of rows, from 1. Their hashes are secret, so that nobody can make many of them collide. */
  #places = new Uint32Array(1024)

  clear(): void {
    this.#count = 0
    this.#places.fill(0)
  }

  /** Room for entries to be added; valid until the next call. */
  room(entries: number): Uint32Array {
    const end = entryWords * (this.#count + entries)
    if (end > this.#words.length) {
      const words = new Uint32Array(2 * end)
      words.set(this.#words)
      this.#words = words
    }
    return this.#words.subarray(entryWords * this.#count, end)
  }

  /** Returns the records that repeat a key, in `repeatedWords`, and the ordinals of the first ones not returned before. */
  add(entries: number, recordsBefore: number): { readonly repeated: number[]; readonly firsts: number[] } {
    const [repeated, firsts]: [number[], number[]] = [[], []]
    const words = this.#words
    let at = entryWords * this.#count
    for (const end = at + entryWords * entries; at < end; at += entryWords) {
      const place = this.#placeOf(at)
      const record = words[at + 6]!
      if (this.#places[place] === 0) {
        const row = entryWords * this.#count
        // A loop, since for a few words other ways take ten times as long.
        for (let word = 0; word < 6; word++) words[row + word] = words[at + word]!
        const ordinal = recordsBefore + record
        words[row + 6] = ordinal % 2 ** 32
        words[row + 7] = 2 * Math.floor(ordinal / 2 ** 32)
        this.#places[place] = ++this.#count
        if (2 * this.#count === this.#places.length) this.#grow()
        continue
      }
      const row = entryWords * (this.#places[place]! - 1)
      const [low, twice] = [words[row + 6]!, words[row + 7]!]
      if (twice % 2 === 0) firsts.push(low + (twice >> 1) * 2 ** 32)
      words[row + 7] = twice | 1
      const isSame = words[row + 4] === words[at + 4] && words[row + 5] === words[at + 5]
      repeated.push(record, 2 * words[at + 7]! + Number(isSame), low, twice >> 1)
    }
    return { repeated, firsts }
  }

  /** Where the row of a key is, or has room. */
  #placeOf(at: number): number {
    const mask = this.#places.length - 1
    let place = this.#words[at + 1]! & mask
    while (this.#places[place] !== 0 && !this.#isSame(entryWords * (this.#places[place]! - 1), at))
      place = (place + 1) & mask
    return place
  }

  #isSame(row: number, at: number): boolean {
    for (let word = 0; word < 4; word++) if (this.#words[row + word] !== this.#words[at + word]) return false
    return true
  }

  #grow(): void {
    this.#places = new Uint32Array(2 * this.#places.length)
    for (let row = 0; row < this.#count; row++) this.#places[this.#placeOf(entryWords * row)] = row + 1
  }
}
