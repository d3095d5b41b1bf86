// File-system draft: completes and syncs a directory that becomes a dataset, and reads its receipt back. Does not know
// where it goes from there.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile, rm, rmdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { storedFiles } from '../../core/stored-files.ts'
import { makeNewDirectory, syncDirectory, syncFile, UnsyncedFiles } from '../../io/files/durable.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { isDatasetFile } from '../name-rules.ts'
import { formatReceipt, parseReceipt } from '../receipt-file.ts'
import type { Draft, DraftFolder } from '../store.ts'
import { recordsName, writeFirstRecords } from './fs-records.ts'

export const receiptName = 'receipt.json'

/** Node runs 4 file operations at a time by default; a few more keep it busy and open few descriptors. */
const syncsAtOnceMax = 16

/** Creates the directories that every draft needs. */
export async function makeDraft(dir: string): Promise<void> {
  await makeNewDirectory(dir)
  await makeNewDirectory(posix.join(dir, 'data'))
}

/** The other directories are created on demand: a small upload would wait longer for these than for its bytes. */
export function draftFolders(dir: string): Draft['folder'] {
  const made = new Map<DraftFolder, Promise<string>>()
  return (name) => {
    const path = join(dir, name)
    const folder = made.get(name) ?? makeNewDirectory(path).then(() => path, throwStoreError)
    made.set(name, folder)
    return folder
  }
}

/**
 * Leaves in `dir` exactly the files that the receipt names, the receipt itself and upload records: those of the dataset
 * in `takenOverFrom`, then the given one. Once it resolves, they and their names survive power loss. All syncs run in
 * parallel, so they share the journal's commits.
 * @throws {Error} if a file is missing, is not a regular file, or does not have the size that the receipt says.
 */
export async function finishDraft(
  { dir, folder }: Pick<Draft, 'dir' | 'folder'>,
  receipt: Receipt,
  upload: Upload,
  takenOverFrom: string | null = null,
): Promise<void> {
  const bytesByFile = new Map<string, number>()
  for (const { file, bytes } of storedFiles(receipt)) {
    assert(isDatasetFile(file), `a dataset cannot hold a file '${file}'`)
    bytesByFile.set(file, bytes)
  }
  const directories = new Set([...bytesByFile.keys()].map(posix.dirname))
  await dropAllBut(dir, directories, bytesByFile)
  await using written = new UnsyncedFiles()
  let records: readonly string[] = []
  const writes = [
    async () => {
      records = await writeFirstRecords(await folder(recordsName), upload, takenOverFrom, written)
    },
    () => written.write(posix.join(dir, receiptName), formatReceipt(receipt)),
  ]
  // If one fails, wait for both to end.
  await forEachLimit(writes, writes.length, (write) => write())

  const syncs = [
    ...written.syncs,
    ...[...bytesByFile].map(
      ([file, bytes]) =>
        () =>
          syncFile(posix.join(dir, file), bytes),
    ),
    ...records.map((file) => () => syncFile(posix.join(dir, file))),
    ...[...directories, recordsName].map((directory) => () => syncDirectory(posix.join(dir, directory))),
  ]
  await forEachLimit(syncs, syncsAtOnceMax, (sync) => sync())
}

/** The receipt of the dataset in `dir`. @throws {Error} ENOENT if there is none, others if it cannot be read. */
export async function readReceipt(dir: string, id: string): Promise<Receipt> {
  return parseReceipt(await readFile(join(dir, receiptName), 'utf8'), id)
}

/** True if there is a receipt that can be read. */
export function hasReceipt(dir: string, id: string): Promise<boolean> {
  return readReceipt(dir, id).then(
    () => true,
    () => false,
  )
}

async function dropAllBut(
  dir: string,
  directories: ReadonlySet<string>,
  files: ReadonlyMap<string, number>,
): Promise<void> {
  await Promise.all(
    [...directories].map(async (directory) => {
      // On this thread: the directories are new and small, and handing each over takes longer.
      for (const name of readdirSync(posix.join(dir, directory))) {
        const path = posix.join(directory, name)
        if (path !== recordsName && !files.has(path) && !directories.has(path)) await drop(posix.join(dir, path))
      }
    }),
  )
}

/** Most are empty directories, which takes one call instead of five. */
async function drop(path: string): Promise<void> {
  await rmdir(path).catch(() => rm(path, { recursive: true }))
}
