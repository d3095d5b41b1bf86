// Checksum line: bytes with their SHA-256 before them, so that a file that was torn or damaged is not taken for what it was.
import { createHash } from 'node:crypto'

const checksumBytes = 32

/** The bytes to write. */
export function withChecksum(bytes: Uint8Array): Buffer {
  return Buffer.concat([checksum(bytes), bytes])
}

/** What `withChecksum` was given; null when this is not what it gave. */
export function withoutChecksum(written: Buffer): Buffer | null {
  const bytes = written.subarray(checksumBytes)
  return written.length >= checksumBytes && checksum(bytes).equals(written.subarray(0, checksumBytes)) ? bytes : null
}

function checksum(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
