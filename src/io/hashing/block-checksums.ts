// Block checksums: a CRC-32 for each block of a file, to verify any range on its own. Knows no dataset.
// For why a CRC and why this block size, see docs/decisions/checked-files.md.
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { throwStoreError } from '../../core/storage-error.ts'
import { readFully } from '../read-bytes.ts'

export const blockBytes = 65_536
const checksumBytes = 4
const readBytesAtOnce = 16 * blockBytes

/** Computes the checksums of a file's blocks as its bytes pass. */
export class BlockChecksums {
  readonly #checksums: number[] = []
  #checksum = 0
  /** Bytes of the current block so far. */
  #blockLength = 0

  update(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      const piece = chunk.subarray(from, from + blockBytes - this.#blockLength)
      this.#checksum = crc32(piece, this.#checksum)
      this.#blockLength += piece.length
      from += piece.length
      if (this.#blockLength === blockBytes) this.#endBlock()
    }
  }

  /** Four bytes per block, big-endian; call once, at the end. Empty for a file of one block, see `checksumsLength`. */
  digest(): Buffer {
    if (this.#blockLength > 0) this.#endBlock()
    const checksums = this.#checksums.length > 1 ? this.#checksums : []
    const bytes = Buffer.alloc(checksums.length * checksumBytes)
    for (const [index, checksum] of checksums.entries()) bytes.writeUInt32BE(checksum, index * checksumBytes)
    return bytes
  }

  #endBlock(): void {
    this.#checksums.push(this.#checksum)
    this.#checksum = 0
    this.#blockLength = 0
  }
}

/** The checksums of a file that has been written and closed. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function checksumsOfFile(path: string): Promise<Buffer> {
  await using file = await open(path, 'r').catch(throwStoreError)
  const { size } = await file.stat()
  if (checksumsLength(size) === 0) return Buffer.alloc(0)
  const checksums = new BlockChecksums()
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytesAtOnce, size))
  for (let position = 0; ; ) {
    const count = await readFully(file, buffer, position)
    if (count === 0) return checksums.digest()
    checksums.update(buffer.subarray(0, count))
    position += count
  }
}

/**
 * Length of the checksums of a file with this many bytes. 0 for a single block: the SHA-256 of the file verifies it
 * just as quickly, so small datasets need no checksums.
 */
export function checksumsLength(fileBytes: number): number {
  return fileBytes <= blockBytes ? 0 : Math.ceil(fileBytes / blockBytes) * checksumBytes
}

/** The checksum of the block at an index. */
export function checksumAt(checksums: Buffer, index: number): number {
  return checksums.readUInt32BE(index * checksumBytes)
}
