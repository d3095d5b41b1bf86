// Chunk queue: chunks of a body that wait for their reader. Knows nothing of where they come from.

/** Chunks up to this size are joined. Bytes. */
const smallBytesMax = 1_024
/** Memory in which small chunks are joined. Bytes. */
const blockBytes = 16_384
/** What a chunk takes beside its bytes: a client may send each byte as a chunk of its own. */
const chunkOverheadBytes = 512

interface Queued {
  readonly memory: Uint8Array
  /** Bytes of it that are used. */
  length: number
}

/** Gives back what was added, in order. Large chunks come as they are; small ones that wait are joined to larger ones. */
export class ChunkQueue {
  /** What all that waits takes of memory. */
  bytes = 0
  #queued: Queued[] = []
  /** The last one, where small chunks are being joined in it. */
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

  /** All that waits. */
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
