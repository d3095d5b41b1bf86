// Verified files: returns each stored file of a dataset as it was stored or not at all. Knows nothing of their content.

import { type FileHandle, open } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { type ByteStream, byteStream } from '../../core/byte-stream.ts'
import { isServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import type { StoredFile } from '../../core/stored-files.ts'
import { blockBytes } from '../../io/hashing/block-checksums.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import { type ReadBytes, readFully, readsOf } from '../../io/read-bytes.ts'
import type { DatasetVersion, Store } from '../../store/store.ts'
import type { ByteRange } from '../service.ts'
import { DatasetChecksums } from './dataset-checksums.ts'
import { blocksAround, damaged, type FileBlocks, verifiedBytes } from './file-blocks.ts'

/** Files that can be read until disposed. */
export interface ReadableFiles extends AsyncDisposable {
  /** The local path of one of them, verified now, see `VerifiedFiles`. @throws {ServiceError} DATASET_DAMAGED */
  path(file: StoredFile): Promise<string>
  /** Verified reads of one of them. @throws {ServiceError} DATASET_DAMAGED */
  open(file: StoredFile): Promise<LocalReads>
}

/** Files that stay readable if the dataset is deleted. */
export interface SharedFiles extends ReadableFiles {
  /** A private local directory, for derived files. */
  readonly dir: string
}

/**
 * Files with fewer bytes in total are verified each time before DuckDB reads them, which takes about 40 ms. Of a larger
 * total, a file counts as intact if it was verified within `trustedMs` and has not been written to since. Bytes.
 */
const eachTimeBytesMax = 67_108_864
const trustedMs = 60_000
/** Number of files remembered as intact: some 200 bytes each. */
const verifiedMax = 20_000

/**
 * Streamed bytes are verified block by block before they are sent. DuckDB reads files itself, so those are verified as
 * a whole first: `path` and `withLocal` promise a file that was intact at most `trustedMs` ago. Every method throws
 * DATASET_NOT_FOUND for a dataset that is gone, and DATASET_DAMAGED for a file that is not as it was stored.
 */
export class VerifiedFiles {
  readonly #store: Store
  readonly #checksums: DatasetChecksums
  readonly #nowMs: () => number
  /** When a file was last verified, by dataset, file and stamp; oldest first. */
  readonly #verifiedAtMs = new Map<string, number>()

  /** @param nowMs A monotonic clock, in milliseconds. */
  constructor(store: Store, nowMs: () => number = () => performance.now()) {
    this.#store = store
    this.#checksums = new DatasetChecksums(store)
    this.#nowMs = nowMs
  }

  /** All bytes of a file; each block is verified before any of it is sent. */
  async read(receipt: Receipt, file: StoredFile): Promise<ByteStream> {
    return await this.readRange(receipt, file, { start: 0, end: file.bytes })
  }

  /** Bytes of a range; each block with some of them is verified first. */
  async readRange(receipt: Receipt, file: StoredFile, range: ByteRange): Promise<ByteStream> {
    const blocks = await this.#checksums.blocksOf(receipt, file)
    const source = await this.#store.read(receipt, file.file, blocksAround(range, file))
    return byteStream(verifiedBytes(source, blocks, range), () => source[Symbol.asyncDispose]())
  }

  /** Verified reads of a file, while `use` runs. */
  async withReads<Result>(
    receipt: Receipt,
    file: StoredFile,
    use: (read: ReadBytes) => Promise<Result>,
  ): Promise<Result> {
    const blocks = await this.#checksums.blocksOf(receipt, file)
    await using stored = await this.#store.open(receipt, file.file)
    return await use(verifiedReads(stored.read, blocks))
  }

  /** Local paths of intact files, while `use` runs. */
  async withLocal<Result>(
    receipt: Receipt,
    files: readonly StoredFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const names = files.map(({ file }) => file)
    const blocks = await this.#blocksOf(receipt, files)
    return await this.#store.withLocal(receipt, names, async (paths) => {
      const totalBytes = bytesOf(files)
      for (const [i, one] of blocks.entries()) {
        await this.#verify(receipt.id, one, paths[i] ?? one.file.file, totalBytes)
      }
      return await use(paths)
    })
  }

  /** The files for as long as a client takes: a deletion neither waits for that nor ends it. */
  async share(receipt: Receipt, files: readonly StoredFile[]): Promise<SharedFiles> {
    // Everything that is needed of the dataset later is read now.
    const blocks = await this.#blocksOf(receipt, files)
    const draft = await this.#store.draft()
    const pathOf = ({ file }: StoredFile) =>
      join(draft.dir, 'segments', posix.basename(posix.dirname(file)) + posix.basename(file))
    try {
      await draft.folder('segments')
      const names = files.map(({ file }) => file)
      await this.#store.withLocal(receipt, names, async (paths) => {
        for (const [i, file] of files.entries()) {
          const path = paths[i] ?? file.file
          // A missing file cannot be linked; it is reported as missing.
          await (await openStored(file, path)).close()
          await linkOrCopy(path, pathOf(file))
        }
      })
    } catch (error) {
      await draft[Symbol.asyncDispose]()
      throw error
    }
    const readable = this.#readable(receipt, blocks, pathOf)
    return { dir: draft.dir, ...readable, [Symbol.asyncDispose]: () => draft[Symbol.asyncDispose]() }
  }

  /**
   * The same without derived files: if the storage cannot be written to, nothing can be deleted from it either, so the
   * files are used in place.
   */
  async shareToRead(receipt: Receipt, files: readonly StoredFile[]): Promise<ReadableFiles> {
    try {
      return await this.share(receipt, files)
    } catch (error) {
      if (!isServiceError(error, 'STORE_UNAVAILABLE')) throw error
    }
    const blocks = await this.#blocksOf(receipt, files)
    const names = files.map(({ file }) => file)
    const paths = await this.#store.withLocal(receipt, names, async (local) => local)
    const readable = this.#readable(receipt, blocks, ({ file }) => paths[names.indexOf(file)] ?? file)
    return { ...readable, [Symbol.asyncDispose]: async () => {} }
  }

  /** Compares the SHA-256 of a file, for which no other file is needed. */
  async isIntact(of: DatasetVersion, { file, sha256 }: StoredFile): Promise<boolean> {
    try {
      await using source = await this.#store.read(of, file)
      return (await hashStream(source)).sha256 === sha256
    } catch (error) {
      // Any other failure says nothing about the file.
      if (isServiceError(error, 'DATASET_DAMAGED')) return false
      throw error
    }
  }

  async #blocksOf(receipt: Receipt, files: readonly StoredFile[]): Promise<readonly FileBlocks[]> {
    const blocks: FileBlocks[] = []
    for (const file of files) blocks.push(await this.#checksums.blocksOf(receipt, file))
    return blocks
  }

  #readable(
    receipt: Receipt,
    blocks: readonly FileBlocks[],
    pathOf: (file: StoredFile) => string,
  ): Pick<ReadableFiles, 'path' | 'open'> {
    const totalBytes = bytesOf(blocks.map(({ file }) => file))
    const blocksByName = new Map(blocks.map((one) => [one.file.file, one]))
    const blocksOf = ({ file }: StoredFile): FileBlocks => {
      const found = blocksByName.get(file)
      if (found === undefined) throw new Error(`Cannot read '${file}': it is not among the files that were asked for`)
      return found
    }
    const report = (error: unknown) => this.#reportDamage(receipt, error)
    return {
      path: async (file) => {
        await this.#verify(receipt.id, blocksOf(file), pathOf(file), totalBytes).catch(report)
        return pathOf(file)
      },
      open: async (file) => {
        const handle = await openStored(file, pathOf(file)).catch(report)
        const reads = verifiedReads(readsOf(handle), blocksOf(file))
        const read: ReadBytes = (position, length) => reads(position, length).catch(report)
        return { read, [Symbol.asyncDispose]: () => handle.close() }
      },
    }
  }

  /** Throws the error of a shared file, after the store has seen it: a damaged copy is fetched again next time. */
  async #reportDamage(of: DatasetVersion, error: unknown): Promise<never> {
    if (isServiceError(error, 'DATASET_DAMAGED')) {
      await this.#store.withLocal(of, [], () => Promise.reject(error)).catch(() => {})
    }
    throw error
  }

  /** @param totalBytes Of all files that are used together with this one. */
  async #verify(id: string, blocks: FileBlocks, path: string, totalBytes: number): Promise<void> {
    const { file } = blocks
    await using handle = await openStored(file, path)
    const { dev, ino, size, mtimeMs } = await handle.stat().catch(throwStoreError)
    if (size !== file.bytes) throw damaged(file, `'${file.file}' has ${size} bytes, expected ${file.bytes}`)
    // A hard link changes ctime, so that is left out.
    const key = [id, file.file, dev, ino, mtimeMs].join(' ')
    const now = this.#nowMs()
    const isTrusted = totalBytes > eachTimeBytesMax && now - (this.#verifiedAtMs.get(key) ?? -Infinity) <= trustedMs
    if (isTrusted) return
    await verifyLocal(handle, blocks)
    this.#verifiedAtMs.delete(key)
    this.#verifiedAtMs.set(key, now)
    const [oldest] = this.#verifiedAtMs.keys()
    if (this.#verifiedAtMs.size > verifiedMax && oldest !== undefined) this.#verifiedAtMs.delete(oldest)
  }
}

function bytesOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

const readBytesAtOnce = 16 * blockBytes

/** Reads the whole file. @throws {ServiceError} DATASET_DAMAGED */
async function verifyLocal(handle: FileHandle, blocks: FileBlocks): Promise<void> {
  const { file } = blocks
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytesAtOnce, file.bytes))
  for (let position = 0; position < file.bytes; position += buffer.length) {
    const wanted = buffer.subarray(0, file.bytes - position)
    const count = await readFully(handle, wanted, position)
    verifyBlocks(blocks, position, wanted.subarray(0, count), wanted.length)
  }
}

/** Reads of a file that fail where a block differs from what was stored; until disposed. */
interface LocalReads extends AsyncDisposable {
  readonly read: ReadBytes
}

/** The same reads; they fail with DATASET_DAMAGED where a block differs from what was stored. */
function verifiedReads(read: ReadBytes, blocks: FileBlocks): ReadBytes {
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

/** @throws {ServiceError} DATASET_DAMAGED if it is missing */
async function openStored(file: StoredFile, path: string): Promise<FileHandle> {
  return await open(path, 'r').catch((error) => {
    throw errorCode(error) === 'ENOENT' ? damaged(file, error) : toStoreError(error)
  })
}
