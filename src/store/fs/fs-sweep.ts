// File-system sweep: what is found in a data directory at start, and the removal of what a crash left there.
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Receipt } from '../../core/receipt.ts'
import { errorCode } from '../../core/storage-error.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import { DatasetIndex, entryOf } from '../dataset-index.ts'
import { isDatasetId } from '../name-rules.ts'
import { parseReceipt } from '../receipt-file.ts'
import type { StoreLogger } from '../store.ts'
import { receiptName } from './fs-draft.ts'
import { namesOfRecords } from './fs-records.ts'

const atOnceMax = 32

/**
 * Removes everything below `incomingDir`, which is all unfinished, and directories of datasets without a receipt. Logs
 * what it found and removed.
 */
export async function sweep(datasetsDir: string, incomingDir: string, logger: StoreLogger): Promise<DatasetIndex> {
  const { receipts, leftovers, damaged } = await findDatasets(datasetsDir)
  const unfinished = (await readdir(incomingDir)).map((name) => join(incomingDir, name))
  await forEachLimit([...unfinished, ...leftovers], atOnceMax, removeTree)
  for (const { id, error } of damaged) logger.warn({ id, error }, 'cannot read receipt: dataset is kept but not shown')
  const removed = unfinished.length + leftovers.length
  logger.info({ datasets: receipts.length, damaged: damaged.length, removed }, 'opened data directory')
  const index = new DatasetIndex(receipts.map(({ receipt }) => entryOf(receipt)))
  for (const { receipt, names } of receipts) for (const name of names) index.addName(receipt.id, name)
  return index
}

interface Named {
  readonly receipt: Receipt
  /** Under which the file came beside the receipt's. */
  readonly names: readonly string[]
}

/** What the directory of datasets holds. Entries that are not named like a dataset are nobody's business here. */
interface Found {
  readonly receipts: readonly Named[]
  /** Paths of directories without a receipt. */
  readonly leftovers: readonly string[]
  /** Datasets whose receipt cannot be read: damaged, or written by a later version. */
  readonly damaged: readonly { readonly id: string; readonly error: unknown }[]
}

async function findDatasets(datasetsDir: string): Promise<Found> {
  const receipts: Named[] = []
  const leftovers: string[] = []
  const damaged: { id: string; error: unknown }[] = []
  const ids = (await readdir(datasetsDir)).filter(isDatasetId)
  await forEachLimit(ids, atOnceMax, async (id) => {
    try {
      const dir = join(datasetsDir, id)
      receipts.push({ receipt: await readReceipt(dir, id), names: await namesOfRecords(dir) })
    } catch (error) {
      if (errorCode(error) === 'ENOENT') leftovers.push(join(datasetsDir, id))
      else damaged.push({ id, error })
    }
  })
  return { receipts, leftovers, damaged }
}

/** The receipt of the dataset in `dir`. @throws {Error} ENOENT when there is none, others when it cannot be read. */
export async function readReceipt(dir: string, id: string): Promise<Receipt> {
  return parseReceipt(await readFile(join(dir, receiptName), 'utf8'), id)
}

/**
 * Removes a file or directory with all that is in it; nothing happens when there is none. A child of a process that was
 * killed may live a moment longer and add a file meanwhile (ENOTEMPTY), hence the retries.
 */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}
