// Directory lock: at most one process owns a data directory. Knows nothing of its content.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ServiceError } from '../../core/errors.ts'

/** Two processes that start at the same moment can block each other briefly: SQLite retries for this long. */
const waitMsMax = 250

/**
 * Makes this process the owner of `dir` until the result is disposed or the process dies, in whatever way. The lock is
 * the operating system's own, taken through SQLite on the empty file `lock`, so that it cannot go stale. Nothing else in
 * this process may open that file, since closing it would drop the lock (POSIX fcntl). Why: docs/decisions/data-directory-lock.md.
 * @throws {ServiceError} DATA_DIRECTORY_IN_USE
 */
export async function lockDirectory(dir: string): Promise<AsyncDisposable> {
  const path = lockPath(dir)
  // For people only: which process to look for. The file may be outdated or absent; the lock never is.
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
  await writeFile(ownerPath, `process ${process.pid} on ${hostname()}`, { mode: 0o600 }).catch(() => {})
  return {
    // The closure also keeps the garbage collector from closing the database.
    async [Symbol.asyncDispose]() {
      // Even if the name of the owner cannot be removed, the lock is released: others wait for it.
      await rm(ownerPath, { force: true }).catch(() => {})
      database.close()
    },
  }
}

/** The file that is locked. It may be inspected, but this process must not open it. */
export function lockPath(dir: string): string {
  return join(dir, 'lock')
}

/** SQLITE_BUSY; SQLite also returns it if the file system has no locks (ENOLCK). */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}
