// Kept file: a small file that is replaced as a whole and carries its checksum, so that a torn one counts as absent. Knows no store.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode, toStoreError } from '../../core/storage-error.ts'
import { directoryMode, fileMode } from '../../io/files/durable.ts'
import { withChecksum, withoutChecksum } from '../checksum-line.ts'

/**
 * Not synced: after a crash the file may be missing or torn, which its checksum shows. `newPath` is on the same file
 * system.
 */
export async function writeKept(path: string, bytes: Uint8Array, newPath: string): Promise<void> {
  await writeFile(newPath, withChecksum(bytes), { flag: 'wx', mode: fileMode })
  await mkdir(dirname(path), { recursive: true, mode: directoryMode })
  await rename(newPath, path)
}

/**
 * The text given to `writeKept`; null if there is none, or it is damaged. @throws {ServiceError} STORE_UNAVAILABLE,
 * STORE_FAILED
 */
export async function readKept(path: string): Promise<Buffer | null> {
  try {
    return withoutChecksum(await readFile(path))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw toStoreError(error)
  }
}
