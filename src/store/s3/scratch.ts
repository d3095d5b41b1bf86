// Scratch: the local directory of a process that stores datasets elsewhere, with drafts, copies of unfinished uploads, and the cache. One process owns it.
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toStoreError } from '../../core/storage-error.ts'
import { lockDirectory } from '../fs/directory-lock.ts'
import { freeBytesAt, makeDirectory, removeTree, syncDirectory, writeNewFile } from '../fs/durable.ts'
import { draftFolders, makeDraft } from '../fs/fs-draft.ts'
import { FsPaths } from '../fs/fs-paths.ts'
import { isUploadId } from '../name-rules.ts'
import type { Draft } from '../store.ts'
import { LocalCache } from './local-cache.ts'

/** A private directory; disposing removes it. */
export interface LocalDraft extends AsyncDisposable {
  readonly dir: string
  readonly folder: Draft['folder']
}

export class Scratch implements AsyncDisposable {
  /** Identifies the directory, for as long as it exists. */
  readonly id: string
  readonly cache: LocalCache
  readonly #paths: FsPaths
  readonly #opened: AsyncDisposableStack

  private constructor(paths: FsPaths, id: string, cache: LocalCache, opened: AsyncDisposableStack) {
    this.#paths = paths
    this.id = id
    this.cache = cache
    this.#opened = opened
  }

  /** Removes the drafts and copies of an earlier process. @throws {ServiceError} DATA_DIRECTORY_IN_USE, DISK_FULL, STORE_UNAVAILABLE, STORE_FAILED */
  static async open(dir: string, cacheBytesMax: number): Promise<Scratch> {
    try {
      await using opened = new AsyncDisposableStack()
      const paths = new FsPaths(await makeDirectory(dir))
      const { root, incoming, uploads } = paths
      opened.use(await lockDirectory(root))
      for (const path of [incoming, uploads]) await makeDirectory(path)
      await syncDirectory(root)
      for (const path of [incoming, uploads]) {
        for (const name of await readdir(path)) await removeTree(join(path, name))
      }
      const cache = await LocalCache.open(join(root, 'cache'), cacheBytesMax)
      return new Scratch(paths, await directoryId(join(root, 'replica')), cache, opened.move())
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

  /** The path for the bytes of an unfinished upload; nothing is there yet. */
  newUploadPath(id: string): string {
    return `${this.#paths.upload(id)}-${randomUUID()}`
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

/** Written once; a torn one is replaced. */
async function directoryId(path: string): Promise<string> {
  const known = await readFile(path, 'latin1').catch(() => '')
  if (isUploadId(known)) return known
  const id = randomUUID()
  await removeTree(path)
  await writeNewFile(path, id)
  return id
}
