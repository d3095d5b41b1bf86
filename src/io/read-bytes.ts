// Read bytes: reads ranges of a file at any position. Knows nothing of what it holds.
import { type FileHandle, open } from 'node:fs/promises'
import { throwStoreError } from '../core/storage-error.ts'

/** Reads bytes of a file from a position on; fewer than requested only at its end. */
export type ReadBytes = (position: number, length: number) => Promise<Uint8Array>

/** Calls `use` with a reader of the file. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function withReads<Result>(path: string, use: (read: ReadBytes) => Promise<Result>): Promise<Result> {
  await using file = await open(path, 'r').catch(throwStoreError)
  return await use(readsOf(file))
}

/** Reads of an open file. */
export function readsOf(file: FileHandle): ReadBytes {
  return async (position, length) => {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, await readFully(file, buffer, position))
  }
}

/** Reads until the buffer is full or the file ends; returns the number of bytes. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function readFully(file: FileHandle, buffer: Uint8Array, position: number): Promise<number> {
  let count = 0
  while (count < buffer.length) {
    const { bytesRead } = await file.read(buffer, count, buffer.length - count, position + count).catch(throwStoreError)
    if (bytesRead === 0) break
    count += bytesRead
  }
  return count
}
