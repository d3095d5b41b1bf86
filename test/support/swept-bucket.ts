// Swept bucket: the proof by listing that a bucket holds exactly what its receipts name. Writes nothing but what a sweep does.
import assert from 'node:assert/strict'
import type { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { survey, sweep } from '../../src/store/s3/s3-sweep.ts'

const laterMs = 26 * 3_600_000

/** Sweeps as if it were so much later that everything unfinished and removed is due; the second one what the first found. */
export async function assertSwept(objects: S3Objects): Promise<void> {
  for (let i = 0; i < 2; i += 1) await sweep(objects, objects.now() + laterMs)
  const { strays, incomplete, unnoted, notes } = await survey(objects, true)
  assert.deepEqual({ strays, incomplete, unnoted, notes }, { strays: [], incomplete: [], unnoted: [], notes: 0 })
}
