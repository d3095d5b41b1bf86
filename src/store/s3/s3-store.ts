// S3 store: datasets in a bucket, for one process or many. Files are first written under an attempt's prefix, and one
// conditional write of the receipt makes a dataset exist. Why: docs/decisions/object-storage.md.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ByteStream, byteStream } from '../../core/byte-stream.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { storedFiles } from '../../core/stored-files.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'
import { withChecksum, withoutChecksum } from '../checksum-line.ts'
import { dismissedName, entryOf } from '../dataset-index.ts'
import { listedReceipts } from '../listed-receipts.ts'
import { isDatasetId } from '../name-rules.ts'
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
import { S3Draft } from './s3-draft.ts'
import { S3Index, startRefreshes } from './s3-index.ts'
import {
  type Attempt,
  cacheName,
  cachePrefix,
  derivedKey,
  fileKey,
  indexEntries,
  indexEntryPrefix,
  indexKey,
  moveKey,
  noteOf,
  pendingKey,
  recordKey,
  recordsPrefix,
  stateKey,
} from './s3-keys.ts'
import { fetchFile, readFrom, readsOf, S3Objects, type S3Options } from './s3-objects.ts'
import { probeBucket } from './s3-probe.ts'
import {
  type CommittedDataset,
  formatCommit,
  formatTombstone,
  isNamed,
  isOf,
  type ReceiptObject,
  readReceipt,
  recordText,
  S3Receipts,
} from './s3-receipts.ts'
import { complete, putRecord, removeEntries, startSweeps, sweepAttempt } from './s3-sweep.ts'
import { Scratch } from './scratch.ts'

export interface S3StoreOptions extends S3Options {
  /** A local directory for this process alone, with drafts, unfinished uploads and the cache. */
  readonly dir: string
  /** Total size of local copies of stored files, in bytes. */
  readonly cacheBytesMax: number
  /**
   * Waits until the bucket should be tried again, when it does not answer at the start. Without it, opening fails.
   */
  readonly whileAway?: (error: unknown) => Promise<void>
}

const receiptsAtOnceMax = 16
/** Closing waits this long until what drafts left in the bucket is removed; a sweep removes the rest. Milliseconds. */
const closeMsMax = 5_000
/** A dataset keeps its first upload record and the last ones. */
const recordsMax = 1_000
/** A larger difference between clocks is worth a warning. Milliseconds. */
const clockMsMax = 5_000

/**
 * Opens the store of a bucket, after trying every call on its server.
 * @throws {ServiceError} STORE_UNSUITABLE, DATA_DIRECTORY_IN_USE, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function createS3Store(options: S3StoreOptions): Promise<Store> {
  const logger = options.logger ?? { info() {}, warn() {} }
  await using opened = new AsyncDisposableStack()
  const objects = opened.adopt(new S3Objects(options), (one) => one.close())
  const scratch = opened.use(await Scratch.open({ ...options, logger }))
  const index = opened.use(new S3Index(objects))
  for (let isOpen = false; !isOpen; ) {
    try {
      await probeBucket(objects)
      await index.refresh()
      isOpen = true
    } catch (error) {
      if (options.whileAway === undefined || !isServiceError(error, 'STORE_UNAVAILABLE')) throw error
      await options.whileAway(error)
    }
  }
  opened.use(startRefreshes(index, logger))
  opened.use(startSweeps(objects, logger))
  const [{ bucket, prefix }, { clockMs }] = [options, objects]
  logger.info({ datasets: index.datasets.size, bucket, prefix, clockMs }, 'opened bucket')
  if (Math.abs(clockMs) > clockMsMax)
    logger.warn({ clockMs }, 'the clock of the bucket differs from that of this machine')
  return new S3Store({ objects, scratch, index, logger, opened: opened.move() })
}

interface Parts {
  readonly objects: S3Objects
  readonly scratch: Scratch
  readonly index: S3Index
  readonly logger: StoreLogger
  readonly opened: AsyncDisposableStack
}

/** Only its receipt object shows whether a dataset exists; the index only finds ids. */
class S3Store implements Store {
  readonly spools: Store['spools']
  readonly #objects: S3Objects
  readonly #scratch: Scratch
  readonly #index: S3Index
  readonly #receipts: S3Receipts
  readonly #logger: StoreLogger
  readonly #opened: AsyncDisposableStack
  /** Publishing and removing by this process, one at a time for each dataset. */
  readonly #turns = new KeyedMutex()
  readonly #inBackground = new Set<Promise<void>>()

