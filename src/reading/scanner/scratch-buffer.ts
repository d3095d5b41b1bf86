// Scratch buffer: short-lived copies whose memory is reused. Knows nothing of records.

/** Larger memory is not kept for the next copies. */
const keptBytesMax = 262_144
const keptBytesMin = 1024

/**
 * Copies bytes into memory of its own. Copies stay intact until the next reset. Without it, a file of lenient
 * records left 64 KB of garbage for each 64 KB read, see core/byte-stream.ts.
 */
export class ScratchBuffer {
  /** Start of the last copy. */
  block = new Uint8Array(0)
  #used = 0

  /** Returns the offset in `block` at which the copy begins. */
  copy(bytes: Uint8Array): number {
    if (this.#used + bytes.length > this.block.length) {
      const roomBytes = Math.min(2 * this.block.length, keptBytesMax)
      this.block = new Uint8Array(Math.max(bytes.length, roomBytes, keptBytesMin))
      this.#used = 0
    }
    const start = this.#used
    this.block.set(bytes, start)
    this.#used += bytes.length
    return start
  }

  /** Discards all copies. */
  reset(): void {
    this.#used = 0
    if (this.block.length > keptBytesMax) this.block = new Uint8Array(0)
  }
}
