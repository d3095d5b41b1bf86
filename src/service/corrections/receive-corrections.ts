// Receive corrections: writes a request body to disk, from a form or as it is. Knows nothing of its content.
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { type ReceiveLimits, receiveFile } from '../upload/receive-file.ts'

/**
 * Writes the file in a body, or the body itself, to a new file.
 *
 * @param boundary Null if the body is the file itself.
 * @throws {ServiceError} As `receiveFile` and the chunks of its file.
 */
export async function receiveCorrections(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  boundary: string | null,
  limits: ReceiveLimits,
  path: string,
): Promise<void> {
  const chunks = boundary === null ? bounded(body, limits) : (await receiveFile(body, boundary, limits)).chunks
  await using writer = await BufferedWriter.create(path, { syncEveryBytes: null })
  for await (const slices of chunks) await writer.write(slices)
  if (writer.bytes === 0) throw new ServiceError('EMPTY_FILE', {})
  await writer.close()
}

async function* bounded(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  { fileBytesMax, requestBytesMax }: ReceiveLimits,
): AsyncGenerator<readonly BorrowedBytes[]> {
  const limitBytes = Math.min(fileBytesMax, requestBytesMax)
  let bytes = 0
  for await (const slices of body) {
    bytes += lengthOf(slices)
    if (bytes > limitBytes) throw new ServiceError('FILE_TOO_LARGE', { limitBytes })
    yield slices
  }
}
