// File-system records: the upload records in the directory of a dataset, one small file each. Knows nothing of other files.
import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Upload } from '../../core/receipt.ts'
import { errorCode } from '../../core/storage-error.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import { directoryMode, fileMode, syncDirectory, writeNewFile } from './durable.ts'

const recordsName = 'uploads'
const uploadIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** A file that is sent every minute would leave half a million records a year. */
const recordsMax = 1_000

/**
 * Writes the record that a dataset begins with into its directory, after those taken over from another. Gives the paths of
 * all of them below that directory; neither they nor their names are durable yet.
 */
export async function writeFirstRecords(
  datasetDir: string,
  upload: Upload,
  takenOverFrom: string | null,
): Promise<readonly string[]> {
  const dir = recordsDir(datasetDir)
  await mkdir(dir, { mode: directoryMode })
  const olderDir = takenOverFrom === null ? null : recordsDir(takenOverFrom)
  const older = olderDir === null ? [] : await recordNames(olderDir)
  for (const name of older) await linkOrCopy(join(olderDir ?? dir, name), join(dir, name))
  await writeFile(join(dir, recordName(upload)), textOf(upload), { flag: 'wx', mode: fileMode })
  return [...older, recordName(upload)].map((name) => posix.join(recordsName, name))
}

/** Writes a record to a new file, and syncs it. Its name is not durable yet. */
export async function writeRecord(path: string, upload: Upload): Promise<void> {
  await writeNewFile(path, textOf(upload))
}

function textOf(upload: Upload): string {
  return `${JSON.stringify({ version: 1, ...upload })}\n`
}

/** Moves a written record to its dataset; durable when it resolves. Of too many, the oldest goes, but never the first. */
export async function addRecord(path: string, datasetDir: string, upload: Upload): Promise<void> {
  const dir = recordsDir(datasetDir)
  await mkdir(dir, { mode: directoryMode }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  await rename(path, join(dir, recordName(upload)))
  const [, ...others] = await recordNames(dir)
  const surplus = others.slice(0, Math.max(0, others.length + 1 - recordsMax))
  for (const name of surplus) await rm(join(dir, name), { force: true })
  await syncDirectory(dir)
}

function recordsDir(datasetDir: string): string {
  return join(datasetDir, recordsName)
}

function recordName({ id }: Upload): string {
  assert(uploadIdPattern.test(id), `'${id}' is no upload id`)
  return `${id}.json`
}

/** The oldest first: upload ids sort by time. */
async function recordNames(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch((error) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  return names.toSorted()
}
