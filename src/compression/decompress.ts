// Decompress: decompresses a file to its text as it arrives, within limits. Knows nothing of CSV, uploads or stores.
import type { BorrowedBytes } from '../core/borrowed-bytes.ts'
import { releaseChunk } from '../core/byte-stream.ts'
import { ServiceError } from '../core/errors.ts'
import type { CompressionFormat } from '../core/receipt.ts'
import { ByteSource } from './byte-source.ts'
import { gunzip } from './gzip.ts'
import { createSpending, DamagedData, type DecompressLimits } from './limits.ts'
import { cut, type StreamEnd } from './zlib-stream.ts'
import { unzstd } from './zstd.ts'

export type { DecompressLimits, StreamEnd }

const formatNames: Readonly<Record<CompressionFormat, string>> = { gzip: 'gzip', zstd: 'Zstandard' }

/**
 * Yields the text of a file in slices that are valid until the next ones are requested; returns how the file ended.
 * Requests no more of the file until the text so far has been taken.
 *
 * @throws {ServiceError} DECOMPRESSED_TOO_LARGE, COMPRESSED_TOO_MUCH; NOT_READABLE if the data is damaged, or ends
 * before any text; EMPTY_FILE if the text is empty; and what `chunks` throws.
 */
export async function* decompress(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  format: CompressionFormat,
  limits: DecompressLimits,
): AsyncGenerator<readonly Uint8Array[], StreamEnd> {
  const source = new ByteSource(chunks)
  const spending = createSpending(limits, source)
  const texts = format === 'gzip' ? gunzip(source, spending) : unzstd(source, spending)
  try {
    let next = await texts.next()
    for (; !next.done; next = await texts.next()) {
      spending.addText(next.value.length)
      yield [next.value]
      // It has been taken by now; leave a slice alone if zlib continues with its buffer.
      releaseChunk(next.value)
    }
    if (spending.textBytes() > 0) return next.value
    throw next.value.isCut ? new DamagedData('it ends before any text') : new ServiceError('EMPTY_FILE', {})
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error
    const problem = `it is compressed with ${formatNames[format]}, and ${error.message}`
    throw new ServiceError('NOT_READABLE', { problem }, error)
  } finally {
    await texts.return(cut)
    await source.close()
  }
}
