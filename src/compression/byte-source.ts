// Byte source: bytes that arrive in slices and are taken in any amounts. Copies only what is requested by number.

import { type BorrowedBytes, viewOf } from '../core/borrowed-bytes.ts'

/** Reads slices that are valid until the next ones are requested. */
export class ByteSource {
  readonly #chunks: AsyncIterator<readonly BorrowedBytes[]>
  #slices: readonly BorrowedBytes[] = []
  #next = 0
  #current: Uint8Array = new Uint8Array(0)
  /** Bytes that have arrived, taken or not. */
  given = 0

  constructor(chunks: AsyncIterable<readonly BorrowedBytes[]>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** What is available without waiting, at least one byte; null at the end. It stays until it is taken. */
  async peek(): Promise<Uint8Array | null> {
    while (this.#current.length === 0) {
      const slice = this.#slices[this.#next]
      if (slice !== undefined) {
        this.#current = viewOf(slice)
        this.#next += 1
        this.given += slice.length
        continue
      }
      const { done, value } = await this.#chunks.next()
      if (done) return null
      this.#slices = value
      this.#next = 0
    }
    return this.#current
  }

  /** Takes this many of the bytes from `peek`. */
  take(count: number): void {
    this.#current = this.#current.subarray(count)
  }

  /** Takes this many bytes; fewer if the source ends. */
  async read(count: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(count)
    let length = 0
    for (let there = await this.peek(); there !== null && length < count; there = await this.peek()) {
      const part = there.subarray(0, count - length)
      bytes.set(part, length)
      length += part.length
      this.take(part.length)
      if (length === count) break
    }
    return bytes.subarray(0, length)
  }

  /** Takes this many bytes, or all there are; returns how many. */
  async skip(bytesMax = Number.POSITIVE_INFINITY): Promise<number> {
    let count = 0
    while (count < bytesMax) {
      const there = await this.peek()
      if (there === null) break
      const bytes = Math.min(there.length, bytesMax - count)
      count += bytes
      this.take(bytes)
    }
    return count
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
