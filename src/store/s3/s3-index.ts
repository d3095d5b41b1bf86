// S3 index: which datasets the bucket holds, as far as this process knows, and how it learns of changes by others.
import { forEachLimit } from '../../io/for-each-limit.ts'
import { withoutChecksum } from '../checksum-line.ts'
import { DatasetIndex, dismissedName, type Entry, factsOf } from '../dataset-index.ts'
import type { StoreLogger } from '../store.ts'
import {
  derivedKey,
  indexEntries,
  indexKeyFrom,
  indexPrefix,
  type ListedEntry,
  movedId,
  movesFrom,
  movesPrefix,
} from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'
import { readReceipt } from './s3-receipts.ts'

/**
 * An entry may become visible this long after the time in its key, which is that just before its receipt was written,
 * by the clock of the bucket. Later ones are found when everything is listed. Milliseconds.
 */
const lateMsMax = 600_000
/** Datasets that others have removed are forgotten after this time at the latest. Milliseconds. */
const listAllEveryMs = 300_000

/** What another process has published is seen within this time and that of a listing. Milliseconds. */
const refreshEveryMs = 5_000
const readsAtOnceMax = 16

type IndexObjects = Pick<S3Objects, 'list' | 'listPages' | 'get' | 'now'>

/** The index of a bucket. It may lag behind changes by others: only a receipt shows whether a dataset exists. */
export class S3Index implements Disposable {
  readonly datasets = DatasetIndex.create()
  readonly #objects: IndexObjects
  #listedAllAt = Number.NEGATIVE_INFINITY
  #newestAt = 0
  #refreshing: Promise<void> | null = null
  #describing: Promise<void> | null = null
  #movesSeen: ReadonlySet<string> = new Set()
  /** When the moves were last read completely, by the clock of the bucket. Epoch milliseconds. */
  #movesReadAt: number | null = null
  /** Changed here while everything is being listed; the list is older. */
  readonly #changed = new Set<string>()

  constructor(objects: IndexObjects) {
    this.#objects = objects
  }

  /** Learns what others have added. Concurrent calls share one listing. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    await this.#refreshing
  }

  /**
   * Like `refresh`, but sure to include everything that existed when it was called: a listing in progress may have
   * passed some of it.
   */
  async catchUp(): Promise<void> {
    await this.#refreshing?.catch(() => {})
    await this.refresh()
  }

  /** Only here: a dataset was put in the trash at a time, or taken out. */
  move(id: string, trashedAt: number | null): void {
    this.#changed.add(id)
    if (this.datasets.get(id)?.trashedAt !== trashedAt) this.datasets.move(id, trashedAt)
  }

  /** Only here: a dataset was published, repaired or removed, or turned out to be gone. Returns what was known of it. */
  forget(id: string): Entry | undefined {
    this.#changed.add(id)
    return this.#remove(id)
  }

