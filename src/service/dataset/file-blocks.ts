// File blocks: the expected checksum of each block of a stored file, and streams that fail before sending a wrong block. Knows no store.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { ServiceError } from '../../core/errors.ts'
import type { StoredFile } from '../../core/stored-files.ts'
import { blockBytes, checksumAt } from '../../io/hashing/block-checksums.ts'
import type { ByteRange } from '../service.ts'

/** The blocks of one file. */
export class FileBlocks {
  readonly file: StoredFile
  readonly #checksums: Buffer

  /** @param checksums Those of this file; empty if it has one block. */
  constructor(file: StoredFile, checksums: Buffer) {
    this.file = file
    this.#checksums = checksums
  }

  /** @throws {ServiceError} DATASET_DAMAGED if the bytes are not those that were stored */
  verify(index: number, block: Uint8Array): void {
    const { file, sha256 } = this.file
    // The whole file is one block.
    if (this.#checksums.length === 0) {
      const seen = hash('sha256', block, 'hex')
      if (seen !== sha256) throw damaged(this.file, `'${file}' has SHA-256 ${seen}, expected ${sha256}`)
      return
    }
    const [seen, wanted] = [crc32(block), checksumAt(this.#checksums, index)]
    if (seen === wanted) return
    throw damaged(this.file, `block ${index} of '${file}' has CRC-32 ${hex(seen)}, expected ${hex(wanted)}`)
  }
}

/** With a cause, it is also logged as an error. */
export function damaged({ file }: StoredFile, cause: unknown): ServiceError {
  return new ServiceError('DATASET_DAMAGED', { name: file }, typeof cause === 'string' ? new Error(cause) : cause)
}

/** The smallest range of whole blocks that contains a range. */
export function blocksAround({ start, end }: ByteRange, { bytes }: StoredFile): ByteRange {
  return { start: start - (start % blockBytes), end: Math.min(bytes, Math.ceil(end / blockBytes) * blockBytes) }
}

/**
 * The bytes of a range; each block is verified before any of it is passed on.
 *
 * @param source The bytes of `blocksAround` that range, in chunks of any size.
 */
export async function* verifiedBytes(
  source: AsyncIterable<Uint8Array>,
  blocks: FileBlocks,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = start - (start % blockBytes)
  for await (const bytes of inBlocks(source)) {
    for (let from = 0; from < bytes.length; from += blockBytes) {
      blocks.verify((at + from) / blockBytes, bytes.subarray(from, from + blockBytes))
    }
    const [from, to] = [Math.max(0, start - at), Math.min(bytes.length, end - at)]
    at += bytes.length
    yield from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to)
  }
  if (at < end) throw damaged(blocks.file, `'${blocks.file.file}' has ${at} bytes, expected ${blocks.file.bytes}`)
}

/** The same bytes in whole blocks, the last of which may be shorter. A chunk of whole blocks is passed on as it is. */
async function* inBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block: Buffer | null = null
  let length = 0
  for await (const chunk of source) {
    if (length === 0 && chunk.length > 0 && chunk.length % blockBytes === 0) {
      yield chunk
      continue
    }
    for (let from = 0; from < chunk.length; ) {
      if (length === 0 && chunk.length - from === blockBytes) {
        yield from === 0 ? chunk : chunk.subarray(from)
        break
      }
      block ??= Buffer.allocUnsafeSlow(blockBytes)
      const count = Math.min(blockBytes - length, chunk.length - from)
      block.set(chunk.subarray(from, from + count), length)
      length += count
      from += count
      if (length < blockBytes) continue
      yield block
      block = null
      length = 0
    }
  }
  if (block !== null) yield block.subarray(0, length)
}

function hex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}
