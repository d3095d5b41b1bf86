// File-system draft: turns a directory in the making into a whole dataset, all synced. Does not know where it goes from there.
import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { posix } from 'node:path'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { storedFiles } from '../../core/stored-files.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { isDatasetFile } from '../name-rules.ts'
import { formatReceipt } from '../receipt-file.ts'
import { fileMode, syncDirectory, syncFile } from './durable.ts'
import { writeFirstRecords } from './fs-records.ts'

export const receiptName = 'receipt.json'

/** Node runs 4 file operations at a time unless told otherwise; a few more keep it busy and open few descriptors. */
const syncsAtOnceMax = 16

/**
 * Leaves in `dir` exactly the files the receipt names, the receipt itself and upload records: the one given, after those of
 * the dataset in `takenOverFrom`. After it resolves they, and their names, survive power loss. All syncs run side by side:
 * they share the journal's commits.
 * @throws {Error} when a file is missing, is no plain file or has another size than the receipt says.
 */
export async function finishDraft(
  dir: string,
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
  await writeFile(posix.join(dir, receiptName), formatReceipt(receipt), { flag: 'wx', mode: fileMode })
  const records = await writeFirstRecords(dir, upload, takenOverFrom)

  const syncs = [
    ...[...bytesByFile].map(
      ([file, bytes]) =>
        () =>
          syncFile(posix.join(dir, file), bytes),
    ),
    ...[receiptName, ...records].map((file) => () => syncFile(posix.join(dir, file))),
    ...[...directories, ...new Set(records.map(posix.dirname))].map(
      (directory) => () => syncDirectory(posix.join(dir, directory)),
    ),
  ]
  await forEachLimit(syncs, syncsAtOnceMax, (sync) => sync())
}

async function dropAllBut(
  dir: string,
  directories: ReadonlySet<string>,
  files: ReadonlyMap<string, number>,
): Promise<void> {
  for (const directory of directories) {
    for (const name of await readdir(posix.join(dir, directory))) {
      const path = posix.join(directory, name)
      if (!files.has(path) && !directories.has(path)) await rm(posix.join(dir, path), { recursive: true })
    }
  }
}
