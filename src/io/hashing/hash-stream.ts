// Hash stream: the length and SHA-256 of bytes that arrive in chunks. The only code that hashes whole stored files.
import { createHash } from 'node:crypto'
import { releaseChunk } from '../../core/byte-stream.ts'

export interface HashedBytes {
  readonly bytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** Hashes bytes on their way to another consumer. */
export class PassingHash {
  readonly #hash = createHash('sha256')
  #bytes = 0

  async *through(chunks: AsyncIterable<readonly Uint8Array[]>): AsyncGenerator<readonly Uint8Array[]> {
    for await (const slices of chunks) {
      for (const slice of slices) {
        this.#hash.update(slice)
        this.#bytes += slice.length
      }
      yield slices
    }
  }

  /** Call once, after the end. */
  digest(): HashedBytes {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }
}

/**
 * Hashes all chunks, and releases each. Before that, `each` is called with it and awaited; then the next is requested.
 */
export async function hashStream(
  source: AsyncIterable<Uint8Array>,
  each: (chunk: Uint8Array) => Promise<void> | void = () => {},
): Promise<HashedBytes> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of source) {
    hash.update(chunk)
    bytes += chunk.length
    await each(chunk)
    releaseChunk(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}
