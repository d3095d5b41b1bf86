// Tests of ended uploads: when each is forgotten.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { uuidV7 } from '../../core/ids.ts'
import type { UploadStatus } from '../../core/upload-status.ts'
import { EndedUploads, newestOf } from './ended-uploads.ts'

function ended(keptMs: number): UploadStatus {
  // Only these are read here.
  return { id: uuidV7(Date.now()), owner: 'anna', expiresAt: Date.now() + keptMs } as UploadStatus
}

test('EndedUploads forgets each upload at its own time, in whichever order they ended', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'csv-upload-ends-'))
  t.after(() => rm(dir, { recursive: true }))
  const error = (fields: object) => assert.fail(String(Object.values(fields)[0]))
  await using ends = await EndedUploads.open(join(dir, 'ended'), { error })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  // As before a restart with a shorter --uploads-keep-for.
  const [long, short] = [ended(60_000), ended(1_000)]
  for (const one of [long, short]) ends.add(one)
  const idsNow = () =>
    newestOf(ends.all(), 'anna', { limit: 10, after: null, idempotencyKey: null })
      .map(({ id }) => id)
      .toSorted()
  assert.deepEqual(idsNow(), [long.id, short.id].toSorted())
  t.mock.timers.tick(1_000)
  assert.deepEqual(idsNow(), [long.id])
  assert.deepEqual([ends.get('anna', long.id)?.id, ends.get('anna', short.id)], [long.id, null])
})
