// Read bytes: reads ranges of a file at any position. Knows nothing of what it holds.
import { closeSync, openSync, readSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { throwStoreError } from '../core/storage-error.ts'

/** Reads bytes of a file from a position on; fewer than requested only at its end. */
export type ReadBytes = (position: number, length: number) => Promise<Uint8Array>

/** Calls `use` with a reader of the file. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function withReads<Result>(path: string, use: (read: ReadBytes) => Promise<Result>): Promise<Result> {
  await using file = await open(path, 'r').catch(throwStoreError)
  return await use(readsOf(file))
}

/**
 * The same for a file that has just been written. A small one is read on this thread: the system still has it in
 * memory, and handing a call to another thread takes longer than the call.
 */
export async function withReadsOfWritten<Result>(
  path: string,
  bytes: number,
  use: (read: ReadBytes) => Promise<Result>,
): Promise<Result> {
  if (bytes > readAtOnceMax) return await withReads(path, use)
  const file = orStoreError(() => openSync(path, 'r'))
  try {
    return await use(async (position, length) => {
      const buffer = Buffer.alloc(length)
      const count = orStoreError(() => readFullySync(file, buffer, position))
      return buffer.subarray(0, count)
    })
  } finally {
    closeSync(file)
  }
}

/** If a file is longer, the system may have evicted its beginning from memory. Bytes. */
const readAtOnceMax = 16_777_216

function orStoreError<Result>(call: () => Result): Result {
  try {
    return call()
  } catch (error) {
    return throwStoreError(error)
  }
}

/** Like `readFully`, on this thread. */
export function readFullySync(file: number, buffer: Uint8Array, position: number): number {
  for (let count = 0; ; ) {
    const read = readSync(file, buffer, count, buffer.length - count, position + count)
    count += read
    if (read === 0 || count === buffer.length) return count
  }
}

/** Reads from an open file. */
export function readsOf(file: FileHandle): ReadBytes {
  return async (position, length) => {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, await readFully(file, buffer, position))
  }
}

/** The same reads, each of at least this many bytes at once, so that reads close to each other share one. */
export function readAhead(read: ReadBytes, bytesMin: number): ReadBytes {
  let start = 0
  let held: Uint8Array = Buffer.alloc(0)
  return async (position, length) => {
    if (position < start || position + length > start + held.length) {
      held = await read(position, Math.max(length, bytesMin))
      start = position
    }
    return held.subarray(position - start, position - start + length)
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
