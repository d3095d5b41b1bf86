// Exclusions: the records that are rejected although they can be read, as a list that may be as long as the file. Comes in
// batches, since an await for each record would take longer than all else that is done for it.
import type { RecordPlace } from '../../core/declared-values.ts'

/** A record that is rejected although it can be read. */
export interface Exclusion {
  /** Among all readable records of the file, from 1. */
  readonly ordinal: number
  /** From 1. */
  readonly column: number | null
  readonly message: string
  /** Absent if it is not known. */
  readonly place?: RecordPlace
}

/** Ascending. */
export type Exclusions = AsyncIterable<readonly Exclusion[]>

/** Takes exclusions up to one record after another. */
export class ExclusionList implements AsyncDisposable {
  readonly #batches: AsyncIterator<readonly Exclusion[]>
  #left: readonly Exclusion[] = []

  constructor(exclusions: Exclusions) {
    this.#batches = exclusions[Symbol.asyncIterator]()
  }

  /** Some have arrived, but were not taken. */
  get hasLeft(): boolean {
    return this.#left.length > 0
  }

  /** Those not taken yet, up to an ordinal. */
  async *upTo(last: number): Exclusions {
    for (;;) {
      const found = this.#left.filter(({ ordinal }) => ordinal <= last)
      this.#left = this.#left.slice(found.length)
      if (found.length > 0) yield found
      if (this.hasLeft) return
      const next = await this.#batches.next()
      if (next.done) return
      this.#left = next.value
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.return?.()
  }
}
