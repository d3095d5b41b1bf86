// Merged Parquet: the parts of a dataset as one file, created once, kept within a size limit, and recreated if removed.
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ByteStream, byteStream, fileStream } from '../../core/byte-stream.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import type { PartReader } from '../../engine/part-reader.ts'
import { BlockChecksums } from '../../io/hashing/block-checksums.ts'
import { hashStream } from '../../io/hashing/hash-stream.ts'
import { SingleFlight } from '../../io/single-flight.ts'
import type { DatasetVersion, Store } from '../../store/store.ts'
import type { ByteRange } from '../service.ts'
import { blocksAround, FileBlocks, verifiedBytes } from './file-blocks.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface MergedParquetOptions {
  /** A directory for these files only, on the file system of the datasets; created if it does not exist. */
  readonly dir: string
  /** Total size of all files in it. */
  readonly bytesMax: number
  readonly store: Pick<Store, 'draft' | 'keep' | 'kept' | 'ownerOf'>
  readonly files: Pick<VerifiedFiles, 'withLocal'>
  readonly reader: Pick<PartReader, 'merge'>
}

/** A merged file as it was when requested. */
export interface MergedFile {
  readonly bytes: number
  readonly sha256: string
  /** Bytes of a range; each block is verified before it is sent. If the file has been removed, it is recreated. */
  open(range: ByteRange, signal: AbortSignal): Promise<ByteStream>
}

/** The files in the directory. */
interface Entry {
  readonly bytes: number
  /** Null until they have been read after the start. */
  blocks: FileBlocks | null
}

/**
 * Stored with the dataset. Raise the number if the same parts would be merged to another file for a reason other than
 * an update of DuckDB.
 */
const factsName = 'merged-1.json'
const fileName = /^([0-9a-f]{32})\.parquet$/

export class MergedParquet {
  readonly #options: MergedParquetOptions
  /** Files by dataset, the most recently used last. */
  readonly #entries = new Map<string, Entry>()
  readonly #making = new SingleFlight<FileBlocks | null>()
  #totalBytes = 0

  private constructor(options: MergedParquetOptions) {
    this.#options = options
  }

  /** Finds what an earlier start has left; removes files that belong to no dataset or exceed the limit. */
  static async open(options: MergedParquetOptions): Promise<MergedParquet> {
    const merged = new MergedParquet(options)
    const { dir, store } = options
    await mkdir(dir, { recursive: true, mode: 0o700 }).catch(throwStoreError)
    const found: { id: string; bytes: number; modifiedMs: number }[] = []
    for (const name of await readdir(dir).catch(throwStoreError)) {
      const id = fileName.exec(name)?.[1]
      const isWanted = id !== undefined && (await store.ownerOf(id)) !== null
      const { size, mtimeMs } = await stat(join(dir, name)).catch(throwStoreError)
      if (isWanted) found.push({ id, bytes: size, modifiedMs: mtimeMs })
      else await rm(join(dir, name), { recursive: true, force: true })
    }
    for (const { id, bytes } of found.toSorted((a, b) => a.modifiedMs - b.modifiedMs)) merged.#add(id, bytes, null)
    await merged.#makeRoom(0)
    return merged
  }

