// Sorted members: the records that share a key with others, brought into the order of the file on disk. Knows no keys.
import { rmSync } from 'node:fs'
import { WordFile } from './key-file.ts'

/** A record with a key that another one has, too. */
export interface Member {
  readonly segment: number
  readonly record: number
  readonly key: number
  /** The same for equal keys. */
  readonly slot: number
  /** The hash of its text. */
  readonly text: readonly [number, number]
}

const memberWords = 6
/** Read at once of each run. */
const readMembers = 1_024

const heldMaxUsual = 65_536

/** Keeps `heldMax` members in memory, and sorted runs of them in a file, which disposing removes. */
export class SortedMembers implements Disposable {
  readonly #path: string
  readonly #heldMax: number
  #file: WordFile | null = null
  #held: Member[] = []
  /** Where each run ends in the file, in members. */
  readonly #runEnds: number[] = []

  constructor(path: string, heldMax: number) {
    this.#path = path
    this.#heldMax = Math.min(heldMax, heldMaxUsual)
  }

  add(member: Member): void {
    this.#held.push(member)
    if (this.#held.length === this.#heldMax) this.#spill()
  }

  /** All of them, by segment, record and key. */
  *inOrder(): Generator<Member> {
    if (this.#file === null) return yield* this.#held.sort(byPlace)
    this.#spill()
    const runs = this.#runEnds.map((end, i) => this.#run(this.#runEnds[i - 1] ?? 0, end))
    const heads = runs.map((run) => run.next().value)
    for (;;) {
      const least = heads.reduce(
        (one, head, i) => (head && (!heads[one] || byPlace(head, heads[one]) < 0) ? i : one),
        0,
      )
      const head = heads[least]
      if (head === undefined) return
      yield head
      heads[least] = runs[least]?.next().value
    }
  }

  *#run(from: number, end: number): Generator<Member, undefined> {
    for (let at = from; at < end; at += readMembers) {
      const words = this.#file!.read(at * memberWords, Math.min(readMembers, end - at) * memberWords)
      for (let i = 0; i < words.length; i += memberWords) {
        const [segment = 0, record = 0, key = 0, slot = 0, one = 0, other = 0] = words.subarray(i, i + memberWords)
        yield { segment, record, key, slot, text: [one, other] }
      }
    }
  }

  #spill(): void {
    this.#file ??= new WordFile(this.#path, 'w+')
    for (const { segment, record, key, slot, text } of this.#held.sort(byPlace))
      this.#file.push(segment, record, key, slot, ...text)
    this.#file.flush()
    this.#runEnds.push((this.#runEnds.at(-1) ?? 0) + this.#held.length)
    this.#held = []
  }

  [Symbol.dispose](): void {
    if (this.#file === null) return
    this.#file[Symbol.dispose]()
    rmSync(this.#path)
  }
}

function byPlace(a: Member, b: Member): number {
  return a.segment - b.segment || a.record - b.record || a.key - b.key
}
