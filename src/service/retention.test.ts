// Tests of retention: what is deleted, and when.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { startRetention } from './retention.ts'

/** A store of creation times only, and a logger that emits its lines as events. */
function storeOf(createdAt: Readonly<Record<string, number>>) {
  const left = new Map(Object.entries(createdAt))
  const trash = new Map<string, number>()
  const logged = new EventEmitter()
  const store = {
    olderThan: (before: number) => [...left].flatMap(([id, time]) => (time < before ? id : [])),
    remove: async ({ id }: { readonly id: string }) => {
      if (id.startsWith('stuck')) throw new Error('cannot')
      return left.delete(id) && !id.startsWith('gone')
    },
    expiredTrash: (before: number) =>
      [...trash].flatMap(([id, trashedAt]) => (trashedAt < before ? { id, owner: '', trashedAt } : [])),
    erase: async ({ id }: { readonly id: string }) => {
      if (id.startsWith('stuck')) throw new Error('cannot')
      return trash.delete(id)
    },
  }
  const logger = { info: () => void logged.emit('info'), error: () => void logged.emit('error') }
  return { left, trash, logged, store, logger }
}

test('startRetention() deletes all older datasets, however many, and no others', async () => {
  const many = Array.from({ length: 250 }, (_, i) => [`old ${i}`, Date.now() - 60_001] as const)
  const { left, store, logger } = storeOf({ ...Object.fromEntries(many), young: Date.now() - 30_000 })
  await using _retention = startRetention({ store, logger, keepMs: 60_000, keepTrashMs: 60_000 })
  while (left.size > 1) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([...left.keys()], ['young'])
})

test('startRetention() checks again later', async () => {
  const { left, logged, store, logger } = storeOf({ soon: Date.now() })
  await using _retention = startRetention({ store, logger, keepMs: 50, keepTrashMs: 60_000 })
  await once(logged, 'info')
  assert.equal(left.size, 0)
})

test('startRetention() logs what it cannot delete, which keeps nothing else, however much there is', async () => {
  const stuck = Array.from({ length: 250 }, (_, number) => `stuck ${number}`)
  const { left, trash, logged, store, logger } = storeOf(Object.fromEntries([...stuck, 'old'].map((id) => [id, 0])))
  for (const id of [...stuck, 'old']) trash.set(id, 0)
  let failed = 0
  logged.on('error', () => (failed += 1))
  await using _retention = startRetention({ store, logger, keepMs: 20, keepTrashMs: 20 })
  // It looks again.
  while (failed < 3 * 2 * stuck.length) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([[...left.keys()], [...trash.keys()]], [stuck, stuck])
})

test('startRetention() logs as expired only what it has deleted itself', async () => {
  const { left, logged, store, logger } = storeOf({ gone: 0, old: 1 })
  let count = 0
  logged.on('info', () => (count += 1))
  await using _retention = startRetention({ store, logger, keepMs: 20, keepTrashMs: 60_000 })
  while (left.size > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(count, 1)
})

test('startRetention() deletes what has been in the trash for its time, however long datasets are kept', async () => {
  const { left, trash, store, logger } = storeOf({ old: 0 })
  trash.set('long', Date.now() - 60_001).set('short', Date.now() - 30_000)
  const times = { keepMs: Number.POSITIVE_INFINITY, keepTrashMs: 60_000 }
  await using _retention = startRetention({ store, logger, ...times })
  while (trash.size > 1) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([[...trash.keys()], left.size], [['short'], 1])
})
