// Durable: what makes files and names in directories survive power loss. Knows nothing of datasets.
import { constants, type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '../../core/errors.ts'

export const directoryMode = 0o700
export const fileMode = 0o600
/** Windows can neither open nor sync a directory; NTFS keeps names in a journal of its own. */
const hasDirectorySync = process.platform !== 'win32'
/** Windows syncs only what was opened for writing. */
const syncFlags = process.platform === 'win32' ? constants.O_RDWR : constants.O_RDONLY | constants.O_NOFOLLOW

/**
 * Syncs a file that others have written and closed.
 *
 * @param bytes What its size must be; anything is right when left out.
 * @throws {Error} when it is missing, a link, or of another size.
 */
export async function syncFile(path: string, bytes?: number): Promise<void> {
  await using file = await open(path, syncFlags)
  if (bytes !== undefined) {
    const stat = await file.stat()
    if (!stat.isFile() || stat.size !== bytes) throw new Error(`'${path}' has ${stat.size} bytes, wanted ${bytes}`)
  }
  await file.sync()
}

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  if (hasDirectorySync) await syncFile(path)
}

/** Makes a file that must not exist yet, nor be a link to anything, and syncs it. Its name is not durable yet. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', fileMode)
  await file.writeFile(text)
  await file.sync()
}

/** Makes a directory with all above it, every name on the way durable. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: directoryMode })
  if (first === undefined) return
  for (let made = path; ; made = dirname(made)) {
    await syncDirectory(dirname(made))
    if (made === first) return
  }
}

/**
 * A directory that many rename into. Its sync is shared: calls that come while one runs are served together by the next.
 * Once a sync has failed, every later one fails as well: the system reports a failed write-back only once and then
 * takes the pages for clean, so a later success would prove nothing (Rebello et al., USENIX ATC 2020; PostgreSQL's
 * fsync notes draw the same conclusion). Only a restart, which reads what is really there, helps.
 */
export class SharedDirectory implements AsyncDisposable {
  readonly #handle: FileHandle | null
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | null = null

  private constructor(handle: FileHandle | null) {
    this.#handle = handle
  }

  static async open(path: string): Promise<SharedDirectory> {
    return new SharedDirectory(hasDirectorySync ? await open(path, syncFlags) : null)
  }

  /** Resolves when every name put into the directory before the call is durable. */
  sync(): Promise<void> {
    // A rejected #running passes its rejection on, and #next then stays as it is: that is what makes a failure final.
    this.#next ??= this.#running.then(() => {
      this.#running = this.#handle?.sync().catch(unsure) ?? Promise.resolve()
      this.#next = null
      return this.#running
    })
    return this.#next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing was written by this handle: a failure to close it can lose nothing, and is no reason to end with an error.
    await this.#handle?.close().catch(() => {})
  }
}

function unsure(error: unknown): never {
  const problem = 'a write to it failed, after which nothing is acknowledged until the service is restarted'
  throw new ServiceError('STORE_UNAVAILABLE', { problem }, error)
}
