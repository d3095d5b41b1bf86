// Swept bucket: the proof by listing that a bucket holds exactly what its receipts name. Writes nothing but what a sweep does.
import assert from 'node:assert/strict'
import { storedFiles } from '../../src/core/stored-files.ts'
import { attemptPrefix, fileKey, receiptKey } from '../../src/store/s3/s3-keys.ts'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { readReceipt } from '../../src/store/s3/s3-receipts.ts'
import { survey, sweep } from '../../src/store/s3/s3-sweep.ts'

const laterMs = 26 * 3_600_000

/** Sweeps as if it were so much later that everything unfinished and removed is due; the second one what the first found. */
export async function assertSwept(objects: S3Objects): Promise<void> {
  for (let i = 0; i < 2; i += 1) await sweep(objects, objects.now() + laterMs)
  assert.deepEqual(await checkBucket(objects), { unnamed: [], missing: [], notes: 0, tombstones: 0 })
}

/** The same for all prefixes that have been used in a bucket. */
export async function assertAllSwept(endpoint: string, bucket: string): Promise<void> {
  const open = (prefix: string) => new S3Objects({ endpoint, bucket, prefix, pathStyle: true, region: null })
  using opened = new DisposableStack()
  const prefixes = new Set<string>()
  for await (const key of opened.adopt(open(''), (objects) => objects.close()).list('')) {
    const [, prefix] = /^(.*?)(?:datasets|files|index|pending)\//.exec(key) ?? []
    if (prefix !== undefined) prefixes.add(prefix)
  }
  for (const prefix of prefixes) await assertSwept(opened.adopt(open(prefix), (objects) => objects.close()))
}

/**
 * Compares everything in a bucket with its receipts: keys that neither a receipt nor a note names, what a receipt names
 * that is not there, attempts with a note, and marks of removed datasets without one.
 */
async function checkBucket(objects: S3Objects): Promise<object> {
  const { strays, incomplete, unnoted, notes } = await survey(objects, true)
  const unnamed = [...strays]
  const missing = incomplete.map(({ id }) => `entry or upload record of ${id}`)
  for await (const id of objects.listFolders('datasets/')) {
    const found = await readReceipt(objects, id)
    if (found === null || found.isTombstone) continue
    const { committed, attempt } = found
    if (committed === null) missing.push(`a readable ${receiptKey(id)}`)
    const named = new Set((committed ? storedFiles(committed.receipt) : []).map(({ file }) => fileKey(attempt, file)))
    for await (const key of objects.list(attemptPrefix(attempt)))
      if (!named.delete(key) && !key.startsWith(`${attemptPrefix(attempt)}derived/`)) unnamed.push(key)
    missing.push(...named)
  }
  return { unnamed, missing, notes, tombstones: unnoted.length }
}
