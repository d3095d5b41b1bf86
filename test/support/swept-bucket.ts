// Swept bucket: the proof by listing that a bucket holds exactly what its receipts name. Writes nothing but what a sweep does.
import assert from 'node:assert/strict'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { checkBucket, sweep } from '../../src/store/s3/s3-sweep.ts'

const laterMs = 26 * 3_600_000

/** Sweeps as if it were so much later that everything unfinished and removed is due; the second one what the first found. */
export async function assertSwept(objects: S3Objects): Promise<void> {
  for (let i = 0; i < 2; i += 1) await sweep(objects, objects.now() + laterMs)
  const { unnamed, missing, notes, tombstones } = await checkBucket(objects)
  assert.deepEqual({ unnamed, missing, notes, tombstones }, { unnamed: [], missing: [], notes: 0, tombstones: 0 })
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
