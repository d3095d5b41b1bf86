// File-system reads: what is read of a dataset is of one publish, whatever is removed, published and replaced meanwhile.
import { constants, type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type ByteStream, fileStream } from '../../core/byte-stream.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { readsOf } from '../../io/read-bytes.ts'
import type { DatasetIndex } from '../dataset-index.ts'
import { listedReceipts } from '../listed-receipts.ts'
import { isDatasetFile } from '../name-rules.ts'
import { ofPublish } from '../receipt-file.ts'
import type {
  DatasetFile,
  DatasetVersion,
  FileStamp,
  ListPage,
  ListQuery,
  StoredReads,
  StoreLogger,
  TrashedDataset,
} from '../store.ts'
import { type DirectoryIdentity, isMissing, stampOf } from './directory-identity.ts'
import { readReceipt, receiptName } from './fs-draft.ts'
import type { FsPaths } from './fs-paths.ts'

const receiptsAtOnceMax = 32

export interface FsReadsParts {
  readonly paths: FsPaths
  readonly logger: StoreLogger
  readonly place: DirectoryIdentity
  readonly index: DatasetIndex
}

/** The index decides what is visible. */
export class FsReads {
  readonly #parts: FsReadsParts
  readonly #paths: FsPaths
  readonly #index: DatasetIndex
  /** Current users of local paths, by dataset. */
  protected readonly uses = new LocalUses()

  constructor(parts: FsReadsParts) {
    this.#parts = parts
    this.#paths = parts.paths
    this.#index = parts.index
  }

  async receipt(id: string): Promise<Receipt | null> {
    const now = await this.published(id)
    if (now === null) return null
    try {
      const receipt = await readReceipt(this.#paths.dataset(id), id)
      // Otherwise it was removed in the meantime, and perhaps published again: retry with what is there now.
      return this.isThere(now) ? ofPublish(receipt, now.publish) : await this.receipt(id)
    } catch (error) {
      if (!this.isThere(now)) return await this.receipt(id)
      if (errorCode(error) !== undefined && !isMissing(error)) throw toStoreError(error)
      // Damaged in the meantime, unless the directory is gone: it must not look as if it had never existed.
      await this.#parts.place.check()
      throw new ServiceError('DATASET_DAMAGED', { name: receiptName }, error)
    }
  }

  async list(query: ListQuery): Promise<ListPage> {
    return await listedReceipts(this.#index, query, {
      read: (id) => (query.isTrash ? this.#trashedReceipt(id) : this.receipt(id)),
      check: async (error) => {
        if (isServiceError(error, 'TOO_MANY_OPEN_FILES')) throw error
        // An empty list because the directory is gone would be wrong.
        await this.#parts.place.check()
      },
      readsAtOnceMax: receiptsAtOnceMax,
      logger: this.#parts.logger,
    })
  }

  async #trashedReceipt(id: string): Promise<Receipt | null> {
    const trashed = await this.trashed(id)
    return trashed === null ? null : await readReceipt(this.#paths.trashed(trashed), id)
  }

  async trashed(id: string): Promise<TrashedDataset | null> {
    const { owner = '', trashedAt = null } = this.#index.get(id) ?? {}
    return trashedAt === null ? null : { id, owner, trashedAt }
  }

  async read(
    of: DatasetVersion,
    file: DatasetFile,
    range?: Readonly<{ start: number; end: number }>,
  ): Promise<ByteStream> {
    return fileStream(await this.#open(of, file), range ?? { start: 0, end: Number.POSITIVE_INFINITY })
  }

  async open(of: DatasetVersion, file: DatasetFile): Promise<StoredReads> {
    const handle = await this.#open(of, file)
    return { read: readsOf(handle), [Symbol.asyncDispose]: () => handle.close() }
  }

  async stamp(of: DatasetVersion, file: DatasetFile): Promise<FileStamp | null> {
    const now = await this.#now(of)
    const stamp = await stampOf(this.#filePath(now, file))
    if (!this.isThere(now)) throw notFound(now)
    return stamp
  }

  async #open(of: DatasetVersion, file: DatasetFile): Promise<FileHandle> {
    const now = await this.#now(of)
    const path = this.#filePath(now, file)
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(async (error) => {
      if (!this.isThere(now)) throw notFound(now)
      if (!isMissing(error)) throw toStoreError(error)
      // Only this file is missing, unless the whole directory is gone.
      await this.#parts.place.check()
      throw new ServiceError('DATASET_DAMAGED', { name: file }, error)
    })
    if (this.isThere(now)) return handle
    // Removed or replaced in the meantime: the file may be of another publish.
    await handle.close()
    throw notFound(now)
  }

  async withLocal<Result>(
    of: DatasetVersion,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    return await this.uses.during(of.id, async () => use(files.map((file) => this.#filePath(of, file))))
  }

  async published(id: string): Promise<Required<DatasetVersion> | null> {
    const version = this.#index.version(id)
    return version === null ? null : { id, publish: String(version) }
  }

  /** True if that publish is in its place now. */
  protected isThere({ id, publish }: DatasetVersion): boolean {
    const version = this.#index.version(id)
    return version !== null && (publish === undefined || publish === String(version))
  }

  /** The publish that is meant. */
  async #now(of: DatasetVersion): Promise<DatasetVersion> {
    const now = await this.published(of.id)
    if (now === null || !this.isThere(of)) throw notFound(of)
    return now
  }

  /** Only ids in the index and names of one pattern become part of a path, so no path leads elsewhere. */
  #filePath(of: DatasetVersion, file: DatasetFile): string {
    if (!this.isThere(of) || !isDatasetFile(file)) throw notFound(of)
    return join(this.#paths.dataset(of.id), file)
  }
}

function notFound({ id }: DatasetVersion): ServiceError {
  return new ServiceError('DATASET_NOT_FOUND', { id })
}

/** Who is using the files of a dataset by their paths, and when these may be moved. */
class LocalUses {
  readonly #byId = new Map<string, Set<Promise<unknown>>>()
  /** Moves that wait for uses to end; one at a time for each dataset. */
  readonly #moves = new Map<string, Promise<void>>()

  /**
   * Counts as a use of the dataset until `work` has finished; returns its result. Begins after a move that waits, so a
   * use inside another one would never begin.
   */
  async during<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    while (this.#moves.has(id)) await this.#moves.get(id)
    const use = work()
    const uses = this.#byId.get(id) ?? new Set()
    this.#byId.set(id, uses.add(use))
    try {
      return await use
    } finally {
      uses.delete(use)
      if (uses.size === 0) this.#byId.delete(id)
    }
  }

  /** Resolves when all current uses have ended, successfully or not. */
  async ended(id: string): Promise<void> {
    await Promise.allSettled(this.#byId.get(id) ?? [])
  }

  /** Moves the files of a dataset, in one step, while nobody uses them. */
  async move(id: string, work: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#moves.set(id, promise)
    try {
      await this.ended(id)
      work()
    } finally {
      this.#moves.delete(id)
      resolve()
    }
  }
}
