// Local file: verifies a stored file at a local path, as a whole or where it is read. Knows no store.
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import type { StoredFile } from '../../core/stored-files.ts'
import { blockBytes } from '../../io/hashing/block-checksums.ts'
import { type ReadBytes, readFully, readsOf } from '../../io/read-bytes.ts'
import { blocksAround, damaged, type FileBlocks } from './file-blocks.ts'

const readBytesAtOnce = 16 * blockBytes

/**
 * Distinguishes a file from another one, or from itself after a write. A hard link changes ctime, so ctime is left out.
 */
export interface FileStamp {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/**
 * The stamp of a file of the right size. @throws {ServiceError} DATASET_DAMAGED if it is missing or has another size
 */
export async function stampOf(file: StoredFile, path: string): Promise<FileStamp> {
  await using handle = await openStored(file, path)
  return await stampOfOpen(file, handle)
}

/** Reads the whole file. @throws {ServiceError} DATASET_DAMAGED */
export async function verifyLocal(path: string, blocks: FileBlocks): Promise<void> {
  const { file } = blocks
  await using handle = await openStored(file, path)
  await stampOfOpen(file, handle)
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytesAtOnce, file.bytes))
  for (let position = 0; position < file.bytes; position += buffer.length) {
    const wanted = buffer.subarray(0, file.bytes - position)
    const count = await readFully(handle, wanted, position)
    verifyBlocks(blocks, position, wanted.subarray(0, count), wanted.length)
  }
}

/** Reads of a file that fail where a block differs from what was stored; until disposed. */
export interface LocalReads extends AsyncDisposable {
  readonly read: ReadBytes
}

/** @throws {ServiceError} DATASET_DAMAGED if it is missing */
export async function openLocalReads(path: string, blocks: FileBlocks): Promise<LocalReads> {
  const { file } = blocks
  const handle = await openStored(file, path)
  return { read: verifiedReads(readsOf(handle), blocks), [Symbol.asyncDispose]: () => handle.close() }
}

/** The same reads; they fail with DATASET_DAMAGED where a block differs from what was stored. */
export function verifiedReads(read: ReadBytes, blocks: FileBlocks): ReadBytes {
  const { file } = blocks
  return async (position, length) => {
    const end = Math.min(position + length, file.bytes)
    if (end <= position) return Buffer.alloc(0)
    const around = blocksAround({ start: position, end }, file)
    const bytes = await read(around.start, around.end - around.start)
    verifyBlocks(blocks, around.start, bytes, around.end - around.start)
    return bytes.subarray(position - around.start, end - around.start)
  }
}

/** Verifies whole blocks read from a position, of which `length` bytes were requested. */
function verifyBlocks(blocks: FileBlocks, position: number, bytes: Uint8Array, length: number): void {
  if (bytes.length < length) throw damaged(blocks.file, `'${blocks.file.file}' ends at byte ${position + bytes.length}`)
  for (let from = 0; from < length; from += blockBytes) {
    blocks.verify((position + from) / blockBytes, bytes.subarray(from, from + blockBytes))
  }
}

async function openStored(file: StoredFile, path: string): Promise<FileHandle> {
  return await open(path, 'r').catch((error) => {
    throw errorCode(error) === 'ENOENT' ? damaged(file, error) : toStoreError(error)
  })
}

async function stampOfOpen(file: StoredFile, handle: FileHandle): Promise<FileStamp> {
  const { dev, ino, size, mtimeMs } = await handle.stat().catch(throwStoreError)
  if (size !== file.bytes) throw damaged(file, `'${file.file}' has ${size} bytes, wanted ${file.bytes}`)
  return { dev, ino, size, mtimeMs }
}
