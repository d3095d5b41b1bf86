// File-system store: datasets in a local directory, the embedded default. Everything unfinished is below `incoming/`, and
// one rename out of it makes a dataset or a record exist. Why: docs/decisions/one-rename-commits.md.
import assert from 'node:assert/strict'
import { constants, mkdir, open, rename, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ByteStream, fileStream } from '../../core/byte-stream.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'
import { type DatasetIndex, entryOf, type Usage } from '../dataset-index.ts'
import { isDatasetFile, isDatasetId } from '../name-rules.ts'
import type { DatasetFile, Draft, ListQuery, Store, StoreLogger } from '../store.ts'
import { DirectoryIdentity, isMissing } from './directory-identity.ts'
import { lockDirectory, lockPath } from './directory-lock.ts'
import { directoryMode, makeDirectory, SharedDirectory, syncDirectory, writeNewFile } from './durable.ts'
import { finishDraft, receiptName } from './fs-draft.ts'
import { moveIn } from './fs-move-in.ts'
import { FsPaths, plainName } from './fs-paths.ts'
import { addRecord, writeRecord } from './fs-records.ts'
import { completeReplacements, replaceDataset, syncReplacement } from './fs-replace.ts'
import { readReceipt, removeTree, sweep } from './fs-sweep.ts'
import { readKept, writeKept } from './kept-file.ts'

export interface FsStoreOptions {
  /** Made, with all above it, when it does not exist. */
  readonly dir: string
  readonly logger?: StoreLogger
}

const receiptsAtOnceMax = 32

/**
 * Opens the store in a directory, of which this process is then the one owner, and removes what a crash left there.
 * @throws {ServiceError} DATA_DIRECTORY_IN_USE, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function createFsStore(options: FsStoreOptions): Promise<Store> {
  const paths = new FsPaths(resolve(options.dir))
  const { root, datasets, incoming } = paths
  const logger = options.logger ?? { info() {}, warn() {} }
  try {
    await using opened = new AsyncDisposableStack()
    await makeDirectory(root)
    opened.use(await lockDirectory(root))
    for (const path of [datasets, incoming]) await makeDirectory(path)
    // They may stem from a start that a crash ended before their names were durable.
    await syncDirectory(root)
    await completeReplacements(paths)
    return new FsStore({
      paths,
      logger,
      place: await DirectoryIdentity.open([root, datasets, incoming], lockPath(root)),
      index: await sweep(datasets, incoming, logger),
      datasets: opened.use(await SharedDirectory.open(datasets)),
      incoming: opened.use(await SharedDirectory.open(incoming)),
      opened: opened.move(),
    })
  } catch (error) {
    throw toStoreError(error)
  }
}

interface Parts {
  readonly paths: FsPaths
  readonly logger: StoreLogger
  readonly place: DirectoryIdentity
  readonly index: DatasetIndex
  readonly datasets: SharedDirectory
  readonly incoming: SharedDirectory
  /** All that is to be closed; the lock last. */
  readonly opened: AsyncDisposableStack
}

