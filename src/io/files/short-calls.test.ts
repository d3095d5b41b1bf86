// Tests of short calls: which run on this thread, and which are handed over.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ShortCalls } from './short-calls.ts'

/**
 * Short calls with a simulated clock, on a disk that has just responded. `ran` makes a call of so many milliseconds, and
 * returns where it ran.
 */
function withClock() {
  let now = 0
  const calls = new ShortCalls(() => now)
  calls.begin()
  calls.end()
  const ran = (ms: number) =>
    calls.run(
      () => {
        now += ms
        return 'here'
      },
      async () => 'handed over',
    )
  const pass = (ms: number) => {
    now += ms
  }
  return { calls, ran, pass }
}

test('ShortCalls runs a call on this thread unless one that may wait for the disk is in progress', async () => {
  const { calls, ran } = withClock()
  assert.equal(await ran(0.1), 'here')
  calls.begin()
  calls.begin()
  assert.equal(await ran(0.1), 'handed over')
  calls.end()
  assert.equal(await ran(0.1), 'handed over')
  calls.end()
  assert.equal(await ran(0.1), 'here')
})

test('ShortCalls hands calls over for twenty times as long as a slow one took', async () => {
  const { ran, pass } = withClock()
  assert.equal(await ran(0.5), 'here')
  assert.equal(await ran(3), 'here')
  assert.equal(await ran(3), 'handed over')
  pass(59)
  assert.equal(await ran(3), 'handed over')
  pass(1)
  assert.equal(await ran(0.1), 'here')
})

test('ShortCalls rejects with the error of a call, and counts its time', async () => {
  const { calls, ran, pass } = withClock()
  const failed = calls.run<string>(
    () => {
      pass(3)
      throw new Error('no space')
    },
    async () => 'handed over',
  )
  await assert.rejects(failed, /no space/)
  assert.equal(await ran(0.1), 'handed over')
})

test('ShortCalls hands the first call over after 100 ms without one, and others until it has completed', async () => {
  const { calls, ran, pass } = withClock()
  pass(99)
  assert.equal(await ran(0.1), 'here')
  pass(100)
  const { promise, resolve } = Promise.withResolvers<string>()
  const pending = [1, 2].map(() =>
    calls.run(
      () => 'here',
      () => promise,
    ),
  )
  resolve('handed over')
  assert.deepEqual(await Promise.all(pending), ['handed over', 'handed over'])
  assert.equal(await ran(0.1), 'here')
})
