// File-system records: the upload records in a dataset's directory, one small file each. Knows no other files.
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Upload } from '../../core/receipt.ts'
import { errorCode } from '../../core/storage-error.ts'
import { directoryMode, syncDirectory, type UnsyncedFiles, writeNewFile } from '../../io/files/durable.ts'
import { linkOrCopy } from '../../io/link-or-copy.ts'
import { endOf } from '../dataset-index.ts'

/** The directory of records, in that of a dataset. */
export const recordsName = 'uploads'
const uploadIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** A file sent every minute would otherwise leave half a million records a year. */
const recordsMax = 1_000
/** Marks the records that are read at startup: each added a name by which the dataset can be found. */
const nameMark = '-name.json'

/**
 * Writes the first record of a dataset to its directory of records, as one of `files`, after those taken over from
 * another dataset. Returns the paths of the latter, relative to the dataset. Neither they nor any names are durable
 * yet.
 */
export async function writeFirstRecords(
  dir: string,
  upload: Upload,
  takenOverFrom: string | null,
  files: UnsyncedFiles,
): Promise<readonly string[]> {
  const olderDir = takenOverFrom === null ? null : recordsDir(takenOverFrom)
  const older = olderDir === null ? [] : await recordNames(olderDir)
  const taken: string[] = []
  for (const [at, from] of older.entries()) {
    // The receipt will have the new name, so the first record must keep the old one.
    const to = at === 0 ? marked(from) : from
    await linkOrCopy(join(olderDir ?? dir, from), join(dir, to))
    taken.push(to)
  }
  await files.write(join(dir, recordName(upload)), textOf(upload))
  return taken.map((name) => posix.join(recordsName, name))
}

/** Writes a record to a new file, and syncs it. Its name is not durable yet. */
export async function writeRecord(path: string, upload: Upload): Promise<void> {
  await writeNewFile(path, textOf(upload))
}

function textOf(upload: Upload): string {
  return `${JSON.stringify({ version: 1, ...upload })}\n`
}

/**
 * Moves a written record to its dataset; durable once it resolves. If there are too many, the oldest is removed, but
 * never the first, nor one that added a new name.
 */
export async function addRecord(path: string, datasetDir: string, upload: Upload, bringsName: boolean): Promise<void> {
  const dir = recordsDir(datasetDir)
  await mkdir(dir, { mode: directoryMode }).catch((error) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  const name = recordName(upload)
  await rename(path, join(dir, bringsName ? marked(name) : name))
  const [, ...others] = await recordNames(dir)
  const plain = others.filter((one) => !one.endsWith(nameMark))
  const surplus = plain.slice(0, Math.max(0, others.length + 1 - recordsMax))
  for (const name of surplus) await rm(join(dir, name), { force: true })
  await syncDirectory(dir)
}

/** File names that records added to the receipt's. Unreadable records are skipped. */
export async function namesOfRecords(datasetDir: string): Promise<readonly string[]> {
  const dir = recordsDir(datasetDir)
  const names: string[] = []
  const records = await recordNames(dir).catch(() => [])
  for (const record of records.filter((one) => one.endsWith(nameMark))) {
    const fileName = await readFile(join(dir, record), 'utf8').then(fileNameOf, () => null)
    if (fileName !== null) names.push(fileName)
  }
  return names
}

/** When the last upload ended, as its record says; nothing if there is no readable one. */
export async function lastUploadOf(datasetDir: string): Promise<{ readonly lastUploadAt?: number }> {
  const dir = recordsDir(datasetDir)
  try {
    const upload = JSON.parse(await readFile(join(dir, (await recordNames(dir)).at(-1) ?? ''), 'utf8')) as Upload
    const lastUploadAt = endOf(upload)
    return Number.isSafeInteger(lastUploadAt) ? { lastUploadAt } : {}
  } catch {
    return {}
  }
}

function fileNameOf(text: string): string | null {
  const upload: unknown = JSON.parse(text)
  const isNamed = typeof upload === 'object' && upload !== null && 'fileName' in upload
  return isNamed && typeof upload.fileName === 'string' ? upload.fileName : null
}

function marked(recordName: string): string {
  return recordName.endsWith(nameMark) ? recordName : recordName.replace(/\.json$/, nameMark)
}

function recordsDir(datasetDir: string): string {
  return join(datasetDir, recordsName)
}

function recordName({ id }: Upload): string {
  assert(uploadIdPattern.test(id), `'${id}' is no upload id`)
  return `${id}.json`
}

/** Oldest first: upload ids sort by time. */
async function recordNames(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch((error) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
  return names.toSorted()
}
