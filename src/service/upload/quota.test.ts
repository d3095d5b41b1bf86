// Tests of quotas: no other upload can take reserved room, and published datasets are not counted twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { MemoryObjects } from '../../store/memory-objects.testing.ts'
import type { SharedObjects } from '../../store/store.ts'
import { sample } from '../../store/store-samples.testing.ts'
import { Quota } from './quota.ts'

/** Enough tries for one of two processes to come first. */
const retryMs = 20

const unlimited = { ownerBytesMax: Number.POSITIVE_INFINITY, ownerDatasetsMax: Number.POSITIVE_INFINITY }

/** A store in which datasets exist as soon as they are added. */
function fakeStore(shared: SharedObjects | null = null) {
  const bytesById = new Map<string, number>()
  return {
    shared,
    catchUp: async () => {},
    put: ({ id, bytes }: { readonly id: string; readonly bytes: number }) => void bytesById.set(id, bytes),
    isCounted: (id: string) => bytesById.has(id),
    usage: (owner: string) =>
      owner === ''
        ? { datasets: bytesById.size, bytes: [...bytesById.values()].reduce((sum, one) => sum + one, 0) }
        : { datasets: 0, bytes: 0 },
  }
}

/** Receipts of datasets of 10 bytes, without parts. */
function receiptOf(seed: number, owner = '') {
  const { receipt } = sample({ seed, owner, originalBytes: 10, partCount: 0 })
  return { ...receipt, checksums: null }
}

const isExceeded = (error: unknown) => isServiceError(error, 'QUOTA_EXCEEDED')

test('Quota.reserve() accepts as many datasets as there is room for, published or not', async () => {
  const store = fakeStore()
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 2 }, store)
  const first = await quota.reserve(receiptOf(1))
  const second = await quota.reserve(receiptOf(2))
  await assert.rejects(quota.reserve(receiptOf(3)), isExceeded)
  store.put({ id: receiptOf(1).id, bytes: 10 })
  await assert.rejects(quota.reserve(receiptOf(3)), isExceeded)
  await first[Symbol.asyncDispose]()
  await assert.rejects(quota.reserve(receiptOf(3)), isExceeded)
  await second[Symbol.asyncDispose]()
  // The second was never published.
  await (await quota.reserve(receiptOf(3)))[Symbol.asyncDispose]()
  await quota.reserve(receiptOf(4, 'another'))
})

test('Quota asks no other process if nothing is limited', async () => {
  const usage = () => assert.fail('the store is asked')
  const quota = new Quota(unlimited, { ...fakeStore(), usage, isCounted: usage })
  quota.check('', Number.MAX_SAFE_INTEGER)
  for (const seed of [1, 2]) await quota.reserve(receiptOf(seed))
})

test('Quota.reserve() does not count a dataset twice while it has just been published', async () => {
  const store = fakeStore()
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 2 }, store)
  await quota.reserve(receiptOf(1))
  store.put({ id: receiptOf(1).id, bytes: 10 })
  await quota.reserve(receiptOf(2))
})

test('Quota.reserve() counts bytes exactly', async () => {
  const quota = new Quota({ ...unlimited, ownerBytesMax: 20 }, fakeStore())
  await quota.reserve(receiptOf(1))
  await quota.reserve(receiptOf(2))
  await assert.rejects(quota.reserve(receiptOf(3)), isExceeded)
  assert.throws(() => quota.check('', 21), isExceeded)
  quota.check('', 20)
})

test('Quota.reserve() reserves once for uploads of the same bytes, until the last of them is done', async () => {
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 1 }, fakeStore())
  const [first, second] = [await quota.reserve(receiptOf(1)), await quota.reserve(receiptOf(1))]
  await first[Symbol.asyncDispose]()
  await assert.rejects(quota.reserve(receiptOf(2)), isExceeded)
  await second[Symbol.asyncDispose]()
  await quota.reserve(receiptOf(2))
})

test('Quota.reserve() counts what other processes have reserved, to the byte, and leaves nothing behind', async () => {
  const shared = new MemoryObjects()
  const limits = { ...unlimited, ownerBytesMax: 20 }
  const [one, other] = [new Quota(limits, fakeStore(shared), retryMs), new Quota(limits, fakeStore(shared), retryMs)]
  const first = await one.reserve(receiptOf(1))
  // The same dataset elsewhere needs no additional room.
  const same = await other.reserve(receiptOf(1))
  const second = await other.reserve(receiptOf(2))
  await assert.rejects(one.reserve(receiptOf(3)), isExceeded)
  const another = await one.reserve(receiptOf(4, 'another'))
  for (const room of [same, second, another]) await room[Symbol.asyncDispose]()
  const third = await one.reserve(receiptOf(3))
  for (const room of [first, third]) await room[Symbol.asyncDispose]()
  assert.deepEqual([...shared.byName.keys()], [])
})

test('Quota.reserve() gives the last room to one of two processes that request it at the same time', async () => {
  const shared = new MemoryObjects()
  const limits = { ...unlimited, ownerDatasetsMax: 1 }
  const quotas = [new Quota(limits, fakeStore(shared), retryMs), new Quota(limits, fakeStore(shared), retryMs)]
  const ends = await Promise.allSettled(quotas.map((quota, i) => quota.reserve(receiptOf(i))))
  assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test('Quota.reserve() ignores and removes reservations of a process that died an hour ago', async () => {
  const shared = new MemoryObjects()
  const limits = { ...unlimited, ownerDatasetsMax: 1 }
  await new Quota(limits, fakeStore(shared), retryMs).reserve(receiptOf(1))
  const [left = ''] = shared.byName.keys()
  shared.now = 3_600_000
  const quota = new Quota(limits, fakeStore(shared), retryMs)
  await assert.rejects(quota.reserve(receiptOf(2)), isExceeded)
  shared.now = 3_600_001
  await quota.reserve(receiptOf(2))
  assert.equal(shared.byName.has(left), false)
})
