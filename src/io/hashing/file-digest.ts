// File digest: the SHA-256 and the block checksums of a file while its bytes pass, whichever thread computes them.
import { createHash } from 'node:crypto'
import { BlockChecksums } from './block-checksums.ts'

export interface Digest {
  /** Lower-case hex. */
  readonly sha256: string
  /** Of the blocks, see BlockChecksums. */
  readonly checksums: Buffer
}

export interface FileDigest extends Disposable {
  /** Adds what comes next. Null when the memory may be reused at once; else resolves, whatever happens, when it may. */
  add(bytes: Uint8Array): Promise<void> | null
  /** Of everything added; call once. @throws {ServiceError} STORE_FAILED when the thread that computes it has ended. */
  end(): Promise<Digest> | Digest
}

/** Computes it on this thread. */
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
