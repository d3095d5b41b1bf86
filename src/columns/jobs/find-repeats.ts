// Find repeats: which records repeat the key of an earlier one, by the hashes of all keys. Knows no values.
import { closeSync, fstatSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import type { Repeats, RepeatsJob } from '../converter.ts'
import { keyChunk } from '../memory/columns-memory.ts'
import { throwIfWithdrawn, type Withdrawal } from './column-job.ts'
import { repeatedPath, repeatedWords } from './key-file.ts'

const { bucketCount, headerWords, entryWords } = keyChunk

/**
 * Entries compared at once: their different keys stay in a core's cache, which takes half the time of a million of them.
 * In more than 33 million entries each bucket has more; a billion take 52 MB.
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
        const count = readWords(file, at + bucketCount, 1)[0]!
        found.push(at)
        entries += count
        at += headerWords + count * entryWords
      }
      return found
    })
  })
  const counts = segments.map(() => 0)
  const firsts: Float64Array[] = []
  const portions = Math.min(bucketCount, Math.ceil(entries / keysMax))
  for (let portion = 0; portion < portions; portion++) {
    const table = new KeyTable()
    const [from = 0, to = 0] = [portion, portion + 1].map((one) => Math.floor((one * bucketCount) / portions))
    for (const [segment, { path, before }] of segments.entries()) {
      withFile(path, (file) => {
        for (const start of starts[segment]!) {
          throwIfWithdrawn(withdrawal)
          const found = table.add(readEntries(file, start, from, to), before)
          if (found.repeated.length === 0) continue
          counts[segment]! += found.repeated.length / repeatedWords
          firsts.push(Float64Array.from(found.firsts))
          writeFileSync(repeatedPath(path), Uint32Array.from(found.repeated), { flag: 'a', mode: 0o600 })
        }
      })
    }
  }
  return { counts, firsts: joined(firsts).sort() }
}

function joined(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}

function withFile<Result>(path: string, read: (file: number) => Result): Result {
  const file = openSync(path, 'r')
  try {
    return read(file)
  } finally {
    closeSync(file)
  }
}

/** The entries of some buckets; those of one key come in the order of the file. */
function readEntries(file: number, start: number, from: number, to: number): Uint32Array {
  const before = readWords(file, start + from, to - from + 1)
  const first = before[0]!
  return readWords(file, start + headerWords + first * entryWords, (before[to - from]! - first) * entryWords)
}

function readWords(file: number, from: number, count: number): Uint32Array {
  const bytes = new Uint8Array(4 * count)
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, { offset: at, position: 4 * from + at })
    if (read === 0) throw new Error(`Cannot read keys: the file ends before word ${from + count}`)
    at += read
  }
  return new Uint32Array(bytes.buffer)
}

/** Of the first record with a key: four words of its hash, two of its text, its ordinal (u64), 1 if it was listed. */
const rowWords = 9

/** A hash table of keys. */
class KeyTable {
  #rows = new Uint32Array(rowWords * 512)
  #count = 0
  /** The numbers of rows, from 1. Their hashes are secret, so that nobody can make many of them collide. */
  #places = new Uint32Array(1024)

  /** Returns the records that repeat a key, in `repeatedWords`, and the ordinals of the first ones not returned before. */
  add(entries: Uint32Array, recordsBefore: number): { readonly repeated: number[]; readonly firsts: number[] } {
    const [repeated, firsts]: [number[], number[]] = [[], []]
    for (let at = 0; at < entries.length; at += entryWords) {
      const place = this.#placeOf(entries, at)
      const rows = this.#rows
      const row = rowWords * ((this.#places[place] || this.#count + 1) - 1)
      const record = entries[at + 6]!
      if (this.#places[place] === 0) {
        const ordinal = recordsBefore + record
        rows.set(entries.subarray(at, at + 6), row)
        rows[row + 6] = ordinal % 2 ** 32
        rows[row + 7] = Math.floor(ordinal / 2 ** 32)
        this.#places[place] = ++this.#count
        if (2 * this.#count === this.#places.length) this.#grow()
        continue
      }
      const [low, high] = [rows[row + 6]!, rows[row + 7]!]
      if (rows[row + 8] === 0) firsts.push(low + high * 2 ** 32)
      rows[row + 8] = 1
      const isSame = rows[row + 4] === entries[at + 4] && rows[row + 5] === entries[at + 5]
      repeated.push(record, 2 * entries[at + 7]! + Number(isSame), low, high)
    }
    return { repeated, firsts }
  }

  /** Where the row of a key is, or has room. */
  #placeOf(words: Uint32Array, at: number): number {
    const mask = this.#places.length - 1
    let place = words[at + 1]! & mask
    while (this.#places[place] !== 0 && !this.#isSame(rowWords * (this.#places[place]! - 1), words, at))
      place = (place + 1) & mask
    return place
  }

  #isSame(row: number, words: Uint32Array, at: number): boolean {
    for (let word = 0; word < 4; word++) if (this.#rows[row + word] !== words[at + word]) return false
    return true
  }

  #grow(): void {
    const rows = this.#rows
    this.#rows = new Uint32Array(2 * rows.length)
    this.#rows.set(rows)
    this.#places = new Uint32Array(2 * this.#places.length)
    for (let row = 0; row < this.#count; row++) this.#places[this.#placeOf(rows, rowWords * row)] = row + 1
  }
}
