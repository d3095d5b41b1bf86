// Checksum line: prefixes bytes with their SHA-256, so that a torn or damaged file is recognized. Knows no files.
import { createHash } from 'node:crypto'

const checksumBytes = 32

/** The bytes to write. */
export function withChecksum(bytes: Uint8Array): Buffer {
  return Buffer.concat([checksum(bytes), bytes])
}

/** The text given to `withChecksum`; null if the bytes are anything else. */
export function withoutChecksum(written: Buffer): Buffer | null {
  const bytes = written.subarray(checksumBytes)
  return written.length >= checksumBytes && checksum(bytes).equals(written.subarray(0, checksumBytes)) ? bytes : null
}

function checksum(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
