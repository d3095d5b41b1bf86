// Quota: what is reserved cannot be taken by another upload, and what is published is not counted twice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { sample } from '../../store/store-samples.testing.ts'
import { Quota } from './quota.ts'

const unlimited = { ownerBytesMax: Number.POSITIVE_INFINITY, ownerDatasetsMax: Number.POSITIVE_INFINITY }

/** A store in which datasets are as soon as they are put there. */
function fakeStore() {
  const bytesById = new Map<string, number>()
  return {
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

test('Quota.reserve() lets as many datasets pass as there is room for, whether they are published yet or not', () => {
  const store = fakeStore()
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 2 }, store)
  const first = quota.reserve(receiptOf(1))
  const second = quota.reserve(receiptOf(2))
  assert.throws(() => quota.reserve(receiptOf(3)), isExceeded)
  store.put({ id: receiptOf(1).id, bytes: 10 })
  assert.throws(() => quota.reserve(receiptOf(3)), isExceeded)
  first[Symbol.dispose]()
  assert.throws(() => quota.reserve(receiptOf(3)), isExceeded)
  second[Symbol.dispose]()
  // The second was never published.
  quota.reserve(receiptOf(3))[Symbol.dispose]()
  quota.reserve(receiptOf(4, 'another'))
})

test('Quota.reserve() does not count a dataset twice while it has just been published', () => {
  const store = fakeStore()
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 2 }, store)
  quota.reserve(receiptOf(1))
  store.put({ id: receiptOf(1).id, bytes: 10 })
  quota.reserve(receiptOf(2))
})

test('Quota.reserve() counts bytes exactly', () => {
  const quota = new Quota({ ...unlimited, ownerBytesMax: 20 }, fakeStore())
  quota.reserve(receiptOf(1))
  quota.reserve(receiptOf(2))
  assert.throws(() => quota.reserve(receiptOf(3)), isExceeded)
  assert.throws(() => quota.check('', 21), isExceeded)
  quota.check('', 20)
})

test('Quota.reserve() reserves once for uploads of the same bytes, until the last of them is done', () => {
  const quota = new Quota({ ...unlimited, ownerDatasetsMax: 1 }, fakeStore())
  const [first, second] = [quota.reserve(receiptOf(1)), quota.reserve(receiptOf(1))]
  first[Symbol.dispose]()
  assert.throws(() => quota.reserve(receiptOf(2)), isExceeded)
  second[Symbol.dispose]()
  quota.reserve(receiptOf(2))
})
