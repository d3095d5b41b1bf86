// Each at once: how many run at a time, and what a failure leaves running.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { forEachLimit } from './for-each-limit.ts'

test('eachAtOnce() takes every item once, in order, never more at a time than allowed', async () => {
  for (const [count, atOnceMax] of [
    [0, 3],
    [2, 3],
    [3, 3],
    [50, 3],
    [50, 1],
  ] as const) {
    const begun: number[] = []
    let runningCount = 0
    let runningMax = 0
    await forEachLimit(
      Array.from({ length: count }, (_, index) => index),
      atOnceMax,
      async (item) => {
        begun.push(item)
        runningCount += 1
        runningMax = Math.max(runningMax, runningCount)
        await setImmediate()
        runningCount -= 1
      },
    )
    assert.deepEqual(
      begun,
      Array.from({ length: count }, (_, index) => index),
    )
    assert.equal(runningMax, Math.min(count, atOnceMax))
  }
})

test('eachAtOnce() throws only after all that had begun have ended, and begins no more', async () => {
  const ended: number[] = []
  const running = forEachLimit([0, 1, 2, 3, 4, 5], 3, async (item) => {
    if (item === 1) throw new Error('one fails')
    await setImmediate()
    await setImmediate()
    ended.push(item)
  })
  await assert.rejects(running, { message: 'one fails' })
  assert.deepEqual(ended, [0, 2])
})
