// File-system store: datasets in a local directory, the default. Everything unfinished is below `incoming/`, and one
// rename out of it makes a dataset or a record exist. Why: docs/decisions/one-rename-commits.md.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import {
  access,
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ByteStream, fileStream } from '../../core/byte-stream.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { errorCode, throwStoreError, toStoreError } from '../../core/storage-error.ts'
import {
  directoryMode,
  fileMode,
  freeBytesAt,
  makeDirectory,
  removeTree,
  renameDirectory,
  SharedDirectory,
  syncDirectory,
  writeNewFile,
} from '../../io/files/durable.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'
import { readsOf } from '../../io/read-bytes.ts'
import { withChecksum, withoutChecksum } from '../checksum-line.ts'
import { type DatasetIndex, dismissedName, type Entry, endOf, entryOf } from '../dataset-index.ts'
import { listedReceipts } from '../listed-receipts.ts'
import { isDatasetFile, isDatasetId, plainName } from '../name-rules.ts'
import { ofPublish } from '../receipt-file.ts'
import { Spools } from '../spool/spool.ts'
import type {
  DatasetChange,
  DatasetFile,
  DatasetVersion,
  Draft,
  FileStamp,
  ListPage,
  ListQuery,
  Store,
  StoredReads,
  StoreLogger,
  TrashedDataset,
  Usage,
} from '../store.ts'
import { openFormat } from './directory-format.ts'
import { DirectoryIdentity, isMissing, stampOf } from './directory-identity.ts'
import { lockDirectory, lockPath } from './directory-lock.ts'
import { draftFolders, finishDraft, hasReceipt, makeDraft, readReceipt, receiptName } from './fs-draft.ts'
import { closeIndex, openIndex } from './fs-index.ts'
import { type FsPaths, fsPaths } from './fs-paths.ts'
import { addRecord, writeRecord } from './fs-records.ts'

/** Receipts of a list that are read at once. */
const receiptsAtOnceMax = 32

export interface FsStoreOptions {
  /** Created, with its parents, if it does not exist. */
  readonly dir: string
  readonly logger?: StoreLogger
  /** Up to this many datasets, a start reads every receipt; default 5,000. */
  readonly readAllMax?: number
}

/**
 * Opens the store in a directory, which this process then owns, and removes what a crash left there.
 * @throws {ServiceError} DATA_DIRECTORY_IN_USE, DATA_FORMAT_NEWER, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function createFsStore(options: FsStoreOptions): Promise<Store> {
  const logger = options.logger ?? { info() {}, warn() {} }
  try {
    await using opened = new AsyncDisposableStack()
    const paths = fsPaths(await makeDirectory(options.dir))
    const { root, datasets, incoming, uploads, trash } = paths
    opened.use(await lockDirectory(root))
    await openFormat(root)
    for (const path of [datasets, incoming, uploads, trash]) await makeDirectory(path)
    // They may stem from a start that crashed before their names were durable.
    await syncDirectory(root)
    await completeReplacements(paths)
    const place = new DirectoryIdentity([root, datasets, incoming, uploads, trash], lockPath(root))
    const index = opened.adopt(await openIndex(paths, logger, options.readAllMax), (one) => closeIndex(one, paths))
    const shared = {
      datasets: opened.use(await SharedDirectory.open(datasets)),
      incoming: opened.use(await SharedDirectory.open(incoming)),
      trash: opened.use(await SharedDirectory.open(trash)),
    }
    const spools = opened.use(await Spools.open({ paths, incoming: shared.incoming, logger }))
    return new FsStore({ ...shared, paths, logger, place, index, spools, opened: opened.move() })
  } catch (error) {
    throw toStoreError(error)
  }
}

interface Parts {
  readonly paths: FsPaths
  readonly logger: StoreLogger
  readonly place: DirectoryIdentity
  readonly index: DatasetIndex
  readonly spools: Spools
  readonly datasets: SharedDirectory
  readonly incoming: SharedDirectory
  readonly trash: SharedDirectory
  /** Everything to close; the lock last. */
  readonly opened: AsyncDisposableStack
}

/**
 * The index decides what is visible: it changes after a publish is durable and before a removal begins. What is read of
 * a dataset is of one publish, whatever is removed, published and replaced meanwhile.
 */
class FsStore implements Store {
  readonly spools: Spools
  readonly #parts: Parts
  readonly #paths: FsPaths
  readonly #index: DatasetIndex
  /** Publishing and removing, one at a time per dataset. */
  readonly #turns = new KeyedMutex()
  /** Directories of drafts that may exist. */
  readonly #drafts = new Set<string>()
  /** Current users of local paths, by dataset. */
  readonly #uses = new LocalUses()

