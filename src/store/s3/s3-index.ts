// S3 index: which datasets the bucket holds, as far as this process knows, and how it learns of changes by others.
import { DatasetIndex, type Entry } from '../dataset-index.ts'
import type { StoreLogger } from '../store.ts'
import { indexEntries, indexKeyFrom, indexPrefix } from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'

/**
 * An entry may become visible this long after the time in its key, which is that just before its receipt was written,
 * by the clock of the bucket. Later ones are found when everything is listed. Milliseconds.
 */
const lateMsMax = 600_000
/** Datasets that others have removed are forgotten after this time at the latest. Milliseconds. */
const listAllEveryMs = 300_000

/** What another process has published is seen within this time and that of a listing. Milliseconds. */
const refreshEveryMs = 5_000

/** The index of a bucket. It may lag behind changes by others: only a receipt shows whether a dataset exists. */
export class S3Index implements Disposable {
  datasets = DatasetIndex.create()
  readonly #objects: S3Objects
  #listedAllAt = Number.NEGATIVE_INFINITY
  #newestAt = 0
  #refreshing: Promise<void> | null = null
  /** Changed here while everything is being listed; the list is older. */
  readonly #changed = new Set<string>()

  constructor(objects: S3Objects) {
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

  /** Only here: a dataset was published, repaired or removed, or turned out to be gone. Returns what was known of it. */
  forget(id: string): Entry | undefined {
    this.#changed.add(id)
    return this.datasets.delete(id)
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
    if (now - this.#listedAllAt > listAllEveryMs) {
      this.#changed.clear()
      const listed = (await this.#listFrom(indexPrefix)).map((entry) => {
        const lastUploadAt = this.datasets.get(entry.id)?.lastUploadAt ?? 0
        return { ...entry, lastUploadAt: Math.max(lastUploadAt, entry.lastUploadAt) }
      })
      const own = [...this.#changed].flatMap((id) => this.datasets.get(id) ?? [])
      const before = this.datasets
      this.datasets = DatasetIndex.create([...listed.filter(({ id }) => !this.#changed.has(id)), ...own])
      before[Symbol.dispose]()
      this.#listedAllAt = now
    } else {
      this.#changed.clear()
      for (const entry of await this.#listFrom(indexKeyFrom(this.#newestAt - lateMsMax))) this.#learn(entry)
    }
  }

  async #listFrom(after: string): Promise<readonly Entry[]> {
    const keys = await Array.fromAsync(this.#objects.list(indexPrefix, after))
    const entries = indexEntries(keys)
    this.#newestAt = entries.reduce((newest, { lastUploadAt }) => Math.max(newest, lastUploadAt), this.#newestAt)
    return entries
  }

  #learn(entry: Entry): void {
    if (this.#changed.has(entry.id)) return
    const known = this.datasets.get(entry.id)
    const isSame = known?.createdAt === entry.createdAt && known.bytes === entry.bytes
    if (known !== undefined && !isSame) this.datasets.delete(entry.id)
    if (!isSame) this.datasets.add(entry)
    else for (const name of entry.names) this.datasets.addName(entry.id, name)
    this.datasets.uploaded(entry.id, entry.lastUploadAt)
  }
}

/**
 * Refreshes the index now and then until disposed: quotas and expiry count what others have added, even if nobody
 * lists datasets.
 */
export function startRefreshes(index: S3Index, logger: StoreLogger): Disposable {
  const refresh = () =>
    index
      .refresh()
      .catch((error) => logger.warn({ error }, 'cannot list the datasets of others: tried again in some seconds'))
  const timer = setInterval(() => void refresh(), refreshEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
