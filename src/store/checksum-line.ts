// Seal: bytes with their SHA-256 before them, so that a file that was torn or damaged is not taken for what it was.
import { createHash } from 'node:crypto'

const sealBytes = 32

/** The bytes to write. */
export function sealed(bytes: Uint8Array): Buffer {
  return Buffer.concat([seal(bytes), bytes])
}

/** What `sealed` was given; null when this is not what it gave. */
export function unsealed(written: Buffer): Buffer | null {
  const bytes = written.subarray(sealBytes)
  return written.length >= sealBytes && seal(bytes).equals(written.subarray(0, sealBytes)) ? bytes : null
}

function seal(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
