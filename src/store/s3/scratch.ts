// Scratch: the local directory of a process that stores datasets elsewhere, with drafts, unfinished uploads, and the cache. One process owns it.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BucketMeter } from '../../core/meter.ts'
import { toStoreError } from '../../core/storage-error.ts'
import {
  freeBytesAt,
  makeDirectory,
  removeTree,
  SharedDirectory,
  syncDirectory,
  writeNewFile,
} from '../../io/files/durable.ts'
import { openFormat } from '../fs/directory-format.ts'
import { lockDirectory } from '../fs/directory-lock.ts'
import { draftFolders, makeDraft } from '../fs/fs-draft.ts'
import { type FsPaths, fsPaths } from '../fs/fs-paths.ts'
import { Spools } from '../spool/spool.ts'
import type { Draft, StoreLogger } from '../store.ts'
import { LocalCache } from './local-cache.ts'

/** A private directory; disposing removes it. */
export interface LocalDraft extends AsyncDisposable {
  readonly dir: string
  readonly folder: Draft['folder']
}

export interface ScratchOptions {
  readonly dir: string
  readonly cacheBytesMax: number
  readonly logger: StoreLogger
  readonly meter?: BucketMeter
}

export class Scratch implements AsyncDisposable {
  readonly spools: Spools
  readonly cache: LocalCache
  readonly #paths: FsPaths
  readonly #opened: AsyncDisposableStack

  private constructor(paths: FsPaths, spools: Spools, cache: LocalCache, opened: AsyncDisposableStack) {
    this.#paths = paths
    this.spools = spools
    this.cache = cache
    this.#opened = opened
  }

  /** Removes the drafts of an earlier process, and finds its unfinished uploads. @throws {ServiceError} DATA_DIRECTORY_IN_USE, DATA_FORMAT_NEWER, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED */
  static async open({ dir, cacheBytesMax, logger, meter }: ScratchOptions): Promise<Scratch> {
    try {
      await using opened = new AsyncDisposableStack()
      const paths = fsPaths(await makeDirectory(dir))
      const { root, incoming, uploads } = paths
      opened.use(await lockDirectory(root))
      await openFormat(root)
      for (const path of [incoming, uploads]) await makeDirectory(path)
      await syncDirectory(root)
      for (const name of await readdir(incoming)) await removeTree(join(incoming, name))
      const shared = { incoming: opened.use(await SharedDirectory.open(incoming)) }
      const spools = opened.use(await Spools.open({ ...shared, paths, logger }))
      const cache = await LocalCache.open(join(root, 'cache'), cacheBytesMax, meter?.cached)
      return new Scratch(paths, spools, cache, opened.move())
    } catch (error) {
      throw toStoreError(error)
    }
  }

  async draft(): Promise<LocalDraft> {
    const dir = this.#paths.newPath()
    try {
      await makeDraft(dir)
    } catch (error) {
      await removeTree(dir)
      throw toStoreError(error)
    }
    return { dir, folder: draftFolders(dir), [Symbol.asyncDispose]: () => removeTree(dir) }
  }

  freeBytes(): Promise<number> {
    return freeBytesAt(this.#paths.root)
  }

  /** Resolves if files can be written here. */
  async check(): Promise<void> {
    const path = this.#paths.newPath()
    try {
      await writeNewFile(path, 'probe')
    } finally {
      await removeTree(path)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}