  constructor({ objects, scratch, index, logger, opened }: Parts) {
    this.spools = scratch.spools
    this.#objects = objects
    this.#scratch = scratch
    this.#index = index
    this.#receipts = new S3Receipts(objects, (id, trashedAt) =>
      trashedAt === null ? index.forget(id) : index.move(id, trashedAt),
    )
    this.#logger = logger
    this.#opened = opened
  }

  async draft(): Promise<Draft> {
    return new S3Draft(await this.#scratch.draft(), this.#objects, (work) => {
      const running = work
        .catch((error) => this.#logger.warn({ error }, 'cannot remove what an upload has left: tried again in a day'))
        .finally(() => this.#inBackground.delete(running))
      this.#inBackground.add(running)
    })
  }

  async publish(draft: Draft, receipt: Receipt, upload: Upload): Promise<boolean> {
    return (await this.#usingUp(draft, receipt, () => this.#commit(draft, receipt, upload, null))) !== null
  }

  async replace(draft: Draft, remade: Receipt, upload: Upload, damaged: DatasetVersion) {
    return await this.#usingUp(draft, remade, () => this.#commit(draft, remade, upload, damaged))
  }

  /** Makes a dataset of a draft, in the place of a damaged publish. Null, and keeps nothing, if there is another one. */
  async #commit(draft: Draft, remade: Receipt, given: Upload, damaged: DatasetVersion | null) {
    const { id } = remade
    let sent: Attempt | null = null
    for (;;) {
      const before = await readReceipt(this.#objects, id)
      const isTrashed = before?.committed?.trashedAt != null
      const old = before === null || before.isTombstone || isTrashed ? null : before
      if (old !== null && (damaged === null || !isOf(damaged, old))) {
        if (sent !== null) await sweepAttempt(this.#objects, sent)
        return null
      }
      assert(draft instanceof S3Draft, 'a draft is published by the store that made it')
      sent ??= await draft.send(id, storedFiles(remade))
      const attempt: Attempt = sent
      const known = old?.committed?.receipt ?? (old === null ? undefined : this.#index.datasets.get(id))
      const receipt = { ...remade, createdAt: known?.createdAt ?? remade.createdAt }
      const since = old?.facts?.since ?? attempt
      const upload = { ...given, outcome: old === null ? 'new' : 'repaired' } as const
      const committed = {
        id,
        attempt,
        since,
        publishedAt: this.#objects.now(),
        renewals: 0,
        upload,
        receipt,
        trashedAt: null,
      }
      // Recorded first, so that what a crash leaves of the damaged one is found; its record may be in its receipt alone.
      const gone = isTrashed ? before : old
      if (gone?.facts) await this.#objects.put(pendingKey(gone.attempt), noteOf(gone.facts))
      if (old?.committed) await putRecord(this.#objects, old.committed)
      if (!(await this.#receipts.put(id, formatCommit(committed), before))) continue
      await this.#hasCommitted(draft, committed, gone)
      return { receipt, upload }
    }
  }

  async record(upload: Upload): Promise<void> {
    const { datasetId: id, fileName } = upload
    const committed = await this.#receipts.committed(id)
    const key = recordKey(committed ?? { id, since: '' }, upload)
    if (committed === null) return
    await this.#objects.put(key, recordText(upload))
    const index = this.#index.datasets
    if (!index.has(id)) this.#index.add(indexEntryOf(committed))
    if (index.isNewName(id, fileName)) {
      index.addName(id, fileName)
      const names = index.get(id)?.names ?? []
      await this.#objects.put(indexKey(committed, entryOf(committed.receipt), names.length - 1, fileName), nothing)
    }
    if (await this.renew({ id, publish: committed.attempt })) {
      const keys = await Array.fromAsync(this.#objects.list(recordsPrefix(committed)))
      return await this.#objects.delete(keys.slice(1, 1 + Math.max(0, keys.length - recordsMax)))
    }
    // Put in the trash in the meantime, where it keeps its entries.
    if ((await this.#receipts.trashed(id))?.committed.attempt === committed.attempt) return
    // Removed or repaired in the meantime.
    await this.#objects.delete([key])
    await removeEntries(this.#objects, { ...committed, since: undefined })
    await this.record(upload)
  }

  async receipt(id: string): Promise<Receipt | null> {
    return (await this.#receipts.committed(id))?.receipt ?? null
  }

  async list(query: ListQuery): Promise<ListPage> {
    await this.#index.refresh()
    if (needsReceipts(query)) await this.#index.describe()
    const trashed = async (id: string) => (await this.#receipts.trashed(id))?.committed.receipt ?? null
    return await listedReceipts(this.#index.datasets, query, {
      read: (id) => (query.isTrash ? trashed(id) : this.receipt(id)),
      check: (error) => {
        if (!isServiceError(error, 'DATASET_DAMAGED')) throw error
      },
      readsAtOnceMax: receiptsAtOnceMax,
      logger: this.#logger,
    })
  }

  async remove(of: DatasetVersion, uploadedBefore = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { id } = of
    const find = async () => {
      const found = await this.#receipts.of(of)
      if (found === null) return null
      this.#index.datasets.uploaded(id, found.modifiedAt)
      return found.modifiedAt >= uploadedBefore + this.#objects.clockMs ? null : found
    }
    return await this.#change(id, find, (found) => this.#bury(id, found))
  }

  /** Tries a change of what is found until nobody else has changed it meanwhile. False if nothing is found. */
  async #change<Found>(
    id: string,
    find: () => Promise<Found | null>,
    change: (found: Found) => Promise<boolean>,
  ): Promise<boolean> {
    return await this.#turns.take(id, async () => {
      for (;;) {
        const found = await find()
        if (found === null) return false
        if (await change(found)) return true
      }
    })
  }

  /** False if the receipt object is another one by now. */
  async #bury(id: string, found: ReceiptObject): Promise<boolean> {
    // Recorded first, so that what a crash leaves is found.
    if (found.facts !== null) await this.#objects.put(pendingKey(found.attempt), noteOf(found.facts))
    if (!(await this.#receipts.put(id, formatTombstone(found), found))) return false
    this.#index.forget(id)
    await this.#afterwards(async () => {
      if (found.facts !== null) await removeEntries(this.#objects, found.facts)
      await this.#scratch.cache.drop(cachePrefix({ id, attempt: found.attempt }))
    })
    // Again: it may have been listed meanwhile.
    this.#index.forget(id)
    return true
  }

  async trash(of: DatasetVersion): Promise<boolean> {
    return await this.#change(
      of.id,
      () => this.#receipts.of(of),
      async (found) => {
        if (found.committed === null) throw new ServiceError('DATASET_DAMAGED', { name: 'receipt.json' })
        return await this.#move(found, found.committed, this.#objects.now())
      },
    )
  }

  async trashed(id: string): Promise<TrashedDataset | null> {
    const { receipt, trashedAt } = (await this.#receipts.trashed(id))?.committed ?? {}
    return receipt && trashedAt ? { id, owner: receipt.owner, trashedAt } : null
  }

  async restore({ id, trashedAt }: TrashedDataset): Promise<boolean> {
    const find = () => this.#receipts.trashed(id, trashedAt)
    return await this.#change(id, find, (found) => this.#move(found, found.committed, null))
  }

  async erase({ id, trashedAt }: TrashedDataset): Promise<boolean> {
    const find = () => this.#receipts.trashed(id, trashedAt)
    const isErased = await this.#change(id, find, (found) => this.#bury(id, found))
    if (isErased) await this.#tellOthers(id)
    return isErased
  }

  expiredTrash(trashedBefore: number, uploadedBefore: number): Iterable<TrashedDataset> {
    const { clockMs } = this.#objects
    return this.#index.datasets.expiredTrash(trashedBefore + clockMs, uploadedBefore + clockMs)
  }

  /** Puts a publish in the trash, or takes it out with null; false if its receipt object is another one by now. */
  async #move(found: ReceiptObject, of: CommittedDataset, trashedAt: number | null): Promise<boolean> {
    const body = formatCommit({ ...of, trashedAt, renewals: of.renewals + 1 })
    if (!(await this.#receipts.put(of.id, body, found))) return false
    this.#index.move(of.id, trashedAt)
    await this.#tellOthers(of.id)
    return true
  }

  async #tellOthers(id: string): Promise<void> {
    await this.#afterwards(async () => {
      await this.#objects.put(moveKey(id, this.#objects.now()), nothing)
    })
  }

  watch(listener: (change: DatasetChange) => void): Disposable {
    return this.#index.datasets.watch(listener)
  }

  async dismiss(of: DatasetVersion, isDismissed: boolean): Promise<boolean> {
    if ((await this.#receipts.of(of)) === null) return false
    await this.keep(of, dismissedName, Buffer.from(String(isDismissed)))
    this.#index.datasets.dismiss(of.id, isDismissed)
    await this.#tellOthers(of.id)
    return true
  }

  async renew(of: DatasetVersion): Promise<boolean> {
    const found = await this.#receipts.renew(of)
    if (found !== null) this.#index.datasets.uploaded(of.id, found.modifiedAt)
    return found !== null
  }

  async read(
    of: DatasetVersion,
    file: DatasetFile,
    range: { readonly start: number; readonly end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
  ): Promise<ByteStream> {
    const found = await this.#receipts.file(of, file)
    const end = Math.min(range.end, found.bytes)
    return byteStream(readFrom(this.#objects, { ...found, start: range.start, end }), async () => {})
  }

  async open(of: DatasetVersion, file: DatasetFile): Promise<StoredReads> {
    return { read: readsOf(this.#objects, await this.#receipts.file(of, file)), [Symbol.asyncDispose]: async () => {} }
  }

  async stamp(of: DatasetVersion, file: DatasetFile): Promise<FileStamp | null> {
    const { attempt } = await this.#receipts.existing(of, file)
    const found = await this.#objects.head(fileKey(attempt, file))
    // Removed or replaced since.
    if (found === null) await this.#receipts.existing({ id: of.id, publish: attempt }, file)
    return found === null ? null : { bytes: found.bytes, version: `${attempt} ${found.etag}` }
  }

  async withLocal<Result>(
    of: DatasetVersion,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const committed = await this.#receipts.existing(of, ...files)
    const fetches = files.map((file) => ({
      name: cacheName(committed, file),
      fetch: (path: string) => fetchFile(this.#objects, fileKey(committed.attempt, file), path),
    }))
    try {
      return await this.#scratch.cache.during(fetches, use, cachePrefix(committed))
    } catch (error) {
      // Fetched while it was removed or replaced.
      if (isServiceError(error, 'DATASET_DAMAGED'))
        await this.#receipts.existing({ id: of.id, publish: committed.attempt })
      throw error
    }
  }

  async keep(of: DatasetVersion, name: string, bytes: Uint8Array): Promise<void> {
    derivedKey('', name)
    const found = await this.#receipts.of(of)
    if (found === null) return
    const key = derivedKey(found.attempt, name)
    await this.#objects.put(key, withChecksum(bytes))
    if (!isNamed(found, await readReceipt(this.#objects, of.id))) await this.#objects.delete([key])
  }

  async kept(of: DatasetVersion, name: string): Promise<Buffer | null> {
    derivedKey('', name)
    const found = await this.#receipts.of(of)
    const kept = found && (await this.#objects.get(derivedKey(found.attempt, name)))
    return kept === null ? null : withoutChecksum(kept.body)
  }

  async keptNames(of: DatasetVersion, prefix: string): Promise<readonly string[]> {
    const found = await this.#receipts.of(of)
    if (found === null) return []
    const keys = await Array.fromAsync(this.#objects.list(derivedKey(found.attempt, prefix)))
    return keys.map((key) => key.slice(key.lastIndexOf('/') + 1))
  }

  async saveState(name: string, bytes: Uint8Array): Promise<void> {
    await this.#objects.put(stateKey(name), withChecksum(bytes))
  }

  async savedState(name: string): Promise<Buffer | null> {
    const found = await this.#objects.get(stateKey(name))
    return found === null ? null : withoutChecksum(found.body)
  }

  async ownerOf(id: string): Promise<string | null> {
    return this.#index.datasets.get(id)?.owner ?? (await this.#receipts.committed(id))?.receipt.owner ?? null
  }

  async published(id: string): Promise<DatasetVersion | null> {
    const head = await this.#receipts.head(id)
    return head && { id, publish: head.attempt }
  }

  async isGone(id: string): Promise<boolean> {
    return ((await this.published(id)) ?? (await this.#receipts.trashed(id))) === null
  }

  isCounted(id: string): boolean {
    return this.#index.datasets.get(id) !== undefined
  }

  async catchUp(): Promise<void> {
    await this.#index.catchUp()
  }

  usage(owner: string, isTrash?: boolean): Usage {
    return this.#index.datasets.usage(owner, isTrash)
  }

  idsAfter(id: string): Iterable<string> {
    return this.#index.datasets.ids(id).filter((one) => this.#index.datasets.has(one))
  }

  olderThan(uploadedBefore: number): Iterable<string> {
    return this.#index.datasets.olderThan(uploadedBefore + this.#objects.clockMs)
  }

  /** Free space of the local directory, through which everything passes. */
  freeBytes(): Promise<number> {
    return this.#scratch.freeBytes()
  }

  async check(): Promise<void> {
    await this.#scratch.check()
    await this.#objects.put('probe/ready', nothing)
  }

  async close(): Promise<void> {
    const givenUp = new AbortController()
    const late = setTimeout(closeMsMax, undefined, { signal: givenUp.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#inBackground), late])
    givenUp.abort()
    await this.#opened.disposeAsync()
  }

  /** The work after a commit. @param old The publish in whose place it is: a damaged one, or one in the trash. */
  async #hasCommitted(draft: Draft, committed: CommittedDataset, old: ReceiptObject | null): Promise<void> {
    const { id, attempt, receipt } = committed
    const isRepair = old?.facts?.since === committed.since
    await this.#afterwards(async () => {
      const keys = isRepair && old?.facts ? await Array.fromAsync(this.#objects.list(indexEntryPrefix(old.facts))) : []
      const names = indexEntries(keys).flatMap((entry) => entry.names)
      this.#index.add(indexEntryOf(committed))
      for (const name of names) this.#index.datasets.addName(id, name)
      await complete(this.#objects, committed, names)
      if (old?.facts) await removeEntries(this.#objects, { ...old.facts, ...(isRepair && { since: undefined }) })
      if (old !== null) await this.#scratch.cache.drop(cachePrefix({ id, attempt: old.attempt }))
      // Whoever has just sent a file looks at it next.
      for (const { file } of receipt.parts)
        await this.#scratch.cache.take(cacheName({ id, attempt }, file), join(draft.dir, file))
    })
  }

  /** The dataset exists or is gone all the same if this work fails: a sweep does it then. */
  async #afterwards(work: () => Promise<void>): Promise<void> {
    await work().catch((error) => this.#logger.warn({ error }, 'cannot complete what was written: a sweep does it'))
  }

  async #usingUp<Result>(draft: Draft, { id }: Receipt, work: () => Promise<Result>): Promise<Result> {
    assert(isDatasetId(id), `'${id}' is no dataset id`)
    try {
      return await this.#turns.take(id, work)
    } catch (error) {
      throw toStoreError(error)
    } finally {
      await draft[Symbol.asyncDispose]()
    }
  }
}

const nothing = Buffer.alloc(0)

/** Whether the index can answer only with what receipts say. */
function needsReceipts({
  search,
  origin,
  sender,
  hasOpenRejects,
  isLatestVersion,
  isTrash,
  order,
}: ListQuery): boolean {
  const isOrdered = order !== undefined && order.by !== 'createdAt'
  return isOrdered || [search, origin, sender, hasOpenRejects, isLatestVersion, isTrash].some(Boolean)
}

function indexEntryOf({ receipt, publishedAt }: CommittedDataset) {
  return { ...entryOf(receipt), lastUploadAt: publishedAt }
}
