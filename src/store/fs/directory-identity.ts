// Directory identity: whether directories and their lock file are still those that were opened. Knows nothing of what they hold.
import { stat } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'

const missingCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

/** True where a path leads nowhere. */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(errorCode(error))
}

/** What is to be said of a path that is gone, or is another than it was. */
interface Texts {
  readonly gone: string
  readonly replaced: string
}

const directoryTexts: Texts = {
  gone: 'its directory has gone',
  replaced: 'another directory stands in its place, to which it has no lock; the service has to be restarted',
}
/** A second process would make a lock file of its own, and neither would know of the other. */
const lockTexts: Texts = {
  gone: 'its lock file has been removed, so that another process could use it too; the service has to be restarted',
  replaced: 'its lock file has been replaced, so that another process may use it too; the service has to be restarted',
}

/**
 * A directory can be moved away, lose its mount, or have another put in its place while it is in use. Another is not ours
 * to write to: the lock is on the one that was opened, and so are the descriptors by which moves are synced. A lock file
 * that was removed or replaced keeps nobody out any more, so nothing is written either; it cannot be taken again safely,
 * because another process may have been first.
 */
export class DirectoryIdentity {
  readonly #directories: ReadonlyMap<string, string>
  readonly #lockFile: ReadonlyMap<string, string>

  private constructor(directories: ReadonlyMap<string, string>, lockFile: ReadonlyMap<string, string>) {
    this.#directories = directories
    this.#lockFile = lockFile
  }

  /** Remembers what stands at these paths now. */
  static async open(directories: readonly string[], lockFile: string): Promise<DirectoryIdentity> {
    return new DirectoryIdentity(await identities(directories), await identities([lockFile]))
  }

  /** @throws {ServiceError} STORE_UNAVAILABLE where one of them is not there, or is another; TOO_MANY_OPEN_FILES */
  async check(): Promise<void> {
    await checkAll(this.#directories, directoryTexts)
    // Later, so that a directory that has gone with its lock file is reported as that.
    await checkAll(this.#lockFile, lockTexts)
  }
}

async function checkAll(identityByPath: ReadonlyMap<string, string>, texts: Texts): Promise<void> {
  await Promise.all(
    [...identityByPath].map(async ([path, identity]) => {
      const found = await identityOf(path).catch((error) => {
        throw isMissing(error)
          ? new ServiceError('STORE_UNAVAILABLE', { problem: texts.gone }, error)
          : toStoreError(error)
      })
      if (found === identity) return
      const cause = new Error(`'${path}' is ${found}, was ${identity}`)
      throw new ServiceError('STORE_UNAVAILABLE', { problem: texts.replaced }, cause)
    }),
  )
}

async function identities(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(paths.map(async (path) => [path, await identityOf(path)] as const)))
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev} ${ino}`
}
