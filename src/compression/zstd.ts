// Zstd: the text of a Zstandard file, frame by frame (RFC 8878).
import { constants, createZstdDecompress } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import { DamagedData, type Spending } from './limits.ts'
import { cut, type Ending, outputBytes, ZlibError, ZlibStream } from './zlib-stream.ts'

/**
 * 8 MB, the least that RFC 8878 section 3.1.1.1.2 recommends for a decoder: the memory of one upload that decompresses.
 */
const windowLogMax = 23

/** Yields the text; returns how the file ended. @throws {DamagedData} */
export async function* unzstd(source: ByteSource, spending: Spending): AsyncGenerator<Uint8Array, Ending> {
  for (let isFirst = true; (await source.peek()) !== null; isFirst = false) {
    spending.addMember()
    const ending = yield* decompressFrames(source, isFirst)
    if (ending !== null) return ending
  }
  return { isCut: false, trailingBytes: 0 }
}

/** Yields the content of a frame, and of following ones that begin with a slice; null if others may follow. */
async function* decompressFrames(source: ByteSource, isFirst: boolean): AsyncGenerator<Uint8Array, Ending | null> {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLogMax }
  const stream = new ZlibStream(createZstdDecompress({ chunkSize: outputBytes, params }))
  let isBehindFrame = !isFirst
  try {
    for (let there = await source.peek(); there !== null; there = await source.peek()) {
      const fed = yield* stream.write(there)
      isBehindFrame = true
      source.take(fed.bytes)
      if (fed.isEnded) return null
    }
    yield* stream.end()
    return null
  } catch (error) {
    if (!(error instanceof ZlibError)) throw error
    // Node calls bytes unknown only where a frame should begin: here after one, although the stream did not end there.
    if (error.code === 'ZSTD_error_prefix_unknown' && isBehindFrame) {
      return { isCut: false, trailingBytes: await source.drain() }
    }
    if (error.code === 'Z_BUF_ERROR') return cut
    throw new DamagedData(problemOf(error.code), error)
  } finally {
    stream.close()
  }
}

function problemOf(code: string | undefined): string {
  switch (code) {
    case 'ZSTD_error_frameParameter_windowTooLarge':
      return 'it needs a window of more than 8 MB; compress it without --long and --ultra'
    case 'ZSTD_error_dictionary_wrong':
      return 'it needs a dictionary; compress it without one'
    case 'ZSTD_error_checksum_wrong':
      return 'its checksum does not match its content'
    default:
      return 'its data cannot be decompressed'
  }
}
