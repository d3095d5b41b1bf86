// Local cache: files that never change, fetched once and kept up to a total size. Does not know where they come from.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError } from '../../core/errors.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'

/** Files that one caller fetches at once. */
const fetchesAtOnceMax = 4

interface CacheEntry {
  readonly bytes: number
  /** Number of current users; a file in use is not removed. */
  users: number
}

/** A file in use, until disposed. */
export interface CachedFile extends Disposable {
  readonly path: string
}

export class LocalCache {
  readonly #dir: string
  readonly #bytesMax: number
  readonly #onUse: (isHit: boolean) => void
  /** Least recently used first. */
  readonly #files = new Map<string, CacheEntry>()
  /** Whether the file exists. It is not removed before whoever waits for it can use it. */
  readonly #fetching = new Map<string, Promise<boolean>>()
  #totalBytes = 0

  private constructor(dir: string, bytesMax: number, onUse: (isHit: boolean) => void) {
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#onUse = onUse
  }

  /**
   * Finds the files that an earlier process left.
   * @param bytesMax Total size of files that are not in use, in bytes.
   * @param onUse Called for each use of a file.
   */
  static async open(dir: string, bytesMax: number, onUse: (isHit: boolean) => void = () => {}): Promise<LocalCache> {
    const cache = new LocalCache(dir, bytesMax, onUse)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const found: { name: string; bytes: number; usedMs: number }[] = []
    for (const name of await readdir(dir)) {
      const { size, atimeMs, mtimeMs } = await stat(join(dir, name))
      found.push({ name, bytes: size, usedMs: Math.max(atimeMs, mtimeMs) })
    }
    for (const { name, bytes } of found.toSorted((a, b) => a.usedMs - b.usedMs)) cache.#add(name, bytes)
    await cache.#makeRoom()
    return cache
  }

  /**
   * The file of that name, fetched if it is not cached; null if it does not exist. Concurrent callers share one fetch.
   *
   * @param fetch Writes the file to a path, and returns false if it does not exist. For a later caller, the `fetch` of
   * an earlier one may run.
   */
  async use(name: string, fetch: (path: string) => Promise<boolean>): Promise<CachedFile | null> {
    this.#onUse(this.#files.has(name))
    while (!this.#files.has(name)) {
      if (!(await (this.#fetching.get(name) ?? this.#fetch(name, fetch)))) return null
    }
    return this.#hold(name)
  }

  /**
   * The paths of files, fetched if they are not cached, while `use` runs. Nothing is at the path of a missing file. If
   * `use` finds a damaged file, the fault may be in the copy: those with the prefix are dropped, and fetched next time.
   */
  async during<Result>(
    files: readonly { readonly name: string; fetch(path: string): Promise<boolean> }[],
    use: (paths: readonly string[]) => Promise<Result>,
    prefix: string,
  ): Promise<Result> {
    try {
      using held = new DisposableStack()
      const byName = new Map(files.map((file) => [file.name, file]))
      await forEachLimit(byName.values(), fetchesAtOnceMax, async ({ name, fetch }) => {
        const cached = await this.use(name, fetch)
        if (cached !== null) held.use(cached)
      })
      return await use(files.map(({ name }) => join(this.#dir, name)))
    } catch (error) {
      if (isServiceError(error, 'DATASET_DAMAGED')) await this.drop(prefix)
      throw error
    }
  }

  /** Moves a file in, unless it is already there. */
  async take(name: string, path: string): Promise<void> {
    if (this.#files.has(name)) return
    const { size } = await stat(path)
    await rename(path, join(this.#dir, name))
    this.#add(name, size)
    await this.#makeRoom()
  }

  /** Removes files whose names have this prefix; those in use stay on disk until they are released. */
  async drop(namePrefix: string): Promise<void> {
    for (const [name, { users }] of [...this.#files]) {
      if (name.startsWith(namePrefix) && users === 0) await this.#remove(name)
    }
  }

  async #fetch(name: string, fetch: (path: string) => Promise<boolean>): Promise<boolean> {
    const path = join(this.#dir, name)
    const partPath = `${path}.part`
    const running = (async () => {
      try {
        if (!(await fetch(partPath))) return false
        const { size } = await stat(partPath)
        await rename(partPath, path)
        this.#add(name, size)
        return true
      } catch (error) {
        throw toStoreError(error)
      } finally {
        await rm(partPath, { force: true })
        this.#fetching.delete(name)
      }
    })()
    this.#fetching.set(name, running)
    return await running
  }

  #hold(name: string): CachedFile {
    const cached = this.#files.get(name)!
    // Most recently used, so removed last.
    this.#files.delete(name)
    this.#files.set(name, cached)
    cached.users += 1
    void this.#makeRoom()
    let isHeld = true
    return {
      path: join(this.#dir, name),
      [Symbol.dispose]: () => {
        if (isHeld) cached.users -= 1
        isHeld = false
        void this.#makeRoom()
      },
    }
  }

  #add(name: string, bytes: number): void {
    // Moved in while it was being fetched, or the other way round.
    if (this.#files.has(name)) return
    this.#files.set(name, { bytes, users: 0 })
    this.#totalBytes += bytes
  }

  async #makeRoom(): Promise<void> {
    for (const [name, { users }] of this.#files) {
      if (this.#totalBytes <= this.#bytesMax) return
      if (users === 0 && !this.#fetching.has(name)) await this.#remove(name)
    }
  }

  async #remove(name: string): Promise<void> {
    const cached = this.#files.get(name)
    if (cached === undefined) return
    this.#files.delete(name)
    this.#totalBytes -= cached.bytes
    await rm(join(this.#dir, name), { force: true }).catch(() => {})
  }
}
