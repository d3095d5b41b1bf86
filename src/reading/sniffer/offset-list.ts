// Offset list: gathers numbers whose count is not known before, in memory that is used again. Knows nothing of what they mean.

const startLength = 4_096
/** Memory for more numbers is not kept: 1 MB. */
const keptLengthMax = 262_144

/**
 * A list to which offsets are added, and from which they are taken as an array of just their count.
 *
 * An array that grows leaves what it has outgrown to the garbage collector: cutting a head of 1 MB left 10 MB, which was
 * collected much later; now it takes 1.5 MB in all (Node 24.21, 2026-11-21).
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

  /** The last one, which is none of the list's any more. */
  pop(): number | undefined {
    return this.length === 0 ? undefined : this.#offsets[--this.length]
  }

  /** Gives all that was added, for keeps, and begins anew. */
  take(): Uint32Array {
    const all = this.#offsets.slice(0, this.length)
    this.length = 0
    if (this.#offsets.length > keptLengthMax) this.#offsets = new Uint32Array(startLength)
    return all
  }
}
