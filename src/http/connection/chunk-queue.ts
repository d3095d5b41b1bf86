// Chunk queue: chunks of a body that wait for their reader. Does not know where they come from.

/** Chunks of up to this many bytes are joined. */
const smallBytesMax = 1_024
/** Size in bytes of the block in which small chunks are joined. */
const blockBytes = 16_384
/** Overhead in bytes of each chunk: a client may send every byte as a separate chunk. */
const chunkOverheadBytes = 512

interface Queued {
  readonly memory: Uint8Array
  /** Number of its bytes in use. */
  length: number
}

/**
 * Returns chunks in the order in which they were added. Large chunks stay as they are; small ones are joined while they
 * wait.
 */
export class ChunkQueue {
  /** Memory that the waiting chunks take up. */
  bytes = 0
  #queued: Queued[] = []
  /** The last queued block, while small chunks are being joined in it. */
  #block: Queued | null = null

  add(chunk: Uint8Array): void {
    if (chunk.length > smallBytesMax || this.#queued.length === 0) {
      this.#push(chunk, chunk.length)
      this.#block = null
      return
    }
    if (this.#block === null || this.#block.length + chunk.length > blockBytes) {
      this.#block = this.#push(Buffer.allocUnsafeSlow(blockBytes), 0)
    }
    this.#block.memory.set(chunk, this.#block.length)
    this.#block.length += chunk.length
  }

  /** Takes all waiting chunks. */
  take(): readonly Uint8Array[] {
    const queued = this.#queued
    this.#queued = []
    this.bytes = 0
    return queued.map(({ memory, length }) => (length === memory.length ? memory : memory.subarray(0, length)))
  }

  #push(memory: Uint8Array, length: number): Queued {
    const queued = { memory, length }
    this.#queued.push(queued)
    this.bytes += memory.length + chunkOverheadBytes
    return queued
  }
}