/** The index decides what is visible: it is changed after a publish is durable and before a removal begins. */
class FsStore implements Store {
  readonly #parts: Parts
  readonly #paths: FsPaths
  readonly #index: DatasetIndex
  /** Publishing and removing, one at a time for each dataset. */
  readonly #turns = new KeyedMutex()
  /** Those that work with local paths now, by dataset. */
  readonly #usesById = new Map<string, Set<Promise<unknown>>>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#paths = parts.paths
    this.#index = parts.index
  }

  async draft(): Promise<Draft> {
    const dir = this.#paths.newPath()
    try {
      await this.#parts.place.check()
      await mkdir(dir, { mode: directoryMode })
      for (const name of ['data', 'rejects', 'segments']) await mkdir(join(dir, name), { mode: directoryMode })
    } catch (error) {
      await this.#discard(dir)
      throw await this.#failure(error)
    }
    return { dir, [Symbol.asyncDispose]: () => this.#discard(dir) }
  }

  async publish(draft: Draft, receipt: Receipt, upload: Upload): Promise<boolean> {
    const { id } = receipt
    return this.#turns.take(id, () =>
      this.#usingUp(draft, receipt, async () => {
        if (this.#index.has(id)) return false
        await finishDraft(draft.dir, receipt, upload)
        await this.#commit(draft.dir, id)
        this.#index.add(entryOf(receipt))
        return true
      }),
    )
  }

  async replace(draft: Draft, remade: Receipt, upload: Upload): Promise<Receipt | null> {
    const { id } = remade
    return this.#turns.take(id, () =>
      this.#usingUp(draft, remade, async () => {
        const entry = this.#index.get(id)
        if (entry === undefined) return null
        const receipt = { ...remade, createdAt: entry.createdAt }
        await Promise.allSettled(this.#usesById.get(id) ?? [])
        await this.#parts.place.check()
        await finishDraft(draft.dir, receipt, upload, this.#paths.dataset(id))
        const asidePath = this.#paths.newPath()
        await replaceDataset(this.#paths, id, draft.dir, asidePath)
        this.#index.delete(id)
        this.#index.add(entryOf(receipt))
        for (const name of entry.names) this.#index.addName(id, name)
        await Promise.all([syncReplacement(this.#paths), this.#syncMove()])
        await this.#discard(asidePath)
        return receipt
      }),
    )
  }

  /** A draft is gone after a commit; after a failure its files must not be synced again. */
  async #usingUp<Result>(draft: Draft, { id }: Receipt, work: () => Promise<Result>): Promise<Result> {
    assert(isDatasetId(id), `'${id}' is no dataset id`)
    try {
      return await work()
    } catch (error) {
      throw await this.#failure(error)
    } finally {
      await this.#discard(draft.dir)
    }
  }

  async record(upload: Upload): Promise<void> {
    const { datasetId } = upload
    const path = this.#paths.newPath()
    try {
      await this.#parts.place.check()
      await writeRecord(path, upload)
      await this.#turns.take(datasetId, async () => {
        if (!this.#index.has(datasetId)) return
        const bringsName = this.#index.isNewName(datasetId, upload.fileName)
        await addRecord(path, this.#paths.dataset(datasetId), upload, bringsName)
        if (bringsName) this.#index.addName(datasetId, upload.fileName)
      })
    } catch (error) {
      throw await this.#failure(error)
    } finally {
      await this.#discard(path)
    }
  }

  async receipt(id: string): Promise<Receipt | null> {
    const entry = this.#index.get(id)
    if (entry === undefined) return null
    try {
      return await readReceipt(this.#paths.dataset(id), id)
    } catch (error) {
      // Removed since, and perhaps published anew: what there is now is asked.
      if (this.#index.get(id) !== entry) return this.receipt(id)
      if (errorCode(error) !== undefined && !isMissing(error)) throw toStoreError(error)
      // Damaged since, unless all has gone: it must not look as if it had never been.
      await this.#parts.place.check()
      throw new ServiceError('DATASET_DAMAGED', { name: receiptName }, error)
    }
  }

  async list(query: ListQuery): Promise<{ readonly receipts: readonly Receipt[]; readonly after: string | null }> {
    const { ids, after } = this.#index.page(query)
    const byId = new Map<string, Receipt>()
    await forEachLimit(ids, receiptsAtOnceMax, async (id) => {
      try {
        const receipt = await this.receipt(id)
        if (receipt !== null) byId.set(id, receipt)
      } catch (error) {
        if (isServiceError(error, 'TOO_MANY_OPEN_FILES')) throw error
        // A list without what cannot be read is of use; one of nothing, because all has gone, is a lie.
        await this.#parts.place.check()
        this.#parts.logger.warn({ id, error }, 'cannot read receipt: dataset is left out of the list')
      }
    })
    return { receipts: ids.flatMap((id) => byId.get(id) ?? []), after }
  }

  async remove(id: string): Promise<boolean> {
    return this.#turns.take(id, async () => {
      const entry = this.#index.delete(id)
      if (entry === undefined) return false
      await Promise.allSettled(this.#usesById.get(id) ?? [])
      const path = this.#paths.newPath()
      try {
        await this.#parts.place.check()
        await rename(this.#paths.dataset(id), path)
      } catch (error) {
        this.#index.add(entry)
        throw await this.#failure(error)
      }
      // Gone from sight it stays, also where that cannot be made durable: it may be back after power loss.
      await this.#syncMove()
      await this.#discard(path)
      return true
    })
  }

  async read(
    id: string,
    file: DatasetFile,
    range?: { readonly start: number; readonly end: number },
  ): Promise<ByteStream> {
    const path = this.#filePath(id, file)
    const entry = this.#index.get(id)
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(async (error) => {
      // Removed since, whether or not it has been published anew.
      if (this.#index.get(id) !== entry) throw new ServiceError('DATASET_NOT_FOUND', { id })
      if (!isMissing(error)) throw toStoreError(error)
      // The file alone is missing, unless all has gone.
      await this.#parts.place.check()
      throw new ServiceError('DATASET_DAMAGED', { name: file }, error)
    })
    return fileStream(handle, range ?? { start: 0, end: Number.POSITIVE_INFINITY })
  }

  async withLocal<Result>(
    id: string,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const running = use(files.map((file) => this.#filePath(id, file)))
    const uses = this.#usesById.get(id) ?? new Set()
    this.#usesById.set(id, uses.add(running))
    try {
      return await running
    } finally {
      uses.delete(running)
      if (uses.size === 0) this.#usesById.delete(id)
    }
  }

  async keep(id: string, name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#paths.derived(id), plainName(name))
    await this.#turns.take(id, async () => {
      if (this.#index.has(id)) await this.#writeKept(path, bytes)
    })
  }

  async kept(id: string, name: string): Promise<Buffer | null> {
    const path = join(this.#paths.derived(id), plainName(name))
    return this.#index.has(id) ? await readKept(path) : null
  }

  async keepState(name: string, bytes: Uint8Array): Promise<void> {
    await this.#writeKept(join(this.#paths.state, plainName(name)), bytes)
  }

  async keptState(name: string): Promise<Buffer | null> {
    return await readKept(join(this.#paths.state, plainName(name)))
  }

  ownerOf(id: string): string | null {
    return this.#index.get(id)?.owner ?? null
  }

  usage(owner: string): Usage {
    return this.#index.usage(owner)
  }

  olderThan(createdBefore: number, limit: number): readonly string[] {
    return this.#index.olderThan(createdBefore, limit)
  }

  async freeBytes(): Promise<number> {
    try {
      const { bavail, bsize } = await statfs(this.#paths.root)
      return bavail * bsize
    } catch (error) {
      throw toStoreError(error)
    }
  }

  async check(): Promise<void> {
    const path = this.#paths.newPath()
    try {
      await this.#parts.place.check()
      await writeNewFile(path, 'probe')
      await this.#syncMove()
    } catch (error) {
      throw await this.#failure(error)
    } finally {
      await this.#discard(path)
    }
  }

  async close(): Promise<void> {
    await this.#parts.opened.disposeAsync()
  }

  /** The one moment at which a dataset begins to exist: all of it is synced, and moves as a whole. */
  async #commit(dir: string, id: string): Promise<void> {
    await using undo = new AsyncDisposableStack()
    await this.#parts.place.check()
    await moveIn(this.#paths, id, dir, this.#parts.logger)
    undo.defer(() => this.#moveBack(dir, id))
    await this.#syncMove()
    // Nothing is to be undone any more.
    undo.move()
  }

  async #moveBack(dir: string, id: string): Promise<void> {
    await rename(this.#paths.dataset(id), dir).catch((error) => {
      this.#parts.logger.warn({ id, error }, 'cannot undo publish: dataset will be there after a restart')
      throw error
    })
  }

  async #syncMove(): Promise<void> {
    await Promise.all([this.#parts.datasets.sync(), this.#parts.incoming.sync()])
  }

  /** Removes what is of no use any more. What withstands is left to the next start. */
  async #discard(path: string): Promise<void> {
    try {
      await removeTree(path)
    } catch (error) {
      this.#parts.logger.warn({ path, error }, 'cannot remove leftover: the next start will')
    }
  }

  /** What a failure means: what is missing may be so because the whole directory has gone. */
  async #failure(error: unknown): Promise<ServiceError> {
    if (!isMissing(error)) return toStoreError(error)
    return this.#parts.place.check().then(() => toStoreError(error), toStoreError)
  }

  async #writeKept(path: string, bytes: Uint8Array): Promise<void> {
    const newPath = this.#paths.newPath()
    try {
      await this.#parts.place.check()
      await writeKept(path, bytes, newPath)
    } catch (error) {
      await this.#discard(newPath)
      throw await this.#failure(error)
    }
  }

  /** Only ids of the index and names of one pattern become part of a path, so that none leads elsewhere. */
  #filePath(id: string, file: DatasetFile): string {
    if (!this.#index.has(id) || !isDatasetFile(file)) throw new ServiceError('DATASET_NOT_FOUND', { id })
    return join(this.#paths.dataset(id), file)
  }
}
