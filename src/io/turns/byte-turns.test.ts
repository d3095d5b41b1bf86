// Tests of byte turns: which streams wait, for which others, and for how long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as round } from 'node:timers/promises'
import { ByteTurns, type TurnTaker } from './byte-turns.ts'

/** Work in progress with one stream. */
function workOf(turns: ByteTurns): TurnTaker & Disposable {
  const work = turns.begin()
  return { ...turns.stream(), [Symbol.dispose]: () => work[Symbol.dispose]() }
}

test('ByteTurns lets a single stream take everything at once', () => {
  const turns = new ByteTurns(100, 0)
  using only = workOf(turns)
  for (let i = 0; i < 1_000; i++) assert.equal(only.take(100), null)
})

test('ByteTurns gives each of several streams at most the bytes of a turn per round of the event loop', async () => {
  const turns = new ByteTurns(100, 0)
  using first = workOf(turns)
  using second = workOf(turns)
  const taken: string[] = []
  const go = async (name: string, taker: typeof first) => {
    for (let i = 0; i < 4; i++) {
      await taker.take(50)
      taken.push(name)
    }
  }
  const all = Promise.all([go('a', first), go('b', second)])
  for (const wanted of ['ab', 'abab', 'ababab', 'abababab']) {
    // Whatever need not wait continues before the next round.
    await Promise.resolve().then(() => {})
    while (taken.length < wanted.length) await round()
    assert.equal(taken.join(''), wanted)
  }
  await all
})

test('ByteTurns never makes the first bytes of a stream wait, even if others already wait', async () => {
  const turns = new ByteTurns(10, 100)
  using large = workOf(turns)
  using small = workOf(turns)
  assert.equal(large.take(100), null)
  assert.equal(large.take(10), null)
  const waiting = large.take(10)
  assert.notEqual(waiting, null)
  assert.equal(small.take(60), null)
  assert.equal(small.take(40), null)
  assert.notEqual(small.take(1), null)
  await waiting
})

test('ByteTurns grants a request larger than a turn, and then lets the others go first', async () => {
  const turns = new ByteTurns(10, 0)
  using one = workOf(turns)
  using other = workOf(turns)
  assert.equal(one.take(1_000), null)
  const order: string[] = []
  const asked = [
    other.take(5)?.then(() => order.push('other')),
    one.take(1_000)?.then(() => order.push('one')),
    other.take(5)?.then(() => order.push('other')),
  ]
  await Promise.all(asked)
  assert.deepEqual(order, ['other', 'one', 'other'])
})

test('ByteTurns makes a stream wait no longer once all others have left', () => {
  const turns = new ByteTurns(10, 0)
  using stays = workOf(turns)
  {
    using leaves = workOf(turns)
    assert.equal(leaves.take(10), null)
    assert.notEqual(stays.take(10), null)
  }
  assert.equal(stays.take(10), null)
})

test('ByteTurns makes a stream wait while other work is in progress, whether or not that takes bytes', () => {
  const turns = new ByteTurns(10, 0)
  using large = workOf(turns)
  {
    using _small = turns.begin()
    assert.equal(large.take(10), null)
    assert.notEqual(large.take(10), null)
  }
  assert.equal(large.take(10), null)
})
