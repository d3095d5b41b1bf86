// Find repeats: which records repeat the key of an earlier one, by the hashes of all keys. Knows no values.
import { keyChunk } from '../../columns/column-writer.ts'
import type { Repeats, RepeatsJob } from '../convert.ts'
import { WordFile } from './key-file.ts'
import { type Member, SortedMembers } from './sorted-members.ts'

const { bucketCount, headerWords, entryWords } = keyChunk

/**
 * Entries compared at once: their different keys stay in a core's cache, which takes half the time of a million of them.
 * In more than 33 million entries each bucket has more; a billion take 52 MB.
 */
const keysMaxUsual = 32_768

/** The file of a segment. */
interface Chunks {
  readonly path: string
  /** In words. */
  readonly starts: readonly number[]
}

/**
 * A record repeats a key if an earlier one has it that repeats none itself. Buckets that together have about `keysMax`
 * entries are looked at one after another, so that memory does not grow with the file, but for 9 bytes for each key that
 * several records have. The result depends neither on the secret nor on when the segments were written.
 *
 * @throws {Error} of the file system
 */
export function findRepeats({ paths, repeatedPath, holdersPath, keysMax = keysMaxUsual }: RepeatsJob): Repeats {
  let entries = 0
  const files = paths.map((path): Chunks => {
    using file = new WordFile(path, 'r')
    const starts: number[] = []
    for (let at = 0; at < file.words; ) {
      const count = file.read(at + bucketCount, 1)[0]!
      starts.push(at)
      entries += count
      at += headerWords + count * entryWords
    }
    return { path, starts }
  })
  using members = new SortedMembers(`${repeatedPath}-members`, keysMax)
  const parts = Math.min(bucketCount, Math.ceil(entries / keysMax))
  let slots = 0
  for (let part = 0; part < parts; part++) {
    const table = new KeyTable(members, slots, entries / parts)
    const bucketOf = (one: number) => Math.floor((one * bucketCount) / parts)
    for (const [segment, file] of files.entries()) addEntries(file, bucketOf(part), bucketOf(part + 1), table, segment)
    slots = table.slots
  }
  using repeated = new WordFile(repeatedPath, 'w')
  using holders = new WordFile(holdersPath, 'w')
  return { slots, segments: decide(members.inOrder(), slots, repeated, holders) }
}

/** The entries of some buckets; those of one key come in the order of the file. */
function addEntries({ path, starts }: Chunks, from: number, to: number, table: KeyTable, segment: number): void {
  using file = new WordFile(path, 'r')
  for (const start of starts) {
    const before = file.read(start + from, to - from + 1)
    const first = before[0]!
    const count = before[to - from]! - first
    const entries = file.read(start + headerWords + first * entryWords, count * entryWords)
    for (let at = 0; at < entries.length; at += entryWords) table.add(entries, at, segment)
  }
}

/** Writes which records repeat a key, and which are the first to have one; returns where those of each segment are. */
function decide(members: Iterable<Member>, slots: number, repeated: WordFile, holders: WordFile): Repeats['segments'] {
  const isHeld = new Uint8Array(slots)
  const texts = new Uint32Array(2 * slots)
  const segments: { from: number; count: number }[] = []
  let written = 0
  /** The keys of one record. */
  let keys: Member[] = []
  const add = () => {
    const broken = keys.find(({ slot }) => isHeld[slot] === 1)
    for (const { segment, record, key, slot, text } of broken ? [broken] : keys) {
      if (broken) {
        const isSame = texts[2 * slot] === text[0] && texts[2 * slot + 1] === text[1]
        repeated.push(record, 2 * key + Number(isSame), slot)
        segments[segment] ??= { from: written, count: 0 }
        segments[segment].count++
        written++
      } else {
        holders.push(segment, record, slot)
        isHeld[slot] = 1
        texts.set(text, 2 * slot)
      }
    }
    keys = []
  }
  for (const member of members) {
    if (member.record !== keys[0]?.record || member.segment !== keys[0].segment) add()
    keys.push(member)
  }
  add()
  repeated.flush()
  holders.flush()
  return segments
}

/** Of the first record with a key: four words of its hash, two of its text, its segment and number, its slot from 1. */
const rowWords = 9

/** A hash table of keys, which passes on the records of those that occur again. */
class KeyTable {
  slots: number
  readonly #members: SortedMembers
  #rows: Uint32Array
  #count = 0
  /** The numbers of rows, from 1. Their hashes are secret, so that nobody can make many of them collide. */
  #places: Uint32Array

  /** @param keys About as many. */
  constructor(members: SortedMembers, slots: number, keys: number) {
    this.#members = members
    this.slots = slots
    const places = 2 ** Math.ceil(Math.log2(2.2 * keys + 2))
    this.#places = new Uint32Array(places)
    this.#rows = new Uint32Array((rowWords * places) / 2)
  }

  add(entries: Uint32Array, at: number, segment: number): void {
    const mask = this.#places.length - 1
    let place = entries[at + 1]! & mask
    for (; this.#places[place] !== 0; place = (place + 1) & mask) {
      const row = rowWords * (this.#places[place]! - 1)
      if (this.#isAt(row, entries, at)) {
        this.#share(row, entries, at, segment)
        return
      }
    }
    const row = rowWords * this.#count
    for (let word = 0; word < 6; word++) this.#rows[row + word] = entries[at + word]!
    this.#rows[row + 6] = segment
    this.#rows[row + 7] = entries[at + 6]!
    this.#places[place] = ++this.#count
    if (2 * this.#count === this.#places.length) this.#grow()
  }

  #isAt(row: number, entries: Uint32Array, at: number): boolean {
    for (let word = 0; word < 4; word++) if (this.#rows[row + word] !== entries[at + word]) return false
    return true
  }

  #share(row: number, entries: Uint32Array, at: number, segment: number): void {
    const rows = this.#rows
    const key = entries[at + 7]!
    if (rows[row + 8] === 0) {
      rows[row + 8] = ++this.slots
      const [text, first] = [[rows[row + 4]!, rows[row + 5]!] as const, rows[row + 7]!]
      this.#members.add({ segment: rows[row + 6]!, record: first, key, slot: this.slots - 1, text })
    }
    const text = [entries[at + 4]!, entries[at + 5]!] as const
    this.#members.add({ segment, record: entries[at + 6]!, key, slot: rows[row + 8]! - 1, text })
  }

  #grow(): void {
    const rows = new Uint32Array(2 * this.#rows.length)
    rows.set(this.#rows)
    this.#rows = rows
    this.#places = new Uint32Array(2 * this.#places.length)
    const mask = this.#places.length - 1
    for (let row = 0; row < this.#count; row++) {
      let place = rows[rowWords * row + 1]! & mask
      while (this.#places[place] !== 0) place = (place + 1) & mask
      this.#places[place] = row + 1
    }
  }
}
