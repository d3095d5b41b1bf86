// Durable: makes files and the names in directories survive power loss, and removes them. Knows nothing of datasets.
import { mkdirSync, renameSync, statfsSync } from 'node:fs'
import { constants, mkdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { errorCode } from '../../core/storage-error.ts'
import { OpenFile } from './open-file.ts'
import { shortCalls } from './short-calls.ts'

export const directoryMode = 0o700
export const fileMode = 0o600
/** Windows can neither open nor sync a directory; NTFS journals names itself. */
export const hasDirectorySync = process.platform !== 'win32'
/** Windows syncs only files opened for writing. */
const syncFlags = process.platform === 'win32' ? constants.O_RDWR : constants.O_RDONLY | constants.O_NOFOLLOW

/**
 * Syncs a file that others have written and closed.
 *
 * @param bytes The expected size; not checked if absent.
 * @throws {Error} if it is missing, a link, or of another size.
 */
export async function syncFile(path: string, bytes?: number): Promise<void> {
  await using file = await OpenFile.open(path, syncFlags)
  if (bytes !== undefined) {
    const stat = file.stat()
    if (!stat.isFile() || stat.size !== bytes) throw new Error(`'${path}' has ${stat.size} bytes, expected ${bytes}`)
  }
  await file.sync()
}

/** Makes the entries of a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  if (hasDirectorySync) await syncFile(path)
}

/** Creates a file and syncs it; its name is not durable yet. Nothing may exist at its path, not even a link. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await using file = await OpenFile.create(path, fileMode)
  await file.write(Buffer.from(text), 0)
  await file.sync()
}

/** Files that are written and stay open until they are synced. Disposing closes them. */
export class UnsyncedFiles implements AsyncDisposable {
  readonly #files: OpenFile[] = []

  /** Creates a file; neither its name nor its bytes are durable yet. Nothing may exist at its path, not even a link. */
  async write(path: string, text: string): Promise<void> {
    const file = await OpenFile.create(path, fileMode)
    this.#files.push(file)
    await file.write(Buffer.from(text), 0)
  }

  get syncs(): readonly (() => Promise<void>)[] {
    return this.#files.map((file) => async () => {
      await file.sync()
      await file.close()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()))
  }
}

/** Creates a directory whose name is not durable yet. */
export async function makeNewDirectory(path: string): Promise<void> {
  const mode = { mode: directoryMode }
  await shortCalls.run(
    () => mkdirSync(path, mode),
    () => mkdir(path, mode),
  )
}

/** Renames a directory; that is not durable yet. */
export async function renameDirectory(from: string, to: string): Promise<void> {
  await shortCalls.run(
    () => renameSync(from, to),
    () => rename(from, to),
  )
}

/**
 * Creates a directory with all its parents, if it does not exist, every new name durable. One level at a time: with
 * `recursive`, Node tries forever where the system creates nothing, as in /proc. Returns its absolute path without
 * symbolic links.
 */
export async function makeDirectory(path: string): Promise<string> {
  const parent = dirname(path)
  const isNew = await isMade(path).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error
    await makeDirectory(parent)
    return isMade(path)
  })
  if (isNew) await syncDirectory(await realpath(parent))
  return await realpath(path)
}

/** False if it existed. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: directoryMode })
    return true
  } catch (error) {
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory()) return false
    throw error
  }
}

/**
 * Removes a file or a directory with everything in it, if it exists. A child of a killed process may live a moment
 * longer and add a file meanwhile (ENOTEMPTY), hence the retries.
 */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** Free bytes for new data on the disk of a path. */
export async function freeBytesAt(path: string): Promise<number> {
  // On this thread: the kernel keeps the count, and handing the call over takes longer.
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/**
 * A directory with many renames into it. They share syncs: calls made while one runs are served together by the next.
 * Once a sync has failed, every later one fails as well: the system reports a failed write-back only once and then
 * considers the pages clean, so a later success would prove nothing (Rebello et al., USENIX ATC 2020; PostgreSQL's
 * fsync notes draw the same conclusion). Only a restart, which reads what is really on disk, helps.
 */
export class SharedDirectory implements AsyncDisposable {
  readonly #directory: OpenFile | null
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  private constructor(directory: OpenFile | null) {
    this.#directory = directory
  }

  static async open(path: string): Promise<SharedDirectory> {
    return new SharedDirectory(hasDirectorySync ? await OpenFile.open(path, syncFlags) : null)
  }

  /** Resolves when every name put into the directory before the call is durable. */
  sync(): Promise<void> {
    // A rejection of #running is passed on, and #next then stays as it is: this makes a failure final.
    this.#next ??= this.#running.then(() => {
      this.#running = this.#directory?.sync().catch(unsure) ?? Promise.resolve()
      this.#next = null
      return this.#running
    })
    return this.#next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing was written through this handle, so a failure to close it loses nothing and is not worth an error.
    await this.#directory?.close().catch(() => {})
  }
}

function unsure(error: unknown): never {
  const problem = 'a write to it failed; nothing is acknowledged until the service is restarted'
  throw new ServiceError('STORE_UNAVAILABLE', { problem }, error)
}
