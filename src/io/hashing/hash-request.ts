// Hash request: what is asked of the hash thread, and what it answers.
import type { Digest } from './file-digest.ts'

export interface HashRequest {
  /** `add` and `end` are answered, in the order in which they are sent; `drop` is not. */
  readonly kind: 'add' | 'end' | 'drop'
  readonly file: number
  /** Of the added bytes: where in the shared memory they begin, and their number. */
  readonly at: number
  readonly bytes: number
}

/** The digest may have lost the class of its buffer on the way. */
export type HashAnswer = 'added' | (Omit<Digest, 'checksums'> & { readonly checksums: Uint8Array })
