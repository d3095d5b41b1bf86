// Scratch buffer: copies that are valid for a while only, so that their memory can be used again. Knows nothing of records.

/** Larger memory is not kept for the next copies. */
const keptBytesMax = 262_144
const keptBytesMin = 1024

/**
 * Copies bytes into memory of its own. What was copied since the last reset stays as it is. Without it a file of odd
 * records left 64 KB to the garbage collector for each 64 KB, see core/byte-stream.ts.
 */
export class ScratchBuffer {
  /** Where the last copy is. */
  block = new Uint8Array(0)
  #used = 0

  /** Gives where in `block` the copy begins. */
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

  /** Lets go of all copies. */
  reset(): void {
    this.#used = 0
    if (this.block.length > keptBytesMax) this.block = new Uint8Array(0)
  }
}
