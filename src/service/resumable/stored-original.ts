// Stored original: the original of a file whose bytes are already on disk: only hashed, and never written again.
import { link } from 'node:fs/promises'
import { type BorrowedBytes, viewOf } from '../../core/borrowed-bytes.ts'
import { type Digest, OwnDigest } from '../../io/hashing/file-digest.ts'
import { type Original, OriginalWriter } from '../upload/original-writer.ts'

/**
 * Makes the file at `from`, which may still grow, the original at `path` by a second name. Where the file system does
 * not support that, the bytes are copied as they pass.
 *
 * @param from Durable by the time its last chunk is passed.
 */
export async function linkedOriginal(from: string, path: string): Promise<Original> {
  try {
    await link(from, path)
  } catch {
    return await OriginalWriter.create(path)
  }
  return new StoredOriginal(path)
}

class StoredOriginal implements Original {
  readonly path: string
  bytes = 0
  readonly #digest = new OwnDigest()

  constructor(path: string) {
    this.path = path
  }

  get readableBytes(): number {
    return this.bytes
  }

  async write(slices: readonly BorrowedBytes[]): Promise<void> {
    for (const slice of slices) {
      const bytes = viewOf(slice)
      this.#digest.add(bytes)
      this.bytes += bytes.length
    }
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  async digest(): Promise<Digest> {
    return this.#digest.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
