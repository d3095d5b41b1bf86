// Compression: the formats that a file may be compressed in, found by its first bytes. Knows nothing of CSV, uploads or stores.

import type { CompressionFormat } from '../core/receipt.ts'

/** Number of bytes needed to recognize a format. */
export const signatureBytes = 4

/** The compression of a file that begins with these bytes; null for any other format. */
export function compressionOf(start: Uint8Array): CompressionFormat | null {
  if (isGzipMember(start)) return 'gzip'
  return isZstdFrame(start) ? 'zstd' : null
}

/** RFC 1952 section 2.3.1: the two magic bytes, and deflate, the only method. */
export function isGzipMember(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b && start[2] === 0x08
}

/** RFC 8878 section 3.1: a data frame, or a skippable frame. */
function isZstdFrame([first = 0, second, third, fourth]: Uint8Array): boolean {
  const isData = first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd
  const isSkippable = first >= 0x50 && first <= 0x5f && second === 0x2a && third === 0x4d && fourth === 0x18
  return isData || isSkippable
}
