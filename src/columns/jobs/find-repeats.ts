// Find repeats: which records repeat the key of an earlier one, by the hashes of all keys. Knows no values.
import { closeSync, fstatSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import type { Repeats, RepeatsJob } from '../converter.ts'
import { keyChunk } from '../memory/columns-memory.ts'
import { throwIfWithdrawn, type Withdrawal } from './column-job.ts'
import { repeatedPath, repeatedWords } from './key-file.ts'

const { bucketCount, headerWords, entryWords } = keyChunk

/**
 * Entries compared at once, which stay in a core's cache. In more than 33 million entries each bucket has more; a billion
 * take 52 MB.
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
    const [from = 0, to = 0] = [portion, portion + 1].map((one) => Math.floor((one * bucketCount) / portions))
    const lists = segments.map(({ path }, segment) =>
      withFile(path, (file) => starts[segment]!.map((start) => readEntries(file, start, from, to))),
    )
    throwIfWithdrawn(withdrawal)
    const found = repeatsIn(
      lists,
      segments.map(({ before }) => before),
    )
    firsts.push(Float64Array.from(found.firsts))
    for (const [segment, repeated] of found.repeated.entries()) {
      if (repeated.length === 0) continue
      counts[segment]! += repeated.length / repeatedWords
      writeFileSync(repeatedPath(segments[segment]!.path), Uint32Array.from(repeated), { flag: 'a', mode: 0o600 })
    }
  }
  return { counts, firsts: joined(Float64Array, firsts).sort() }
}

function joined<List extends Uint32Array | Float64Array>(
  Kind: new (length: number) => List,
  lists: readonly List[],
): List {
  const all = new Kind(lists.reduce((sum, { length }) => sum + length, 0))
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

/**
 * The records that repeat a key, in `repeatedWords` for each segment, and the ordinals of the first ones. Their hashes are
 * secret, so that nobody can make many of them collide.
 */
function repeatsIn(lists: readonly (readonly Uint32Array[])[], before: readonly number[]) {
  const entries = joined(Uint32Array, lists.flat())
  const count = entries.length / entryWords
  const ordinals = new Float64Array(count)
  /** The numbers of entries, from 1. */
  const places = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 1)))
  const isListed = new Uint8Array(count)
  const firsts: number[] = []
  let entry = 0
  const repeated = lists.map((chunks, segment) => {
    const found: number[] = []
    const end = entry + chunks.reduce((sum, { length }) => sum + length, 0) / entryWords
    for (; entry < end; entry++) {
      const at = entry * entryWords
      ordinals[entry] = before[segment]! + entries[at + 6]!
      let place = entries[at + 1]! & (places.length - 1)
      while (places[place] !== 0 && !isSameKey(entries, (places[place]! - 1) * entryWords, at))
        place = (place + 1) & (places.length - 1)
      if (places[place] === 0) {
        places[place] = entry + 1
        continue
      }
      const first = places[place]! - 1
      const ordinal = ordinals[first]!
      if (isListed[first] === 0) firsts.push(ordinal)
      isListed[first] = 1
      const other = first * entryWords
      const isSame = entries[other + 4] === entries[at + 4] && entries[other + 5] === entries[at + 5]
      const what = 2 * entries[at + 7]! + Number(isSame)
      found.push(entries[at + 6]!, what, ordinal % 2 ** 32, Math.floor(ordinal / 2 ** 32))
    }
    return found
  })
  return { repeated, firsts }
}

function isSameKey(entries: Uint32Array, one: number, other: number): boolean {
  for (let word = 0; word < 4; word++) if (entries[one + word] !== entries[other + word]) return false
  return true
}
