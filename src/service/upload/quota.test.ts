// Tests of quotas: no other upload can take reserved room, and published datasets are not counted twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { sample } from '../../store/store-samples.testing.ts'
import { Quota } from './quota.ts'

const unlimited = { ownerBytesMax: Number.POSITIVE_INFINITY, ownerDatasetsMax: Number.POSITIVE_INFINITY }

/** A store in which datasets exist as soon as they are added. */
function fakeStore() {
  const bytesById = new Map<string, number>()
  return {
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
  first[Symbol.dispose]()
  await assert.rejects(quota.reserve(receiptOf(3)), isExceeded)
  second[Symbol.dispose]()
  // The second was never published.
  ;(await quota.reserve(receiptOf(3)))[Symbol.dispose]()
  await quota.reserve(receiptOf(4, 'another'))
})

test('Quota asks for nothing if nothing is limited', async () => {
  const usage = () => assert.fail('the store is asked')
  const quota = new Quota(unlimited, { usage, isCounted: usage, catchUp: usage })
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
  first[Symbol.dispose]()
  await assert.rejects(quota.reserve(receiptOf(2)), isExceeded)
  second[Symbol.dispose]()
  await quota.reserve(receiptOf(2))
})

test('Quota.reserve() counts what other processes have published a moment ago', async () => {
  const store = fakeStore()
  const catchUp = async () => store.put({ id: receiptOf(1).id, bytes: 10 })
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 1 }, { ...store, catchUp })
  await assert.rejects(quota.reserve(receiptOf(2)), isExceeded)
})
