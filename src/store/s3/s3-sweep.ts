// S3 sweep: removes the files of failed attempts, whichever process made them, and completes the index. Deletes nothing
// that a receipt names.
import { entryOf } from '../dataset-index.ts'
import { isDatasetId } from '../name-rules.ts'
import type { StoreLogger } from '../store.ts'
import { putEntry } from './s3-index.ts'
import {
  type Attempt,
  attemptPrefix,
  beganAt,
  indexEntryPrefix,
  pendingKey,
  pendingOf,
  pendingPrefix,
  receiptKey,
} from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'
import { type Committed, parseCommit } from './s3-receipts.ts'

/** An older attempt is abandoned: no upload takes this long. Milliseconds. */
export const attemptMsMax = 86_400_000
const sweepEveryMs = 3_600_000

/** Sweeps now and every hour, until disposed. */
export function startSweeps(objects: S3Objects, logger: StoreLogger): Disposable {
  const sweepOnce = async () => {
    try {
      const attempts = await sweep(objects, Date.now() - attemptMsMax)
      const multiparts = await objects.abortMultiparts(Date.now() - attemptMsMax)
      if (attempts + multiparts > 0) {
        logger.info({ attempts, multiparts }, 'removed what unfinished uploads had left')
      }
    } catch (error) {
      logger.warn({ error }, 'cannot remove what unfinished uploads have left: tried again in an hour')
    }
  }
  void sweepOnce()
  const timer = setInterval(() => void sweepOnce(), sweepEveryMs)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/**
 * Removes attempts that began before a time, in epoch milliseconds, and that no receipt names. Returns their number.
 * Of others, a dataset is added to the index: its process may have stopped before it could.
 */
export async function sweep(objects: S3Objects, before: number): Promise<number> {
  let count = 0
  for await (const key of objects.list(pendingPrefix)) {
    const attempt = pendingOf(key)
    const found = attempt === null ? null : await objects.get(key)
    if (attempt === null || found === null) continue
    const text = found.body.toString()
    const id = isDatasetId(text) ? text : null
    if (id !== null) await addToIndex(objects, attempt, id)
    if (beganAt(attempt) >= before) continue
    await sweepAttempt(objects, attempt, id)
    count += 1
  }
  return count
}

/**
 * Removes the files of an attempt, then the object that records it.
 *
 * @param id Of the dataset whose receipt may name the attempt; in that case, the files stay. Null if there can be none.
 */
export async function sweepAttempt(objects: S3Objects, attempt: Attempt, id: string | null): Promise<void> {
  if (id === null || !(await isNamed(objects, attempt, id))) {
    const keys = await Array.fromAsync(objects.list(attemptPrefix(attempt)))
    await objects.delete(keys)
  }
  await objects.delete([pendingKey(attempt)])
}

async function isNamed(objects: S3Objects, attempt: Attempt, id: string): Promise<boolean> {
  const committed = await committedAs(objects, id)
  // It is unknown which files a damaged receipt names.
  return committed === 'damaged' || committed?.attempt === attempt
}

async function addToIndex(objects: S3Objects, attempt: Attempt, id: string): Promise<void> {
  const committed = await committedAs(objects, id)
  if (committed === null || committed === 'damaged' || committed.attempt !== attempt) return
  const entry = entryOf(committed.receipt)
  await putEntry(objects, entry)
  if ((await committedAs(objects, id)) !== null) return
  // Removed in the meantime, with its entries.
  await objects.delete(await Array.fromAsync(objects.list(indexEntryPrefix(entry))))
}

async function committedAs(objects: S3Objects, id: string): Promise<Committed | 'damaged' | null> {
  const found = await objects.get(receiptKey(id))
  if (found === null) return null
  try {
    return parseCommit(found.body, id, found.etag)
  } catch {
    return 'damaged'
  }
}
