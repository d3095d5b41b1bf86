// Directory identity: whether directories and their lock file are still the ones that were opened. Knows nothing of their content.
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import type { FileStamp } from '../store.ts'

const missingCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

/** True if nothing exists at a path. */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(errorCode(error))
}

/** The problem with a path that is gone or has been replaced. */
interface Texts {
  readonly gone: string
  readonly replaced: string
}

const directoryTexts: Texts = {
  gone: 'its directory is gone',
  replaced: 'another directory is in its place, which the service has not locked; restart the service',
}
/** A second process would create a lock file of its own, and neither would know of the other. */
const lockTexts: Texts = {
  gone: 'its lock file has been removed, so another process could use it too; restart the service',
  replaced: 'its lock file has been replaced, so another process may use it too; restart the service',
}

/**
 * While a directory is in use, it can be moved away, replaced, or lose its mount. We must not write to a replacement:
 * the lock is on the directory that was opened, as are the descriptors used to sync moves. Nor do we write after the
 * lock file was removed or replaced, since it no longer keeps other processes out; taking the lock again would not be
 * safe, because another process may have been first.
 */
export class DirectoryIdentity {
  readonly #known: readonly { readonly path: string; readonly identity: string; readonly texts: Texts }[]

  /** Remembers what is at these paths now. */
  constructor(directories: readonly string[], lockFile: string) {
    const known = (path: string, texts: Texts) => ({ path, identity: identityOf(path), texts })
    // The lock file is the last, so that a directory that is gone together with it is reported as gone.
    this.#known = [...directories.map((path) => known(path, directoryTexts)), known(lockFile, lockTexts)]
  }

  /** @throws {ServiceError} STORE_UNAVAILABLE if one of them is gone or has been replaced; TOO_MANY_OPEN_FILES */
  async check(): Promise<void> {
    for (const { path, identity, texts } of this.#known) {
      const found = identityNow(path, texts)
      if (found === identity) continue
      const cause = new Error(`'${path}' is ${found}, was ${identity}`)
      throw new ServiceError('STORE_UNAVAILABLE', { problem: texts.replaced }, cause)
    }
  }
}

function identityNow(path: string, texts: Texts): string {
  try {
    return identityOf(path)
  } catch (error) {
    throw isMissing(error) ? new ServiceError('STORE_UNAVAILABLE', { problem: texts.gone }, error) : toStoreError(error)
  }
}

/**
 * On this thread: the kernel has such directories in memory, and handing the call to another thread takes twenty times
 * as long.
 */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}

/**
 * Shows whether a file has been changed; null if there is none. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
 */
export async function stampOf(path: string): Promise<FileStamp | null> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(path)
    // A second name for the file changes its ctime, so ctime is left out.
    return { bytes: size, version: `${dev} ${ino} ${size} ${mtimeMs}` }
  } catch (error) {
    if (isMissing(error)) return null
    throw toStoreError(error)
  }
}
