// Directory format: the number of a data directory's layout, by which a version refuses what only a later one can read.
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { syncDirectory, writeNewFile } from '../../io/files/durable.ts'
import { isMissing } from './directory-identity.ts'

/** Rises whenever a version could not open what this one writes; whoever raises it reads the numbers before, too. */
export const formatNow = '1'

/**
 * Refuses a directory of a later format, and writes the number into one without, which is new or as old as format 1.
 * Call it with the lock held.
 * @throws {ServiceError} DATA_FORMAT_NEWER
 */
export async function openFormat(dir: string): Promise<void> {
  const format = await formatOf(dir)
  if (format !== null && format !== formatNow)
    throw new ServiceError('DATA_FORMAT_NEWER', { dir, format, known: formatNow })
  if (format === null) await writeFormat(dir)
}

/** As written; null if there is no number. */
export async function formatOf(dir: string): Promise<string | null> {
  try {
    return (await readFile(join(dir, 'format'), 'utf8')).trim()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** With one rename, so that no crash leaves half a number. */
async function writeFormat(dir: string): Promise<void> {
  const newPath = join(dir, 'format.new')
  await rm(newPath, { force: true })
  await writeNewFile(newPath, `${formatNow}\n`)
  await rename(newPath, join(dir, 'format'))
  await syncDirectory(dir)
}
