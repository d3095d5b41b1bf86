// Local file: verifies a stored file that lies at a local path, as a whole or where it is read. Knows no store.
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import type { StoredFile } from '../../core/stored-files.ts'
import { blockBytes } from '../../io/block-checksums.ts'
import { type ReadBytes, readFully } from '../../io/read-bytes.ts'
import { blocksAround, damaged, type FileBlocks } from './file-blocks.ts'

const readBytesAtOnce = 16 * blockBytes

/** What tells a file from another one, or from itself after a write. A second name changes ctime, so that is left out. */
export interface FileStamp {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** The stamp of a file of the right size. @throws {ServiceError} DATASET_DAMAGED where it is missing or of another size */
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
    await readBlocks(handle, blocks, position, buffer.subarray(0, file.bytes - position))
  }
}

/** Calls `use` with reads of the file that fail where a block is not what was kept. */
export async function withLocalReads<Result>(
  path: string,
  blocks: FileBlocks,
  use: (read: ReadBytes) => Promise<Result>,
): Promise<Result> {
  await using reads = await openLocalReads(path, blocks)
  return await use(reads.read)
}

/** Reads of a file that fail where a block is not what was kept; until disposed. */
export interface LocalReads extends AsyncDisposable {
  readonly read: ReadBytes
}

/** @throws {ServiceError} DATASET_DAMAGED where it is missing */
export async function openLocalReads(path: string, blocks: FileBlocks): Promise<LocalReads> {
  const { file } = blocks
  const handle = await openStored(file, path)
  return {
    read: async (position, length) => {
      const end = Math.min(position + length, file.bytes)
      if (end <= position) return Buffer.alloc(0)
      const around = blocksAround({ start: position, end }, file)
      const buffer = Buffer.allocUnsafeSlow(around.end - around.start)
      await readBlocks(handle, blocks, around.start, buffer)
      return buffer.subarray(position - around.start, end - around.start)
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Fills the buffer with whole blocks, and verifies them. */
async function readBlocks(handle: FileHandle, blocks: FileBlocks, position: number, buffer: Buffer): Promise<void> {
  const count = await readFully(handle, buffer, position)
  if (count < buffer.length) throw damaged(blocks.file, `'${blocks.file.file}' ends at byte ${position + count}`)
  for (let from = 0; from < buffer.length; from += blockBytes) {
    blocks.verify((position + from) / blockBytes, buffer.subarray(from, from + blockBytes))
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
