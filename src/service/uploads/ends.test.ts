// Tests of ends: what holds whether they are kept in a file or shared by processes.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { uuidV7 } from '../../core/ids.ts'
import type { UploadStatus } from '../../core/upload-status.ts'
import { MemoryObjects } from '../../store/memory-objects.testing.ts'
import { EndedUploads } from './ended-uploads.ts'
import type { Ends } from './ends.ts'
import { SharedEnds } from './shared-ends.ts'

const logger = { error: (fields: object) => assert.fail(String(Object.values(fields)[0])) }

const kinds: Readonly<Record<string, (t: TestContext) => Promise<Ends>>> = {
  EndedUploads: async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'csv-upload-ends-'))
    t.after(() => rm(dir, { recursive: true }))
    return await EndedUploads.open(join(dir, 'ended'), logger)
  },
  SharedEnds: async () => new SharedEnds({ shared: new MemoryObjects(), uploadsKeepMs: 60_000, logger }),
}

function ended(keptMs: number): UploadStatus {
  // Only these are read here.
  return { id: uuidV7(Date.now()), owner: 'anna', expiresAt: Date.now() + keptMs } as UploadStatus
}

for (const [name, open] of Object.entries(kinds)) {
  test(`${name} forgets each upload at its own time, in whichever order they ended`, async (t) => {
    await using ends = await open(t)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    // As before a restart with a shorter --uploads-keep-for.
    const [long, short] = [ended(60_000), ended(1_000)]
    for (const one of [long, short]) await ends.add(one)
    const idsNow = async () =>
      (await ends.newest('anna', { limit: 10, after: null, idempotencyKey: null })).map(({ id }) => id).toSorted()
    assert.deepEqual(await idsNow(), [long.id, short.id].toSorted())
    t.mock.timers.tick(1_000)
    assert.deepEqual(await idsNow(), [long.id])
    assert.deepEqual([(await ends.get('anna', long.id))?.id, await ends.get('anna', short.id)], [long.id, null])
  })
}
