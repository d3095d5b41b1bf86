// File chunks: reads a file in slices. Knows nothing of what the bytes mean.
import { open } from 'node:fs/promises'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'

const readBytes = 262_144

/** A file from an offset on, or a part of it, in slices. @param end Of what is read, if the file may still grow. */
export async function* fileChunks(
  path: string,
  byteOffset: number,
  signal: AbortSignal,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly BorrowedBytes[]> {
  await using file = await open(path, 'r')
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(readBytes, end - byteOffset)))
  try {
    for (let position = byteOffset; position < end; ) {
      signal.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - position), position)
      if (bytesRead === 0) return
      position += bytesRead
      yield [buffer.subarray(0, bytesRead)]
    }
  } finally {
    // Released immediately, see docs/decisions/memory-of-a-body.md.
    buffer.buffer.transfer(0)
  }
}
