// Directory identity: whether the directories at some paths are still those that were opened. Knows nothing of what they hold.
import { stat } from 'node:fs/promises'
import { ServiceError } from '../../core/errors.ts'
import { errorCode, toStoreError } from '../../core/storage-error.ts'

const missingCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR'])

/** True where a path leads nowhere. */
export function isMissing(error: unknown): boolean {
  return missingCodes.has(errorCode(error))
}

/**
 * A directory can be moved away, lose its mount, or have another put in its place while it is in use. Another is not ours
 * to write to: the lock is on the one that was opened, and so are the descriptors by which moves are synced.
 */
export class DirectoryIdentity {
  readonly #identityByPath: ReadonlyMap<string, string>

  private constructor(identityByPath: ReadonlyMap<string, string>) {
    this.#identityByPath = identityByPath
  }

  /** Remembers what stands at these paths now. */
  static async open(paths: readonly string[]): Promise<DirectoryIdentity> {
    return new DirectoryIdentity(
      new Map(await Promise.all(paths.map(async (path) => [path, await identityOf(path)] as const))),
    )
  }

  /** @throws {ServiceError} STORE_UNAVAILABLE where one of them is not there, or is another; TOO_MANY_OPEN_FILES */
  async check(): Promise<void> {
    await Promise.all(
      [...this.#identityByPath].map(async ([path, identity]) => {
        const found = await identityOf(path).catch((error) => {
          throw isMissing(error)
            ? new ServiceError('STORE_UNAVAILABLE', { problem: 'its directory has gone' }, error)
            : toStoreError(error)
        })
        if (found === identity) return
        const problem =
          'another directory stands in its place, to which it has no lock; the service has to be restarted'
        throw new ServiceError('STORE_UNAVAILABLE', { problem }, new Error(`'${path}' is ${found}, was ${identity}`))
      }),
    )
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev} ${ino}`
}
