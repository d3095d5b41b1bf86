// Kept segments: the accepted records of a file, once converted, as long as they can be read again. Knows no types.
import { rm } from 'node:fs/promises'
import type { Segment } from '../../convert/convert.ts'
import type { CutSegment } from './write-segments.ts'

/**
 * Most segments are places in the original and take no room. Those with bytes of their own are kept while they are small
 * together; beyond that all are given up, and the original is to be scanned again.
 */
export class KeptSegments implements AsyncDisposable {
  readonly #ownBytesMax: number
  #ownBytes = 0
  #segments: Pick<CutSegment, 'index' | 'segment'>[] = []
  #isComplete = true

  /** @param ownBytesMax Of files that are only there for segments; nothing is kept where it is negative. */
  constructor(ownBytesMax: number) {
    this.#ownBytesMax = ownBytesMax
    this.#isComplete = ownBytesMax >= 0
  }

  /** True while all segments that came can be read again. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  get list(): readonly Pick<CutSegment, 'index' | 'segment'>[] {
    return this.#segments
  }

  /** Takes a segment, which nobody reads at the time, or deletes it. */
  async take({ index, segment }: CutSegment): Promise<void> {
    this.#ownBytes += ownBytes(segment)
    this.#segments[index] = { index, segment }
    if (!this.#isComplete || this.#ownBytes > this.#ownBytesMax) await this.#giveUp()
  }

  /** Deletes all files of segments. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#giveUp()
  }

  async #giveUp(): Promise<void> {
    this.#isComplete = false
    const segments = this.#segments
    this.#segments = []
    // A segment that has not come yet leaves a hole, which `filter` passes over.
    const own = segments.filter(({ segment }) => hasOwnFile(segment))
    await Promise.all(own.map(({ segment }) => rm(segment.path, { force: true })))
  }
}

/** False where all records stand in another file. */
export function hasOwnFile({ path, pieces }: Segment): boolean {
  return pieces === undefined || pieces.some((piece) => piece.path === path)
}

/** Of records that stand in no other file. */
function ownBytes({ path, pieces, bytes }: Segment): number {
  if (pieces === undefined) return bytes
  return pieces.reduce((sum, piece) => (piece.path === path ? sum + piece.bytes : sum), 0)
}
