// Tests of query places: shares, the queue, and that every way out of it frees what was held.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { QueryPlaces } from './query-places.ts'

const never = new AbortController().signal
const isRefusal = (limit: number) => (error: unknown) =>
  isServiceError(error, 'TOO_MANY_QUERIES') && error.details.limit === limit

test('QueryPlaces.take() gives one party half of the places, and the next party a place immediately', async () => {
  const places = new QueryPlaces({ queriesMax: 4, queryMsMax: 1 })
  await places.take('a', never)
  await places.take('a', never)
  await assert.rejects(places.take('a', never), isRefusal(2))
  await places.take('b', never)
  await places.take('c', never)
  await assert.rejects(places.take('d', never), isRefusal(4))
})

test('QueryPlaces.take() gives a place to the party with the fewest, then to the first in line', async () => {
  const places = new QueryPlaces({ queriesMax: 2, queryMsMax: 60_000 })
  const first = await places.take('a', never)
  const other = await places.take('b', never)
  const order: string[] = []
  const take = (party: string, name: string) =>
    places.take(party, never).then((place) => {
      order.push(name)
      return place
    })
  const waiting = [take('a', 'a2'), take('a', 'a3'), take('c', 'c1'), take('d', 'd1')]
  first.release()
  first.release()
  const released = await Promise.race(waiting)
  assert.deepEqual(order, ['a2'])
  released.release()
  other.release()
  for (const one of waiting) (await one).release()
  assert.deepEqual(order.toSorted(), ['a2', 'a3', 'c1', 'd1'])
  // Each place was released only once: as many are free as in the beginning.
  await places.take('e', never)
  await places.take('f', never)
  await assert.rejects(new QueryPlaces({ queriesMax: 0, queryMsMax: 1 }).take('g', never), isRefusal(0))
})

test('QueryPlaces.take() prefers parties without a place', async () => {
  const places = new QueryPlaces({ queriesMax: 4, queryMsMax: 60_000 })
  const held = [await places.take('a', never), await places.take('a', never), await places.take('b', never)]
  const other = await places.take('c', never)
  const order: string[] = []
  for (const party of ['a', 'b', 'd']) void places.take(party, never).then(() => order.push(party))
  other.release()
  await new Promise(setImmediate)
  assert.deepEqual(order, ['d'])
  for (const place of held) place.release()
  await new Promise(setImmediate)
  assert.deepEqual(order, ['d', 'a', 'b'])
})

test('QueryPlaces.take() rejects when the queue is full, or when the signal aborts', async () => {
  const places = new QueryPlaces({ queriesMax: 1, queryMsMax: 60_000 })
  const held = await places.take('a', never)
  const leaving = new AbortController()
  const waiting = Array.from({ length: 63 }, () => places.take('a', leaving.signal))
  const other = places.take('b', never)
  await assert.rejects(places.take('a', never), isRefusal(1))
  leaving.abort(new Error('gone'))
  for (const one of waiting) await assert.rejects(one, /gone/)
  held.release()
  await other
  await assert.rejects(places.take('a', leaving.signal), /gone/)
})

test('QueryPlaces.take() says when those that wait will have had their turn', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const places = new QueryPlaces({ queriesMax: 1, queryMsMax: 60_000 })
  const end = new AbortController()
  const refusedFor = async () => {
    const held = await places.take('a', never)
    const waiting = Array.from({ length: 64 }, () => places.take('a', end.signal).then(({ release }) => release()))
    const error = await places.take('a', never).then(
      () => null,
      (one: unknown) => one,
    )
    held.release()
    await Promise.all(waiting)
    return error instanceof ServiceError && error.retryAfterSeconds
  }
  const runs = async (ms: number) => {
    for (let i = 0; i < 50; i++) {
      const { release } = await places.take('a', never)
      nowMs += ms
      release()
    }
  }
  assert.equal(await refusedFor(), 30)
  for (const [ms, seconds] of [
    [5, 1],
    [100, 7],
    [10_000, 30],
  ] as const) {
    await runs(ms)
    assert.equal(await refusedFor(), seconds)
  }
})

test('QueryPlaces.take() ends the longest-running query while clients without a place wait', async () => {
  const places = new QueryPlaces({ queriesMax: 2, queryMsMax: 600 })
  const ended: string[] = []
  /** Runs until it is ended, like a long query. */
  const run = async (client: string) => {
    const { timeUp, release } = await places.take(client, never)
    timeUp.addEventListener('abort', () => {
      assert.ok(isRefusal(2)(timeUp.reason))
      ended.push(client)
      release()
    })
  }
  for (const client of ['a', 'b']) await run(client)
  // None of them is refused, although every holder of the 2 places keeps its place as long as allowed.
  await Promise.all(['c', 'd', 'e', 'f', 'g'].map(run))
  assert.deepEqual(ended.slice(0, 2), ['a', 'b'])
  assert.ok(ended.length >= 5)
})

test('QueryPlaces.take() ends no query if only clients with a place wait, or none', async () => {
  const places = new QueryPlaces({ queriesMax: 2, queryMsMax: 50 })
  const held = [await places.take('a', never), await places.take('b', never)]
  const leaving = new AbortController()
  const other = places.take('c', leaving.signal)
  leaving.abort(new Error('gone'))
  await assert.rejects(other, /gone/)
  await assert.rejects(places.take('a', never), isRefusal(2))
  assert.ok(held.every(({ timeUp }) => !timeUp.aborted))
})

test('QueryPlaces.take() admits another client to a full queue instead of the busiest one', async () => {
  const places = new QueryPlaces({ queriesMax: 1, queryMsMax: 60_000 })
  const held = await places.take('a', never)
  const end = new AbortController()
  const outcomes = ['b', 'c', 'd', 'e'].flatMap((client) =>
    Array.from({ length: 16 }, () => places.take(client, end.signal).then(() => 'taken', String)),
  )
  const leaving = new AbortController()
  const other = places.take('f', leaving.signal)
  assert.match(await Promise.race(outcomes), /limit/)
  leaving.abort(new Error('gone'))
  await assert.rejects(other, /gone/)
  held.release()
  assert.equal(await outcomes[0], 'taken')
  end.abort(new Error('gone'))
  const last = await Promise.all(outcomes)
  assert.equal(last.filter((one) => one.includes('limit')).length, 1)
})
