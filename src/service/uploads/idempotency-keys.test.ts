// Tests of idempotency keys: owners, requests in progress, and what a restart finds.
import assert from 'node:assert/strict'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import type { UploadReply } from '../service.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'

const dir = await mkdtemp(join(tmpdir(), 'csv-upload-keys-'))
after(() => rm(dir, { recursive: true }))
const path = join(dir, 'keys')
const failures: unknown[] = []
const open = () => IdempotencyKeys.open(path, { error: (fields) => void failures.push(fields) })

const replyOf = (owner: string, id: string) =>
  ({ upload: { id, owner, datasetId: 'd' }, notes: [] }) as unknown as UploadReply // only these are remembered

test('IdempotencyKeys remembers responses by sender and key, also after it is reopened', async () => {
  {
    await using keys = await open()
    const held = keys.hold({ owner: 'anna', sender: 'a' }, 'k')
    assert.equal(held.answer, null)
    const refused = keys.hold({ owner: 'anna', sender: 'a' }, 'k')
    assert.ok(isServiceError(refused.refusal, 'IDEMPOTENCY_KEY_IN_USE'))
    // It holds nothing.
    refused.release()
    assert.ok(keys.hold({ owner: 'anna', sender: 'a' }, 'k').refusal)
    keys.hold({ owner: 'bob', sender: 'a' }, 'k').release()
    keys.hold({ owner: 'anna', sender: 'b' }, 'k').release()
    await held.keep(replyOf('anna', '1'))
    held.release()
    held.release()
    assert.equal(keys.hold({ owner: 'anna', sender: 'a' }, 'k').answer?.upload.id, '1')
  }
  // One is damaged, one torn.
  await appendFile(path, '{"hash":"h","at":1,"uploae":{}}\n{"hash":"torn')
  {
    await using keys = await open()
    assert.equal(keys.hold({ owner: 'anna', sender: 'a' }, 'k').answer?.upload.id, '1')
    assert.equal(keys.hold({ owner: 'bob', sender: 'a' }, 'k').answer, null)
    assert.equal(keys.hold({ owner: 'anna', sender: 'b' }, 'k').answer, null)
  }
  assert.deepEqual(failures, [])
})

test('IdempotencyKeys forgets after a day, and beyond its limits the oldest of the owner with the most', async (t) => {
  await using keys = await open()
  const keep = async (owner: string, key: string) => {
    const held = keys.hold({ owner, sender: '' }, key)
    await held.keep(replyOf(owner, key))
    held.release()
  }
  const has = (owner: string, key: string) => {
    const held = keys.hold({ owner, sender: '' }, key)
    held.release()
    return held.answer !== null
  }
  await keep('anna', 'hers')
  await Promise.all(Array.from({ length: 20_010 }, (_, i) => keep('bob', `k${i}`)))
  assert.ok(has('anna', 'hers') && has('bob', 'k20009') && !has('bob', 'k0'))
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 24 * 3_600_000 + 1 })
  assert.ok(!has('anna', 'hers') && !has('bob', 'k20009'))
})