  constructor(parts: Parts) {
    this.spools = parts.spools
    this.#parts = parts
    this.#paths = parts.paths
    this.#index = parts.index
  }

  async draft(): Promise<Draft> {
    const dir = this.#paths.newPath()
    this.#drafts.add(dir)
    const discard = () => this.#discardDraft(dir)
    try {
      await this.#writing(() => makeDraft(dir))
    } catch (error) {
      await discard()
      throw error
    }
    return { dir, folder: draftFolders(dir), grew() {}, finished() {}, [Symbol.asyncDispose]: discard }
  }

  async publish(draft: Draft, receipt: Receipt, upload: Upload): Promise<boolean> {
    const { id } = receipt
    return this.#turns.take(id, () =>
      this.#usingUp(draft, receipt, async () => {
        if (this.#index.has(id)) return false
        await this.#commit(draft, receipt, upload)
        return true
      }),
    )
  }

  async replace(draft: Draft, remade: Receipt, upload: Upload, damaged: DatasetVersion) {
    const { id } = remade
    return this.#turns.take(id, () =>
      this.#usingUp(draft, remade, async () => {
        const entry = this.#index.get(id)
        if (entry === undefined || entry.trashedAt !== null) {
          const made = { ...upload, outcome: 'new' } as const
          await this.#commit(draft, remade, made)
          return { receipt: remade, upload: made }
        }
        if (!this.#isThere(damaged)) return null
        const receipt = { ...remade, createdAt: entry.createdAt }
        await this.#parts.place.check()
        await finishDraft(draft, receipt, upload, this.#paths.dataset(id))
        const asidePath = this.#paths.newPath()
        await replaceDataset(this.#paths, id, { draftDir: draft.dir, asidePath }, (exchange) =>
          this.#uses.move(id, () => {
            this.#index.markUnsure(id)
            exchange()
            this.#index.together(() => {
              this.#index.delete(id)
              this.#index.add({ ...entryOf(receipt), lastUploadAt: endOf(upload) })
              for (const name of entry.names) this.#index.addName(id, name)
            })
          }),
        )
        await Promise.all([this.#sync('datasets', 'incoming'), syncDirectory(this.#paths.replacing)])
        await this.#discard(asidePath)
        return { receipt, upload }
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
      await this.#discardDraft(draft.dir)
    }
  }

  async record(upload: Upload): Promise<void> {
    const { datasetId } = upload
    const path = this.#paths.newPath()
    try {
      await this.#writing(async () => {
        await writeRecord(path, upload)
        await this.#turns.take(datasetId, async () => {
          if (!this.#index.has(datasetId)) return
          this.#index.uploaded(datasetId, endOf(upload))
          const bringsName = this.#index.isNewName(datasetId, upload.fileName)
          if (bringsName) this.#index.markUnsure(datasetId)
          await addRecord(path, this.#paths.dataset(datasetId), upload, bringsName)
          if (bringsName) this.#index.addName(datasetId, upload.fileName)
        })
      })
    } finally {
      await this.#discard(path)
    }
  }

  async remove(of: DatasetVersion, uploadedBefore = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { id } = of
    return this.#turns.take(id, async () => {
      const entry = this.#index.get(id)
      if (entry === undefined || !this.#isThere(of) || entry.lastUploadAt >= uploadedBefore) return false
      await this.#erase(entry, this.#paths.dataset(id))
      return true
    })
  }

  async erase(of: TrashedDataset): Promise<boolean> {
    return this.#turns.take(of.id, async () => {
      const entry = this.#index.get(of.id)
      if (entry?.trashedAt !== of.trashedAt) return false
      await this.#erase(entry, this.#paths.trashed(of))
      return true
    })
  }

  async #erase(entry: Entry, from: string): Promise<void> {
    const { id } = entry
    this.#index.delete(id)
    await this.#uses.ended(id)
    const path = this.#paths.newPath()
    try {
      await this.#writing(() => rename(from, path))
    } catch (error) {
      this.#index.add(entry)
      throw error
    }
    this.#index.markSure(id)
    // It stays invisible even if that cannot be made durable; after a power loss it may be back.
    await this.#sync(entry.trashedAt === null ? 'datasets' : 'trash', 'incoming')
    await this.#discard(path)
  }

  async trash(of: DatasetVersion): Promise<boolean> {
    const { id } = of
    return this.#turns.take(id, async () => {
      if (!this.#isThere(of)) return false
      const place = { id, trashedAt: Date.now() }
      this.#index.markUnsure(id)
      this.#index.move(id, place.trashedAt)
      await this.#uses.ended(id)
      try {
        await this.#writing(() => rename(this.#paths.dataset(id), this.#paths.trashed(place)))
      } catch (error) {
        this.#index.move(id, null)
        throw error
      }
      this.#index.markSure(id)
      await this.#sync('datasets', 'trash')
      return true
    })
  }

  async restore(of: TrashedDataset): Promise<boolean> {
    const { id } = of
    return this.#turns.take(id, async () => {
      if (this.#index.get(id)?.trashedAt !== of.trashedAt) return false
      await this.#writing(async () => {
        this.#index.markUnsure(id)
        await moveIn(this.#paths, id, this.#paths.trashed(of), this.#parts.logger)
        // It is there, even if that cannot be made durable.
        this.#index.move(id, null)
        await this.#sync('datasets', 'trash')
      })
      this.#index.markSure(id)
      return true
    })
  }

  async receipt(id: string): Promise<Receipt | null> {
    const now = await this.published(id)
    if (now === null) return null
    try {
      const receipt = await readReceipt(this.#paths.dataset(id), id)
      // Otherwise it was removed in the meantime, and perhaps published again: retry with what is there now.
      return this.#isThere(now) ? ofPublish(receipt, now.publish) : await this.receipt(id)
    } catch (error) {
      if (!this.#isThere(now)) return await this.receipt(id)
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
    if (!this.#isThere(now)) throw notFound(now)
    return stamp
  }

  async #open(of: DatasetVersion, file: DatasetFile): Promise<FileHandle> {
    const now = await this.#now(of)
    const path = this.#filePath(now, file)
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(async (error) => {
      if (!this.#isThere(now)) throw notFound(now)
      if (!isMissing(error)) throw toStoreError(error)
      // Only this file is missing, unless the whole directory is gone.
      await this.#parts.place.check()
      throw new ServiceError('DATASET_DAMAGED', { name: file }, error)
    })
    if (this.#isThere(now)) return handle
    // Removed or replaced in the meantime: the file may be of another publish.
    await handle.close()
    throw notFound(now)
  }

  async withLocal<Result>(
    of: DatasetVersion,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    return await this.#uses.during(of.id, async () => use(files.map((file) => this.#filePath(of, file))))
  }

  async published(id: string): Promise<Required<DatasetVersion> | null> {
    const version = this.#index.version(id)
    return version === null ? null : { id, publish: String(version) }
  }

  /** True if that publish is in its place now. */
  #isThere({ id, publish }: DatasetVersion): boolean {
    const version = this.#index.version(id)
    return version !== null && (publish === undefined || publish === String(version))
  }

  /** The publish that is meant. */
  async #now(of: DatasetVersion): Promise<DatasetVersion> {
    const now = await this.published(of.id)
    if (now === null || !this.#isThere(of)) throw notFound(of)
    return now
  }

  /** Only ids in the index and names of one pattern become part of a path, so no path leads elsewhere. */
  #filePath(of: DatasetVersion, file: DatasetFile): string {
    if (!this.#isThere(of) || !isDatasetFile(file)) throw notFound(of)
    return join(this.#paths.dataset(of.id), file)
  }

  expiredTrash(trashedBefore: number, uploadedBefore: number): Iterable<TrashedDataset> {
    return this.#index.expiredTrash(trashedBefore, uploadedBefore)
  }

  watch(listener: (change: DatasetChange) => void): Disposable {
    return this.#index.watch(listener)
  }

  async dismiss(of: DatasetVersion, isDismissed: boolean): Promise<boolean> {
    const path = join(this.#paths.derived(of.id), dismissedName)
    return await this.#turns.take(of.id, async () => {
      if (!this.#isThere(of)) return false
      await this.#writeKept(path, Buffer.from(String(isDismissed)))
      this.#index.dismiss(of.id, isDismissed)
      return true
    })
  }

  async renew(of: DatasetVersion): Promise<boolean> {
    const isThere = this.#isThere(of)
    if (isThere) this.#index.uploaded(of.id, Date.now())
    return isThere
  }

  async keep(of: DatasetVersion, name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#paths.derived(of.id), plainName(name))
    await this.#turns.take(of.id, async () => {
      if (this.#isThere(of)) await this.#writeKept(path, bytes)
    })
  }

  async kept(of: DatasetVersion, name: string): Promise<Buffer | null> {
    const path = join(this.#paths.derived(of.id), plainName(name))
    return this.#isThere(of) ? await readKept(path) : null
  }

  async keptNames(of: DatasetVersion, prefix: string): Promise<readonly string[]> {
    const names = this.#isThere(of) ? await readdir(this.#paths.derived(of.id)).catch(() => []) : []
    return names.filter((name) => name.startsWith(prefix))
  }

  async saveState(name: string, bytes: Uint8Array): Promise<void> {
    await this.#writeKept(join(this.#paths.state, plainName(name)), bytes)
  }

  async savedState(name: string): Promise<Buffer | null> {
    return await readKept(join(this.#paths.state, plainName(name)))
  }

  async ownerOf(id: string): Promise<string | null> {
    return this.#index.has(id) ? (this.#index.get(id)?.owner ?? null) : null
  }

  async isGone(id: string): Promise<boolean> {
    if (!isDatasetId(id)) return true
    return await this.#turns.take(id, async () => {
      if (this.isCounted(id)) return false
      await this.#parts.place.check()
      // One whose receipt could not be read at the start is in no index.
      return await lstat(this.#paths.dataset(id)).then(
        () => false,
        (error) => isMissing(error) || throwStoreError(error),
      )
    })
  }

  isCounted(id: string): boolean {
    return this.#index.get(id) !== undefined
  }

  /** No other process publishes here. */
  async catchUp(): Promise<void> {}

  usage(owner: string, isTrash?: boolean): Usage {
    return this.#index.usage(owner, isTrash)
  }

  idsAfter(id: string): Iterable<string> {
    return this.#index.ids(id).filter((one) => this.#index.has(one))
  }

  olderThan(uploadedBefore: number): Iterable<string> {
    return this.#index.olderThan(uploadedBefore)
  }

  freeBytes(): Promise<number> {
    return freeBytesAt(this.#paths.root).catch(throwStoreError)
  }

  async check(): Promise<void> {
    const path = this.#paths.newPath()
    try {
      await this.#writing(async () => {
        await writeNewFile(path, 'probe')
        await this.#sync('datasets', 'incoming')
      })
    } finally {
      await this.#discard(path)
    }
  }

  async close(): Promise<void> {
    await this.#parts.opened.disposeAsync()
  }

  /** This is where a dataset begins to exist: all of it is synced, and moves as a whole. */
  async #commit(draft: Draft, receipt: Receipt, upload: Upload): Promise<void> {
    const { id } = receipt
    const { dir } = draft
    await finishDraft(draft, receipt, upload)
    await using undo = new AsyncDisposableStack()
    await this.#parts.place.check()
    this.#index.markUnsure(id)
    await moveIn(this.#paths, id, dir, this.#parts.logger)
    undo.defer(() => this.#moveBack(dir, id))
    await this.#sync('datasets', 'incoming')
    const trashed = await this.trashed(id)
    this.#index.together(() => {
      this.#index.delete(id)
      this.#index.add({ ...entryOf(receipt), lastUploadAt: endOf(upload) })
    })
    // Nothing needs to be undone any more, and nothing is left of the draft.
    undo.move()
    this.#drafts.delete(dir)
    if (trashed !== null) await this.#discardTrashed(trashed)
  }

  /** The same bytes were published anew. A start does this if it fails. */
  async #discardTrashed(of: TrashedDataset): Promise<void> {
    const path = this.#paths.newPath()
    await rename(this.#paths.trashed(of), path).then(
      () => this.#discard(path),
      (error) => this.#parts.logger.warn({ id: of.id, error }, 'cannot empty the trash: the next start will'),
    )
  }

  async #moveBack(dir: string, id: string): Promise<void> {
    await rename(this.#paths.dataset(id), dir).catch((error) => {
      this.#parts.logger.warn({ id, error }, 'cannot undo publish: dataset will be there after a restart')
      throw error
    })
  }

  /** Makes a move between two directories durable. */
  async #sync(...both: readonly ('datasets' | 'incoming' | 'trash')[]): Promise<void> {
    await Promise.all(both.map((name) => this.#parts[name].sync()))
  }

  /** Removes what is left of a draft, once. */
  async #discardDraft(dir: string): Promise<void> {
    if (this.#drafts.delete(dir)) await this.#discard(dir)
  }

  /** Removes what is no longer needed. The next start removes the rest if this fails. */
  async #discard(path: string): Promise<void> {
    try {
      await removeTree(path)
    } catch (error) {
      this.#parts.logger.warn({ path, error }, 'cannot remove leftover: the next start will')
    }
  }

  /** Does work that writes, if these are still the directories that were opened. */
  async #writing(work: () => Promise<void>): Promise<void> {
    try {
      await this.#parts.place.check()
      await work()
    } catch (error) {
      throw await this.#failure(error)
    }
  }

  /** Interprets a failure: a file may be missing because the whole directory is gone. */
  async #failure(error: unknown): Promise<ServiceError> {
    if (!isMissing(error)) return toStoreError(error)
    return this.#parts.place.check().then(() => toStoreError(error), toStoreError)
  }

  async #writeKept(path: string, bytes: Uint8Array): Promise<void> {
    const newPath = this.#paths.newPath()
    try {
      await this.#writing(() => writeKept(path, bytes, newPath))
    } catch (error) {
      await this.#discard(newPath)
      throw error
    }
  }
}

