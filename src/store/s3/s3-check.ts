// S3 check: compares everything that a bucket holds with its receipts. Changes nothing.
import { storedFiles } from '../../core/stored-files.ts'
import { attemptPrefix, fileKey, receiptKey } from './s3-keys.ts'
import type { S3Objects } from './s3-objects.ts'
import { readReceipt } from './s3-receipts.ts'
import { survey } from './s3-sweep.ts'

export interface BucketCheck {
  readonly datasets: number
  /** Attempts that a note mentions: uploads in progress, and what is removed within an hour. */
  readonly notes: number
  /** Keys or prefixes that neither a receipt nor a note names. */
  readonly unnamed: readonly string[]
  /** What a receipt names that is not there. */
  readonly missing: readonly string[]
}

/** Reads every receipt, and lists everything else. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED */
export async function checkBucket(objects: S3Objects): Promise<BucketCheck> {
  const { strays, incomplete, unnoted, notes } = await survey(objects, true)
  const unnamed = [...strays]
  const missing = incomplete.map(({ id }) => `entry or upload record of ${id}`)
  let datasets = 0
  for await (const id of objects.listFolders('datasets/')) {
    const found = await readReceipt(objects, id)
    if (found === null || found.isTombstone) continue
    datasets += 1
    const { committed, attempt } = found
    if (committed === null) missing.push(`a readable ${receiptKey(id)}`)
    const named = new Set((committed ? storedFiles(committed.receipt) : []).map(({ file }) => fileKey(attempt, file)))
    for await (const key of objects.list(attemptPrefix(attempt)))
      if (!named.delete(key) && !key.startsWith(`${attemptPrefix(attempt)}derived/`)) unnamed.push(key)
    missing.push(...named)
  }
  return { datasets, notes: notes + unnoted.length, unnamed, missing }
}
