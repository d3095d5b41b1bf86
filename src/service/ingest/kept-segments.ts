// Kept segments: the converted segments of accepted records, for as long as they can be read again. Knows no types.
import { rm } from 'node:fs/promises'
import type { Segment } from '../../columns/converter.ts'
import type { CutSegment } from './write-segments.ts'

/**
 * Most segments are ranges of the original and take no space. Those with bytes of their own are kept while they are
 * small in total; beyond that, all are dropped, and the original must be scanned again.
 */
export class KeptSegments implements AsyncDisposable {
  readonly #ownBytesMax: number
  #ownBytes = 0
  #segments: Pick<CutSegment, 'index' | 'segment'>[] = []
  #isComplete = true

  /** @param ownBytesMax Total size of files that exist only for segments. */
  constructor(ownBytesMax: number) {
    this.#ownBytesMax = ownBytesMax
  }

  /** True while all segments so far can be read again. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  get list(): readonly Pick<CutSegment, 'index' | 'segment'>[] {
    return this.#segments
  }

  /** Takes or deletes a segment, which nobody may be reading. */
  async take({ index, segment }: CutSegment): Promise<void> {
    this.#ownBytes += ownBytes(segment)
    this.#segments[index] = { index, segment }
    if (!this.#isComplete || this.#ownBytes > this.#ownBytesMax) await this.#giveUp()
  }

  /** Deletes all segment files. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#giveUp()
  }

  async #giveUp(): Promise<void> {
    this.#isComplete = false
    const segments = this.#segments
    this.#segments = []
    // A segment that has not arrived yet leaves a hole, which `filter` skips.
    const own = segments.filter(({ segment }) => hasOwnFile(segment))
    await Promise.all(own.map(({ segment }) => rm(segment.path, { force: true })))
  }
}

/** False if all its records are in another file. */
export function hasOwnFile({ path, pieces }: Segment): boolean {
  return pieces === undefined || pieces.some((piece) => piece.path === path)
}

/** Bytes of records that are in no other file. */
function ownBytes({ path, pieces, bytes }: Segment): number {
  if (pieces === undefined) return bytes
  return pieces.reduce((sum, piece) => (piece.path === path ? sum + piece.bytes : sum), 0)
}