/** Error codes for a rename onto a directory that is not empty. */
const takenCodes: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM'])

async function moveIn(paths: FsPaths, id: string, draftDir: string, logger: StoreLogger): Promise<void> {
  try {
    await renameDirectory(draftDir, paths.dataset(id))
  } catch (error) {
    if (!takenCodes.has(errorCode(error))) throw error
    await makeWay(paths, id, logger)
    await renameDirectory(draftDir, paths.dataset(id))
  }
}

/** Moves away anything there that is not a visible dataset: a leftover, or a dataset whose receipt cannot be read. */
async function makeWay(paths: FsPaths, id: string, logger: StoreLogger): Promise<void> {
  const path = paths.dataset(id)
  if (!(await isThere(join(path, receiptName)))) {
    const leftover = paths.newPath()
    await rename(path, leftover)
    await removeTree(leftover).catch((error: unknown) => {
      logger.warn({ path: leftover, error }, 'cannot remove leftover: the next start will')
    })
    return
  }
  await makeDirectory(paths.damaged)
  const aside = paths.aside(id)
  await rename(path, aside)
  await syncDirectory(paths.damaged)
  logger.warn({ id, aside }, 'dataset with unreadable receipt was set aside: it is published again')
}

/**
 * Not synced: after a crash the file may be missing or torn, which its checksum shows. `newPath` is on the same file
 * system.
 */
