// Link or copy: gives a file that never changes a second name. Knows nothing of what it holds.
import { constants, copyFile, link } from 'node:fs/promises'
import { throwStoreError } from '../core/storage-error.ts'

/** Makes a hard link if the file system supports it, or else a copy. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch(throwStoreError)
  }
}