  #remove(id: string): Entry | undefined {
    const entry = this.datasets.delete(id)
    this.datasets.markSure(id)
    return entry
  }

  /** Only here, see `complete` for all processes. */
  add(entry: Entry): void {
    this.forget(entry.id)
    this.datasets.add(entry)
  }

  [Symbol.dispose](): void {
    this.datasets[Symbol.dispose]()
  }

  async #refresh(): Promise<void> {
    const now = performance.now()
    const isAll = now - this.#listedAllAt > listAllEveryMs
    this.#changed.clear()
    // What is listed is sure again.
    if (isAll) this.datasets.markAllUnsure()
    const from = isAll ? indexPrefix : indexKeyFrom(this.#newestAt - lateMsMax)
    for await (const keys of this.#objects.listPages(indexPrefix, from)) await this.#learnAll(indexEntries(keys))
    if (isAll) this.#removeUnsure()
    await this.#readMoves()
    // Whoever restored one may have ended before it could tell others.
    if (isAll) await this.#lookAt(this.datasets.expiredTrash(Number.POSITIVE_INFINITY, 0))
    if (isAll) this.#listedAllAt = now
  }

  #removeUnsure(): void {
    this.datasets.together(() => {
      for (const id of this.datasets.unsureIds()) {
        if (this.#changed.has(id)) this.datasets.markSure(id)
        else this.#remove(id)
      }
    })
  }

  async #lookAt(some: Iterable<{ readonly id: string }>): Promise<void> {
    await forEachLimit(some, readsAtOnceMax, ({ id }) => this.#look(id))
  }

  /** Learns what others have put in the trash or taken out. */
  async #readMoves(): Promise<void> {
    const now = this.#objects.now()
    const from = movesFrom((this.#movesReadAt ?? now) - lateMsMax)
    const keys = await Array.fromAsync(this.#objects.list(movesPrefix, from))
    const moved = new Set(keys.filter((key) => !this.#movesSeen.has(key)).map(movedId))
    await this.#lookAt([...moved].flatMap((id) => (id === null ? [] : [{ id }])))
    // Only now: what could not be read is looked at again.
    this.#movesSeen = new Set(keys)
    this.#movesReadAt = now
  }

  /**
   * Reads the receipts of datasets of which only keys are known; concurrent calls share the work. Until then, these
   * are in lists, but what orders and filters need of them is unknown.
   */
  async describe(): Promise<void> {
    this.#describing ??= this.#lookAt(this.datasets.undescribed()).finally(() => {
      this.#describing = null
    })
    await this.#describing
  }

  /** Learns from the receipt of a dataset what its keys do not say. */
  async #look(id: string): Promise<void> {
    const before = this.datasets.get(id)
    const found = await readReceipt(this.#objects, id)
    const now = this.datasets.get(id)
    if (before === undefined || now === undefined) return
    // Changed here since.
    if (now.trashedAt !== before.trashedAt || now.createdAt !== before.createdAt) return
    if (found === null || found.isTombstone) return void this.#remove(id)
    // A damaged receipt says nothing.
    if (found.committed === null) return
    const { receipt, trashedAt, attempt } = found.committed
    const facts = factsOf(receipt)
    const kept = facts.rejectCount === 0 ? null : await this.#objects.get(derivedKey(attempt, dismissedName))
    const isDismissed = kept !== null && withoutChecksum(kept.body)?.toString() === 'true'
    this.datasets.describe(id, facts)
    if (trashedAt !== now.trashedAt) this.datasets.move(id, trashedAt)
    if (isDismissed !== now.isDismissed) this.datasets.dismiss(id, isDismissed)
  }

  async #learnAll(entries: readonly ListedEntry[]): Promise<void> {
    const others = new Set<Entry>()
    await forEachLimit(entries.filter(this.#isDoubtful), readsAtOnceMax, async (entry) => {
      const found = await readReceipt(this.#objects, entry.id)
      if (found?.facts?.attempt !== entry.attempt) others.add(entry)
    })
    this.datasets.together(() => {
      for (const entry of entries) if (!others.has(entry)) this.#learn(entry)
    })
    this.#newestAt = entries.reduce((newest, { lastUploadAt }) => Math.max(newest, lastUploadAt), this.#newestAt)
  }

  /**
   * True for an entry of another publish than the known one, and not certainly of a later one: it may be left over from
   * an earlier publish, or what is newer may be an upload of the known one before it was removed.
   */
  readonly #isDoubtful = (entry: Entry): boolean => {
    const known = this.datasets.get(entry.id)
    return known !== undefined && !isSame(known, entry) && entry.lastUploadAt <= known.lastUploadAt
  }

  #learn(entry: Entry): void {
    if (this.#changed.has(entry.id)) return
    const known = this.datasets.get(entry.id)
    if (known !== undefined && isSame(known, entry)) {
      for (const name of entry.names) this.datasets.addName(entry.id, name)
    } else {
      this.datasets.delete(entry.id)
      this.datasets.add(entry)
    }
    this.datasets.uploaded(entry.id, entry.lastUploadAt)
  }
}

/** True if both are of one publish, or of its repair. */
function isSame(known: Entry, { createdAt, bytes }: Entry): boolean {
  return known.createdAt === createdAt && known.bytes === bytes
}

/**
 * Refreshes the index now and then until disposed: quotas and expiry count what others have added, even if nobody
 * lists datasets.
 */
export function startRefreshes(index: S3Index, logger: StoreLogger): Disposable {
  const refresh = () =>
    index
      .refresh()
      .then(() => index.describe())
      .catch((error) => logger.warn({ error }, 'cannot list the datasets of others: tried again in some seconds'))
  const timer = setInterval(() => void refresh(), refreshEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
