// Compression: the formats that a file may be compressed in, found by its first bytes. Knows nothing of CSV, uploads or stores.

import type { CompressionFormat } from '../core/receipt.ts'

/** Number of bytes needed to recognize a format. */
export const signatureBytes = 4

/** The compression of a file that begins with these bytes; null for any other format. */
export function compressionOf(start: Uint8Array): CompressionFormat | null {
  if (start.length < signatureBytes) return null
  if (isGzipMember(start)) return 'gzip'
  return isZstdFrame(start) ? 'zstd' : null
}

/** RFC 1952 section 2.3.1: the two magic bytes, and deflate, the only method; or the beginning of them. */
export function isGzipMember(start: Uint8Array): boolean {
  return begins(start, [0x1f, 0x8b, 0x08])
}

/** RFC 8878 section 3.1: the magic number of a data frame or a skippable frame; or the beginning of it. */
export function isZstdFrame(start: Uint8Array): boolean {
  return begins(start, [0x28, 0xb5, 0x2f, 0xfd]) || begins(start, [0x50 | ((start[0] ?? 0) & 15), 0x2a, 0x4d, 0x18])
}

/** True if these bytes agree with a signature as far as they go: a file may end within it. */
function begins(start: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => byte === (start[at] ?? byte))
}
