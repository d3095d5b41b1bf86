// Tests of forEachLimit(): how many items run at a time, and what a failure leaves running.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { forEachLimit } from './for-each-limit.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

async function* arriving(count: number, asked: number[] = []) {
  for (const item of numbers(count)) {
    asked.push(item)
    yield item
  }
}

test('forEachLimit() starts every item once, in order, and never runs more at a time than allowed', async () => {
  for (const [count, limit] of [
    [0, 3],
    [2, 3],
    [3, 3],
    [50, 3],
    [50, 1],
  ] as const) {
    for (const items of [numbers(count), arriving(count)]) {
      const begun: number[] = []
      let runningCount = 0
      let runningMax = 0
      await forEachLimit(items, limit, async (item) => {
        begun.push(item)
        runningCount += 1
        runningMax = Math.max(runningMax, runningCount)
        for (let i = 0; i < 5; i++) await setImmediate()
        runningCount -= 1
      })
      assert.deepEqual(begun, numbers(count))
      assert.equal(runningMax, Math.min(count, limit))
    }
  }
})

test('forEachLimit() fetches at most one more item from an async iterable than it can start', async () => {
  const asked: number[] = []
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const done = forEachLimit(arriving(10, asked), 2, () => mayEnd)
  for (let i = 0; i < 10; i++) await setImmediate()
  assert.deepEqual(asked, [0, 1, 2])
  end()
  await done
  assert.deepEqual(asked, numbers(10))
})

test('forEachLimit() throws only after everything started has ended, and starts nothing more', async () => {
  const ended: number[] = []
  const running = forEachLimit(numbers(6), 3, async (item) => {
    await setImmediate()
    if (item === 1) throw new Error('one fails')
    await setImmediate()
    ended.push(item)
  })
  await assert.rejects(running, { message: 'one fails' })
  assert.deepEqual(ended, [0, 2])
})

test('forEachLimit() aborts the signal of running work when an item or the iterable fails', async () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  const failing = forEachLimit(numbers(3), 3, async (item, signal) => {
    if (item === 2) throw new Error('one fails')
    await untilAborted(signal)
  })
  await assert.rejects(failing, { message: 'one fails' })

  async function* breaking() {
    yield 0
    throw new Error('the source fails')
  }
  await assert.rejects(
    forEachLimit(breaking(), 3, (_, signal) => untilAborted(signal)),
    { message: 'the source fails' },
  )
})
