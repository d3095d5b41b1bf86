// S3 index: which datasets the bucket holds, as far as this process knows, and how it learns of changes by others.
import { DatasetIndex, type Entry } from '../dataset-index.ts'
import type { StoreLogger } from '../store.ts'
import { indexEntries, indexEntryPrefix, indexKey, indexKeyFrom, indexPrefix } from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'

/**
 * An entry may become visible this long after the time in its key: a dataset gets its time before its files are
 * written. Later ones are found when everything is listed. Milliseconds.
 */
const lateMsMax = 600_000
/** Datasets that others have removed are forgotten after this time at the latest. Milliseconds. */
const listAllEveryMs = 300_000

/** Milliseconds. */
const refreshEveryMs = 60_000

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

  /** Makes a dataset findable, for others with their next listing. If this fails, nobody finds it, not even here. */
  async add(entry: Entry): Promise<void> {
    await putEntry(this.#objects, entry)
    this.forget(entry.id)
    this.datasets.add(entry)
    this.#newestAt = Math.max(this.#newestAt, entry.createdAt)
  }

  /** Adds a name by which a dataset can be found. */
  async addName(id: string, name: string): Promise<void> {
    if (!this.datasets.isNewName(id, name)) return
    this.datasets.addName(id, name)
    const entry = this.datasets.get(id)
    if (entry === undefined) return
    await this.#objects.put(indexKey(entry, entry.names.length - 1, name.toLowerCase()), nothing)
  }

  /** Only here: for a dataset that turned out to be gone. */
  forget(id: string): Entry | undefined {
    this.#changed.add(id)
    return this.datasets.delete(id)
  }

  /** Removes the entries of a dataset for all processes. */
  async remove(entry: Pick<Entry, 'createdAt' | 'id'>): Promise<void> {
    this.forget(entry.id)
    const keys = await Array.fromAsync(this.#objects.list(indexEntryPrefix(entry)))
    await this.#objects.delete(keys)
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
    this.#newestAt = entries.reduce((newest, { createdAt }) => Math.max(newest, createdAt), this.#newestAt)
    return entries
  }

  #learn(entry: Entry): void {
    if (this.#changed.has(entry.id)) return
    const known = this.datasets.get(entry.id)
    if (known === undefined) this.datasets.add(entry)
    else for (const name of entry.names) this.datasets.addName(entry.id, name)
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
      .catch((error) => logger.warn({ error }, 'cannot list the datasets of others: tried again in a minute'))
  const timer = setInterval(() => void refresh(), refreshEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Writes the index entry of a dataset; no harm is done if it exists. */
export async function putEntry(objects: S3Objects, entry: Entry): Promise<void> {
  for (const [number, name] of entry.names.entries()) await objects.put(indexKey(entry, number, name), nothing)
}

const nothing = Buffer.alloc(0)