async function writeKept(path: string, bytes: Uint8Array, newPath: string): Promise<void> {
  await writeFile(newPath, withChecksum(bytes), { flag: 'wx', mode: fileMode })
  await mkdir(dirname(path), { recursive: true, mode: directoryMode })
  await rename(newPath, path)
}

/**
 * The text given to `writeKept`; null if there is none, or it is damaged. @throws {ServiceError} STORE_UNAVAILABLE,
 * STORE_FAILED
 */
async function readKept(path: string): Promise<Buffer | null> {
  try {
    return withoutChecksum(await readFile(path))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw toStoreError(error)
  }
}

/**
 * Moves a finished, synced draft to the place of a dataset, and the damaged dataset to `asidePath`, which must not
 * exist. The moves are not synced yet. After a failure, both are back in their places.
 *
 * @param exchanging Runs the exchange of the two, which is synchronous so that no reader finds neither.
 */
async function replaceDataset(
  paths: FsPaths,
  id: string,
  { draftDir, asidePath }: { readonly draftDir: string; readonly asidePath: string },
  exchanging: (exchange: () => void) => Promise<void>,
): Promise<void> {
  const [datasetDir, stagedDir] = [paths.dataset(id), join(paths.replacing, id)]
  await makeDirectory(paths.replacing)
  await using undo = new AsyncDisposableStack()
  await rename(draftDir, stagedDir)
  // By a rename: the next start must never find a staged dataset from which something has been removed.
  undo.defer(() => rename(stagedDir, draftDir))
  await syncDirectory(paths.replacing)
  await exchanging(() => {
    using back = new DisposableStack()
    renameSync(datasetDir, asidePath)
    back.defer(() => renameSync(asidePath, datasetDir))
    renameSync(stagedDir, datasetDir)
    back.move()
  })
  undo.move()
}

/** Completes replacements that a crash interrupted: everything that waits is complete and durable. */
async function completeReplacements(paths: FsPaths): Promise<void> {
  for (const id of (await namesIn(paths.replacing)).filter(isDatasetId)) {
    const [stagedDir, datasetDir] = [join(paths.replacing, id), paths.dataset(id)]
    const isWhole = await hasReceipt(stagedDir, id)
    if (isWhole) await rename(datasetDir, paths.newPath()).catch(ignoreMissing)
    // An unreadable dataset is better than none, and worse than the one it was to replace.
    await rename(stagedDir, isWhole || !(await isThere(datasetDir)) ? datasetDir : paths.newPath())
    await forEachLimit([paths.datasets, paths.incoming, paths.replacing], 3, syncDirectory)
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  return await readdir(dir).catch((error) => {
    ignoreMissing(error)
    return []
  })
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error
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
