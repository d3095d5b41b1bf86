// Tests of keys shared by processes: one request at a time holds a key, and every process knows its response.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import type { Receipt, Upload } from '../../core/receipt.ts'
import { MemoryObjects } from '../../store/memory-objects.testing.ts'
import type { SpoolSight } from '../../store/store.ts'
import type { UploadReply } from '../upload-reply.ts'
import { SharedKeys } from './shared-keys.ts'

const dayMs = 24 * 3_600_000
const leaseMs = 15_000
const isInUse = (error: unknown) => isServiceError(error, 'IDEMPOTENCY_KEY_IN_USE')

/** Processes on one store. `unfinished` contains the uploads that arrive in several requests. */
function processes(count: number) {
  const shared = new MemoryObjects()
  const unfinished = new Set<string>()
  const look = async (id: string) => (unfinished.has(id) ? ({} as SpoolSight) : null)
  const options = { shared, spools: { look, leaseMs }, logger: { error: (fields: object) => assert.fail(`${fields}`) } }
  return { shared, unfinished, keys: Array.from({ length: count }, () => new SharedKeys(options)) }
}

function replyOf(id: string): UploadReply {
  // Only these are remembered.
  return { upload: { id, owner: 'anna' } as Upload, notes: [], receipt: {} as Receipt }
}

test('SharedKeys.hold() gives a key to one request at a time, at any process', async () => {
  const { keys } = processes(3)
  const ends = await Promise.allSettled(keys.map((one) => one.hold('anna', 'k')))
  const held = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  assert.equal(held.length, 1)
  for (const one of keys) await assert.rejects(one.hold('anna', 'k'), isInUse)
  for (const [i, one] of keys.entries()) (await one.hold('bob', `k${i}`)).release()
  held[0]!.release()
  // The key is released before the process ends.
  for (const one of keys) await one[Symbol.asyncDispose]()
  assert.equal((await keys[1]!.hold('anna', 'k')).answer, null)
})

test('SharedKeys.hold() returns the response at every process, for a day', async (t) => {
  const { keys, shared } = processes(2)
  const [one, other] = keys as [SharedKeys, SharedKeys]
  const held = await one.hold('anna', 'k')
  await held.keep(replyOf('1'))
  held.release()
  // Repeated requests need not wait for one another.
  const again = await Promise.all(keys.map((each) => each.hold('anna', 'k')))
  assert.deepEqual(
    again.map(({ answer }) => answer?.upload.id),
    ['1', '1'],
  )
  for (const each of again) each.release()
  assert.equal((await other.hold('anna', 'k')).answer?.upload.id, '1')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + dayMs + 1 })
  shared.now = Date.now()
  assert.equal((await one.hold('anna', 'k')).answer, null)
  await other.sweep()
  assert.equal(shared.byName.size, 1)
  await other.sweep(Date.now() + dayMs + 1)
  assert.equal(shared.byName.size, 0)
})

test('SharedKeys.hold() takes the key of a dead process, after a lease measured by its own clock', async (t) => {
  let nowMs = 5_000
  const clock = mock.method(performance, 'now', () => nowMs)
  t.after(() => clock.mock.restore())
  const { keys, shared } = processes(2)
  const [one, other] = keys as [SharedKeys, SharedKeys]
  const dead = await one.hold('anna', 'k')
  // The lease is not renewed: the mocked clock does not move timers.
  await assert.rejects(other.hold('anna', 'k'), isInUse)
  nowMs += leaseMs
  await assert.rejects(other.hold('anna', 'k'), isInUse)
  nowMs += 1
  const taken = await other.hold('anna', 'k')
  await taken.keep(replyOf('2'))
  // A request that resumes late no longer holds the key.
  await dead.keep(replyOf('1'))
  dead.release()
  assert.match([...shared.byName.values()].at(-1)!.bytes.toString(), /"id":"2"/)
})

test('SharedKeys.hold() keeps a key in use while its request renews it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let nowMs = 5_000
  const clock = mock.method(performance, 'now', () => nowMs)
  t.after(() => clock.mock.restore())
  const { keys } = processes(2)
  const [one, other] = keys as [SharedKeys, SharedKeys]
  const held = await one.hold('anna', 'k')
  for (let i = 0; i < 9; i += 1) {
    await assert.rejects(other.hold('anna', 'k'), isInUse)
    nowMs += leaseMs / 3
    t.mock.timers.tick(leaseMs / 3)
    await new Promise(setImmediate)
  }
  await held.keep(replyOf('1'))
  assert.equal((await other.hold('anna', 'k')).answer?.upload.id, '1')
})

test('SharedKeys.hold() renews a key once at a time, however long the store takes', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { keys, shared } = processes(1)
  const held = await keys[0]!.hold('anna', 'k')
  const real = shared.write.bind(shared)
  const responds = Promise.withResolvers<void>()
  const write = t.mock.method(shared, 'write', async (...given: Parameters<typeof real>) => {
    await responds.promise
    return await real(...given)
  })
  for (let i = 0; i < 9; i += 1) {
    t.mock.timers.tick(leaseMs / 3)
    await new Promise(setImmediate)
  }
  responds.resolve()
  await held.keep(replyOf('1'))
  assert.equal(write.mock.callCount(), 2)
  held.release()
  assert.equal((await keys[0]!.hold('anna', 'k')).answer?.upload.id, '1')
})

test('SharedKeys.hold() keeps the key of a resumable upload in use as long as that exists', async () => {
  const { keys, unfinished } = processes(2)
  const [one, other] = keys as [SharedKeys, SharedKeys]
  unfinished.add('u1')
  const held = await one.hold('anna', 'k')
  await held.belongsTo('u1')
  await assert.rejects(other.hold('anna', 'k'), isInUse)
  held.leave()
  await assert.rejects(other.hold('anna', 'k'), isInUse)
  // Any request that continues the upload holds its key.
  const goneOn = await other.hold('anna', 'k', 'u1')
  assert.equal(goneOn.answer, null)
  await goneOn.keep(replyOf('u1'))
  assert.equal((await one.hold('anna', 'k')).answer?.upload.id, 'u1')
})

test('SharedKeys.hold() takes the key of an upload that no longer exists and has no response', async () => {
  const { keys, unfinished } = processes(2)
  const [one, other] = keys as [SharedKeys, SharedKeys]
  unfinished.add('u1')
  const held = await one.hold('anna', 'k')
  await held.belongsTo('u1')
  unfinished.delete('u1')
  assert.equal((await other.hold('anna', 'k')).answer, null)
})
