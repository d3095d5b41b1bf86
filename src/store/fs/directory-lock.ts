// Directory lock: at most one process owns a data directory. Knows nothing of what is kept there.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ServiceError } from '../../core/errors.ts'

/** Two that start at the same moment can block each other for an instant: SQLite then tries again for this long. */
const waitMsMax = 250

/**
 * Makes this process the owner of `dir` until the result is disposed of or the process dies, in whatever way. The lock is
 * the operating system's own, taken through SQLite on the empty file `lock`, so that it cannot go stale. Nothing else in
 * this process may open that file, since closing it would drop the lock (POSIX fcntl). Why: docs/decisions/data-directory-lock.md.
 * @throws {ServiceError} DATA_DIRECTORY_IN_USE
 */
export async function lockDirectory(dir: string): Promise<AsyncDisposable> {
  const path = lockPath(dir)
  // For people only: who to look for. It may be out of date or absent, the lock never is.
  const ownerPath = join(dir, 'lock.owner')
  const database = new DatabaseSync(path)
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMsMax}; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE`)
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw new ServiceError('STORE_FAILED', {}, error)
    const owner = await readFile(ownerPath, 'utf8').catch(() => 'another process')
    throw new ServiceError('DATA_DIRECTORY_IN_USE', { dir, owner }, error)
  }
  await chmod(path, 0o600)
  await writeFile(ownerPath, `process ${process.pid} on ${hostname()}`, { mode: 0o600 })
  return {
    // It also holds on to the database, which the garbage collector would close.
    async [Symbol.asyncDispose]() {
      // Where the name of the owner cannot be removed, the lock goes all the same: that is what others wait for.
      await rm(ownerPath, { force: true }).catch(() => {})
      database.close()
    },
  }
}

/** The file that the lock is on. It can be looked at, but must not be opened by this process. */
export function lockPath(dir: string): string {
  return join(dir, 'lock')
}

/** SQLITE_BUSY, with which SQLite also answers where the file system knows no locks (ENOLCK). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}
