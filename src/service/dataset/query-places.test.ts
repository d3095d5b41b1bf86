// Tests of places for queries: shares, the queue in front of them, and that every way out of it frees what was held.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { QueryPlaces } from './query-places.ts'

const never = new AbortController().signal
const isRefusal = (limit: number) => (error: unknown) =>
  isServiceError(error, 'TOO_MANY_QUERIES') && error.details.limit === limit

test('QueryPlaces.take() gives one party half of the places, and the next party a place at once', async () => {
  const places = new QueryPlaces(4, 1)
  await places.take('a', never)
  await places.take('a', never)
  await assert.rejects(places.take('a', never), isRefusal(2))
  await places.take('b', never)
  await places.take('c', never)
  await assert.rejects(places.take('d', never), isRefusal(4))
})

test('QueryPlaces.take() waits for a place: who holds least comes first, then who came first', async () => {
  const places = new QueryPlaces(2, 60_000)
  const first = await places.take('a', never)
  const other = await places.take('b', never)
  const order: string[] = []
  const take = (party: string, name: string) =>
    places.take(party, never).then((release) => {
      order.push(name)
      return release
    })
  const waiting = [take('a', 'a2'), take('a', 'a3'), take('c', 'c1'), take('d', 'd1')]
  first()
  first()
  const released = await Promise.race(waiting)
  assert.deepEqual(order, ['a2'])
  released()
  other()
  for (const one of waiting) (await one)()
  assert.deepEqual(order.toSorted(), ['a2', 'a3', 'c1', 'd1'])
  // Each was released once: as many are free as in the beginning.
  await places.take('e', never)
  await places.take('f', never)
  await assert.rejects(new QueryPlaces(0, 1).take('g', never), isRefusal(0))
})

test('QueryPlaces.take() lets who holds nothing in before who holds a place', async () => {
  const places = new QueryPlaces(4, 60_000)
  const held = [await places.take('a', never), await places.take('a', never), await places.take('b', never)]
  const other = await places.take('c', never)
  const order: string[] = []
  for (const party of ['a', 'b', 'd']) void places.take(party, never).then(() => order.push(party))
  other()
  await new Promise(setImmediate)
  assert.deepEqual(order, ['d'])
  for (const release of held) release()
  await new Promise(setImmediate)
  assert.deepEqual(order, ['d', 'a', 'b'])
})

test('QueryPlaces.take() sends away who would wait in a queue that is full, and who has gone', async () => {
  const places = new QueryPlaces(1, 60_000)
  const release = await places.take('a', never)
  const leaving = new AbortController()
  const waiting = Array.from({ length: 16 }, () => places.take('a', leaving.signal))
  await assert.rejects(places.take('a', never), isRefusal(1))
  const other = places.take('b', never)
  leaving.abort(new Error('gone'))
  for (const one of waiting) await assert.rejects(one, /gone/)
  release()
  await other
  await assert.rejects(places.take('a', leaving.signal), /gone/)
})