  /**
   * The parts of a dataset as one file; null if that is larger than the limit.
   * @throws {ServiceError} DATASET_NOT_FOUND, DATASET_DAMAGED, CONVERSION_FAILED, DISK_FULL, STORE_UNAVAILABLE
   */
  async file(receipt: Receipt, signal: AbortSignal): Promise<MergedFile | null> {
    const blocks = await this.#blocks(receipt, signal)
    if (blocks === null) return null
    const { bytes, sha256 } = blocks.file
    return { bytes, sha256, open: (range, one) => this.#read(receipt, blocks, range, one) }
  }

  /** Removes the merged file of a dataset. */
  async drop(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    this.#totalBytes -= entry.bytes
    // If that fails, the next start removes it.
    await rm(this.#pathOf(id), { force: true }).catch(() => {})
  }

  async #blocks(receipt: Receipt, signal: AbortSignal): Promise<FileBlocks | null> {
    const partBytes = receipt.parts.reduce((sum, { bytes }) => sum + bytes, 0)
    if (partBytes > this.#options.bytesMax) return null
    const kept = await this.#kept(receipt)
    return kept ?? (await this.#making.run(receipt.id, (shared) => this.#make(receipt, shared), signal))
  }

  /** The facts of the existing file; null if there is none, or it has changed. */
  async #kept(of: DatasetVersion): Promise<FileBlocks | null> {
    const { id } = of
    const entry = this.#entries.get(id)
    if (entry === undefined) return null
    entry.blocks ??= parseFacts(await this.#options.store.kept(of, factsName))
    if (entry.blocks?.file.bytes !== entry.bytes) {
      await this.drop(id)
      return null
    }
    if (this.#entries.delete(id)) this.#entries.set(id, entry)
    return entry.blocks
  }

  async #make(receipt: Receipt, signal: AbortSignal): Promise<FileBlocks | null> {
    const { store, files, reader, bytesMax } = this.#options
    const { id, parts } = receipt
    await using draft = await store.draft()
    const path = join(draft.dir, 'merged.parquet')
    await files.withLocal(receipt, parts, (paths) => {
      const local = paths.map((one) => ({ path: one }))
      return reader.merge(local, path, signal)
    })
    const { blocks, facts } = await factsOf(path)
    if (blocks.file.bytes > bytesMax) return null
    await this.drop(id)
    await this.#makeRoom(blocks.file.bytes)
    // The facts first: a file without them would have to be recreated.
    await store.keep(receipt, factsName, facts)
    await rename(path, this.#pathOf(id)).catch(throwStoreError)
    this.#add(id, blocks.file.bytes, blocks)
    // Others may have taken the room in the meantime.
    await this.#makeRoom(0)
    // The dataset was deleted in the meantime: nothing of it may stay.
    if ((await store.ownerOf(id)) === null) await this.drop(id)
    return blocks
  }

  async #read(receipt: Receipt, blocks: FileBlocks, range: ByteRange, signal: AbortSignal): Promise<ByteStream> {
    const { file } = blocks
    const path = this.#pathOf(receipt.id)
    const handle = await open(path, 'r').catch(async (error) => {
      if (errorCode(error) !== 'ENOENT') throw toStoreError(error)
      await this.drop(receipt.id)
      const again = await this.#blocks(receipt, signal)
      if (again?.file.sha256 !== file.sha256) throw new ServiceError('CONVERSION_FAILED', {}, error)
      return await open(path, 'r').catch(throwStoreError)
    })
    const source = fileStream(handle, blocksAround(range, file))
    return byteStream(this.#verified(receipt.id, verifiedBytes(source, blocks, range)), () =>
      source[Symbol.asyncDispose](),
    )
  }

  /** Drops a damaged file, so that the next request recreates it. */
  async *#verified(id: string, bytes: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* bytes
    } catch (error) {
      if (isServiceError(error, 'DATASET_DAMAGED')) await this.drop(id)
      throw error
    }
  }

  #add(id: string, bytes: number, blocks: FileBlocks | null): void {
    this.#entries.set(id, { bytes, blocks })
    this.#totalBytes += bytes
  }

  /** Removes the least recently used files until this many more bytes fit. */
  async #makeRoom(bytes: number): Promise<void> {
    while (this.#totalBytes + bytes > this.#options.bytesMax) {
      const [oldest] = this.#entries.keys()
      if (oldest === undefined) return
      await this.drop(oldest)
    }
  }

  #pathOf(id: string): string {
    return join(this.#options.dir, `${id}.parquet`)
  }
}

/** Reads a new file and returns its block checksums; `facts` is the same as bytes to store. */
async function factsOf(path: string): Promise<{ readonly blocks: FileBlocks; readonly facts: Buffer }> {
  const checksums = new BlockChecksums()
  const source = fileStream(await open(path, 'r').catch(throwStoreError), { start: 0, end: Number.POSITIVE_INFINITY })
  const hashed = await hashStream(source, (chunk) => checksums.update(chunk)).catch(throwStoreError)
  const digest = checksums.digest()
  const facts = Buffer.from(JSON.stringify({ ...hashed, checksums: digest.toString('base64') }))
  return { blocks: new FileBlocks({ file: 'data.parquet', ...hashed }, digest), facts }
}

function parseFacts(kept: Buffer | null): FileBlocks | null {
  if (kept === null) return null
  // Only `factsOf` writes this, and its checksum is right.
  const { bytes, sha256, checksums } = JSON.parse(kept.toString()) as {
    bytes: number
    sha256: string
    checksums: string
  }
  return new FileBlocks({ file: 'data.parquet', bytes, sha256 }, Buffer.from(checksums, 'base64'))
}
