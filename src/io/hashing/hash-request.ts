// Hash request: the requests to the hash thread, and its answers.
import type { Digest } from './file-digest.ts'

export interface HashRequest {
  /** `add` and `end` are answered in the order in which they are sent; `drop` is not answered. */
  readonly kind: 'add' | 'end' | 'drop'
  readonly file: number
  /** Offset of the added bytes in the shared memory. */
  readonly at: number
  /** Number of added bytes. */
  readonly bytes: number
}

/** In the digest, the `Buffer` has become a `Uint8Array` in transit. */
export type HashAnswer = 'added' | (Omit<Digest, 'checksums'> & { readonly checksums: Uint8Array })
