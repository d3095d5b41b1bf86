// S3 store: datasets in a bucket, for one process or many. Files are first written under an attempt's prefix, and one
// conditional write of the receipt makes a dataset exist. Why: docs/decisions/object-storage.md.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type ByteStream, byteStream } from '../../core/byte-stream.ts'
import { isServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { storedFiles } from '../../core/stored-files.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'
import { withChecksum, withoutChecksum } from '../checksum-line.ts'
import { endOf, entryOf } from '../dataset-index.ts'
import { isDatasetId } from '../name-rules.ts'
import type { DatasetFile, Draft, FileStamp, ListQuery, Published, Store, StoredReads, StoreLogger } from '../store.ts'
import { cachePrefixes, copiesIn } from './local-cache.ts'
import { fetchFile, readFrom, readsOf } from './read-object.ts'
import { S3Draft } from './s3-draft.ts'
import { S3Index, startRefreshes } from './s3-index.ts'
import {
  type Attempt,
  cacheName,
  derivedKey,
  fileKey,
  pendingKey,
  receiptKey,
  recordKey,
  recordsPrefix,
  stateKey,
} from './s3-keys.ts'
import { S3Objects, type S3Options } from './s3-objects.ts'
import { probeConditionalWrites } from './s3-probe.ts'
import { type Committed, formatCommit, isOf, parseRecord, recordText, S3Receipts } from './s3-receipts.ts'
import { startSweeps, sweepAttempt } from './s3-sweep.ts'
import { Scratch } from './scratch.ts'

export interface S3StoreOptions extends S3Options {
  /** A local directory for this process alone, with drafts, unfinished uploads and the cache. */
  readonly dir: string
  /** Total size of local copies of stored files, in bytes. */
  readonly cacheBytesMax: number
  readonly logger?: StoreLogger
}

const receiptsAtOnceMax = 16
/** Closing waits this long until what drafts left in the bucket is removed; a sweep removes the rest. Milliseconds. */
const lettingGoMsMax = 5_000
/** A dataset keeps its first upload record and the last ones. */
const recordsMax = 1_000

/**
 * Opens the store of a bucket, after testing the conditional writes of its server.
 * @throws {ServiceError} STORE_UNSUITABLE, DATA_DIRECTORY_IN_USE, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED
 */
export async function createS3Store(options: S3StoreOptions): Promise<Store> {
  const logger = options.logger ?? { info() {}, warn() {} }
  await using opened = new AsyncDisposableStack()
  const objects = opened.adopt(new S3Objects(options), (one) => one.close())
  await probeConditionalWrites(objects)
  const scratch = opened.use(await Scratch.open(options.dir, options.cacheBytesMax, logger))
  const index = opened.use(new S3Index(objects))
  await index.refresh()
  opened.use(startRefreshes(index, logger))
  opened.use(startSweeps(objects, logger))
  logger.info({ datasets: index.datasets.size, bucket: options.bucket, prefix: options.prefix }, 'opened bucket')
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
  readonly copies: Store['copies']
  readonly #objects: S3Objects
  readonly #scratch: Scratch
  readonly #index: S3Index
  readonly #receipts: S3Receipts
  readonly #logger: StoreLogger
  readonly #opened: AsyncDisposableStack
  /** Publishing and removing by this process, one at a time for each dataset. */
  readonly #turns = new KeyedMutex()
  /** Current users of local paths, by dataset. */
  readonly #usesById = new Map<string, Set<Promise<unknown>>>()
  readonly #inBackground = new Set<Promise<void>>()

  constructor({ objects, scratch, index, logger, opened }: Parts) {
    this.spools = scratch.spools
    this.copies = copiesIn(scratch.cache)
    this.#objects = objects
    this.#scratch = scratch
    this.#index = index
    this.#receipts = new S3Receipts(objects, (id) => index.forget(id))
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
    return await this.#usingUp(draft, receipt, async () => {
      return (await this.#receipts.committed(receipt.id)) === null && (await this.#commit(draft, receipt, upload))
    })
  }

  async #commit(draft: Draft, receipt: Receipt, upload: Upload): Promise<boolean> {
    const attempt = await send(draft, receipt)
    await this.#objects.put(recordKey(upload), recordText(upload))
    const body = formatCommit(attempt, receipt)
    if ((await this.#objects.put(receiptKey(receipt.id), body, { kind: 'absent' })) === null) {
      await sweepAttempt(this.#objects, attempt, receipt.id)
      return false
    }
    await this.#hasCommitted(draft, receipt, attempt, upload)
    return true
  }

  async replace(draft: Draft, remade: Receipt, upload: Upload, damaged: Published): Promise<Receipt | null> {
    const { id } = remade
    return await this.#usingUp(draft, remade, async () => {
      await Promise.allSettled(this.#usesById.get(id) ?? [])
      const before = await this.#receipts.head(id)
      if (before === null) return (await this.#commit(draft, remade, upload)) ? remade : null
      if (!isOf(damaged, before)) return null
      const entry = this.#index.datasets.get(id)
      const createdAt = entry?.createdAt ?? before.committed?.receipt.createdAt ?? remade.createdAt
      const receipt = { ...remade, createdAt }
      const attempt = await send(draft, receipt)
      await this.#objects.put(recordKey(upload), recordText(upload))
      const body = formatCommit(attempt, receipt)
      // Recorded first, so that what a crash leaves of the damaged one is found.
      if (before.committed !== null) await this.#objects.put(pendingKey(before.committed.attempt), Buffer.from(id))
      if ((await this.#objects.put(receiptKey(id), body, { kind: 'same', etag: before.etag })) === null) {
        await sweepAttempt(this.#objects, attempt, id)
        return null
      }
      const names = entry?.names ?? []
      if (entry !== undefined) await this.#index.remove(entry)
      await this.#hasCommitted(draft, receipt, attempt, upload)
      for (const name of names) await this.#index.addName(id, name)
      if (before.committed !== null) await this.#removeFiles(before.committed)
      return receipt
    })
  }

  async record(upload: Upload): Promise<void> {
    const { datasetId, fileName } = upload
    const key = recordKey(upload)
    if ((await this.#receipts.committed(datasetId)) === null) return
    await this.#objects.put(key, recordText(upload))
    // Removed in the meantime: a record is removed with its dataset.
    const committed = await this.#receipts.committed(datasetId)
    if (committed === null) return await this.#objects.delete([key])
    // Another process may have added it a moment ago, or stopped before it could.
    if (!this.#index.datasets.has(datasetId)) await this.#index.add(entryOf(committed.receipt))
    await this.#index.addName(datasetId, fileName)
    this.#index.datasets.uploaded(datasetId, endOf(upload))
    const keys = await Array.fromAsync(this.#objects.list(recordsPrefix(datasetId)))
    await this.#objects.delete(keys.slice(1, 1 + Math.max(0, keys.length - recordsMax)))
  }

  async receipt(id: string): Promise<Receipt | null> {
    return (await this.#receipts.committed(id))?.receipt ?? null
  }

  async list(query: ListQuery): Promise<{ readonly receipts: readonly Receipt[]; readonly after: string | null }> {
    await this.#index.refresh()
    const { ids, after } = this.#index.datasets.page(query)
    const byId = new Map<string, Receipt>()
    await forEachLimit(ids, receiptsAtOnceMax, async (id) => {
      try {
        const receipt = await this.receipt(id)
        if (receipt !== null) byId.set(id, receipt)
      } catch (error) {
        if (!isServiceError(error, 'DATASET_DAMAGED')) throw error
        this.#logger.warn({ id, error }, 'cannot read receipt: dataset is left out of the list')
      }
    })
    return { receipts: ids.flatMap((id) => byId.get(id) ?? []), after }
  }

  async remove(of: Published, uploadedBefore = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { id } = of
    return await this.#turns.take(id, async () => {
      const head = await this.#receipts.head(id)
      if (head === null || !isOf(of, head)) return false
      if (uploadedBefore !== Number.POSITIVE_INFINITY && (await this.#lastUploadAt(id)) >= uploadedBefore) return false
      const { committed } = head
      const entry = this.#index.forget(id) ?? (committed === null ? undefined : entryOf(committed.receipt))
      // Recorded first, so that what a crash leaves is found. A sweep restores the entry of a dataset that has a receipt.
      if (committed !== null) await this.#objects.put(pendingKey(committed.attempt), Buffer.from(id))
      if (entry !== undefined) await this.#index.remove(entry)
      await this.#objects.delete([receiptKey(id)])
      await Promise.allSettled(this.#usesById.get(id) ?? [])
      await this.#objects.delete(await Array.fromAsync(this.#objects.list(recordsPrefix(id))))
      // Again: a sweep may have restored it just before.
      if (entry !== undefined) await this.#index.remove(entry)
      if (committed !== null) await this.#removeFiles(committed)
      return true
    })
  }

  /** The records have it, too, of uploads before the start of this process or at another one. */
  async #lastUploadAt(id: string): Promise<number> {
    const last = (await Array.fromAsync(this.#objects.list(recordsPrefix(id)))).at(-1)
    const record = last === undefined ? null : await this.#objects.get(last)
    if (record !== null) this.#index.datasets.uploaded(id, endOf(parseRecord(record.body)))
    return this.#index.datasets.get(id)?.lastUploadAt ?? 0
  }

  /** Takes its turn: a removal in progress has already compared the age. */
  async renew(of: Published): Promise<boolean> {
    return await this.#turns.take(of.id, async () => {
      const head = await this.#receipts.head(of.id)
      if (head === null || !isOf(of, head)) return false
      this.#index.datasets.uploaded(of.id, Date.now())
      return true
    })
  }

  async read(
    of: Published,
    file: DatasetFile,
    range: { readonly start: number; readonly end: number } = { start: 0, end: Number.POSITIVE_INFINITY },
  ): Promise<ByteStream> {
    const found = await this.#receipts.file(of, file)
    const end = Math.min(range.end, found.bytes)
    return byteStream(readFrom(this.#objects, { ...found, start: range.start, end }), async () => {})
  }

  async open(of: Published, file: DatasetFile): Promise<StoredReads> {
    return { read: readsOf(this.#objects, await this.#receipts.file(of, file)), [Symbol.asyncDispose]: async () => {} }
  }

  async stamp(of: Published, file: DatasetFile): Promise<FileStamp | null> {
    const { attempt, etag } = await this.#receipts.existing(of, file)
    const found = await this.#objects.head(fileKey(attempt, file))
    // Removed or replaced since.
    if (found === null) await this.#receipts.existing({ id: of.id, publish: etag }, file)
    return found === null ? null : { bytes: found.bytes, version: `${attempt} ${found.etag}` }
  }

  async withLocal<Result>(
    of: Published,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const { id } = of
    const committed = await this.#receipts.existing(of, ...files)
    const running = this.#useLocal(committed, files, use)
    const uses = this.#usesById.get(id) ?? new Set()
    this.#usesById.set(id, uses.add(running))
    try {
      return await running
    } catch (error) {
      // Fetched while it was removed or replaced.
      if (isServiceError(error, 'DATASET_DAMAGED')) await this.#receipts.existing({ id, publish: committed.etag })
      throw error
    } finally {
      uses.delete(running)
      if (uses.size === 0) this.#usesById.delete(id)
    }
  }

  async #useLocal<Result>(
    committed: Committed,
    files: readonly DatasetFile[],
    use: (paths: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const fetches = files.map((file) => ({
      name: cacheName(committed, file),
      fetch: (path: string) => fetchFile(this.#objects, fileKey(committed.attempt, file), path),
    }))
    return await this.#scratch.cache.during(fetches, use, cachePrefixes(committed))
  }

  async keep(id: string, name: string, bytes: Uint8Array): Promise<void> {
    const keyOf = (attempt: Attempt) => derivedKey(attempt, name)
    keyOf('')
    await this.#turns.take(id, async () => {
      const committed = await this.#receipts.committed(id)
      if (committed !== null) await this.#objects.put(keyOf(committed.attempt), withChecksum(bytes))
    })
  }

  async kept(id: string, name: string): Promise<Buffer | null> {
    const keyOf = (attempt: Attempt) => derivedKey(attempt, name)
    keyOf('')
    const committed = await this.#receipts.committed(id)
    const found = committed === null ? null : await this.#objects.get(keyOf(committed.attempt))
    return found === null ? null : withoutChecksum(found.body)
  }

  async keepState(name: string, bytes: Uint8Array): Promise<void> {
    await this.#objects.put(stateKey(name), withChecksum(bytes))
  }

  async keptState(name: string): Promise<Buffer | null> {
    const found = await this.#objects.get(stateKey(name))
    return found === null ? null : withoutChecksum(found.body)
  }

  async ownerOf(id: string): Promise<string | null> {
    return this.#index.datasets.get(id)?.owner ?? (await this.#receipts.committed(id))?.receipt.owner ?? null
  }

  async published(id: string): Promise<Published | null> {
    const head = await this.#receipts.head(id)
    return head && { id, publish: head.etag }
  }

  isCounted(id: string): boolean {
    return this.#index.datasets.has(id)
  }

  async catchUp(): Promise<void> {
    await this.#index.catchUp()
  }

  usage(owner: string): { readonly datasets: number; readonly bytes: number } {
    return this.#index.datasets.usage(owner)
  }

  olderThan(uploadedBefore: number, limit: number): readonly string[] {
    return this.#index.datasets.olderThan(uploadedBefore, limit)
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
    const late = setTimeout(lettingGoMsMax, undefined, { signal: givenUp.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#inBackground), late])
    givenUp.abort()
    await this.#opened.disposeAsync()
  }

  /**
   * The work after a commit. If it fails, the dataset exists all the same: it is added to the index when it is sent
   * again, or by a sweep.
   */
  async #hasCommitted(draft: Draft, receipt: Receipt, attempt: Attempt, upload: Upload): Promise<void> {
    await this.#index.add({ ...entryOf(receipt), lastUploadAt: endOf(upload) })
    await this.#objects.delete([pendingKey(attempt)])
    // Whoever has just sent a file looks at it next.
    for (const { file } of receipt.parts)
      await this.#scratch.cache.take(cacheName({ id: receipt.id, attempt }, file), join(draft.dir, file))
  }

  /** Removes the files of a dataset that no longer exists, or that has others now. */
  async #removeFiles({ id, attempt }: Committed): Promise<void> {
    await this.#scratch.cache.drop(...cachePrefixes({ id, attempt }))
    await sweepAttempt(this.#objects, attempt, id)
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

/** Sends the files of a draft to the bucket, under a prefix that no one else uses. */
async function send(draft: Draft, receipt: Receipt): Promise<Attempt> {
  assert(draft instanceof S3Draft, 'a draft is published by the store that made it')
  return await draft.send(receipt.id, storedFiles(receipt))
}
