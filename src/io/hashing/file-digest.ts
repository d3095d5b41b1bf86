// File digest: the SHA-256 and the block checksums of a file as its bytes pass, on this thread or another.
import { createHash } from 'node:crypto'
import { BlockChecksums } from './block-checksums.ts'

export interface Digest {
  /** Lower-case hex. */
  readonly sha256: string
  /** Checksums of the blocks, see BlockChecksums. */
  readonly checksums: Buffer
}

export interface FileDigest extends Disposable {
  /** Adds the next bytes. Null if their memory may be reused immediately; else resolves when it may, even on failure. */
  add(bytes: Uint8Array): Promise<void> | null
  /** The digest of everything added; call once. @throws {ServiceError} STORE_FAILED if the hash thread has ended. */
  end(): Promise<Digest> | Digest
}

/** Computes the digest on this thread. */
export class OwnDigest implements FileDigest {
  readonly #hash = createHash('sha256')
  readonly #checksums = new BlockChecksums()

  add(bytes: Uint8Array): null {
    this.#hash.update(bytes)
    this.#checksums.update(bytes)
    return null
  }

  end(): Digest {
    return { sha256: this.#hash.digest('hex'), checksums: this.#checksums.digest() }
  }

  [Symbol.dispose](): void {}
}
