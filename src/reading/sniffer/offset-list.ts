// Offset list: collects numbers whose count is not known in advance, in memory that is reused. Does not know what they mean.

const startLength = 4_096
/** Memory for more numbers is not kept: 1 MB. */
const keptLengthMax = 262_144

/**
 * A list to which offsets are added, and from which they are taken as an array of exact length.
 *
 * A growing array leaves its smaller versions to the garbage collector: splitting a head of 1 MB left 10 MB, which were
 * collected much later; now it takes 1.5 MB in total (Node 24.21, 2026-11-21).
 */
export class OffsetList {
  length = 0
  #offsets = new Uint32Array(startLength)

  push(offset: number): void {
    if (this.length === this.#offsets.length) {
      const roomy = new Uint32Array(2 * this.length)
      roomy.set(this.#offsets)
      this.#offsets = roomy
    }
    this.#offsets[this.length++] = offset
  }

  /** The last one, which is no longer in the list. */
  pop(): number | undefined {
    return this.length === 0 ? undefined : this.#offsets[--this.length]
  }

  /** Returns everything added, in a new array, and starts over. */
  take(): Uint32Array {
    const all = this.#offsets.slice(0, this.length)
    this.length = 0
    if (this.#offsets.length > keptLengthMax) this.#offsets = new Uint32Array(startLength)
    return all
  }
}
