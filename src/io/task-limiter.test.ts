// Tests of job-window: what its callers may rely on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskLimiter } from './task-limiter.ts'

test('JobWindow runs at most its number of jobs at once, and all of them', async () => {
  const jobs = new TaskLimiter(3)
  const gates: (() => void)[] = []
  let running = 0
  let most = 0
  const adding = (async () => {
    for (let i = 0; i < 10; i++) {
      await jobs.add(async () => {
        running++
        most = Math.max(most, running)
        await new Promise<void>((open) => gates.push(open))
        running--
      })
    }
  })()
  for (let done = 0; done < 10; ) {
    const open = gates.shift()
    if (open === undefined) await new Promise((resolve) => setImmediate(resolve))
    else {
      open()
      done++
    }
  }
  await adding
  await jobs.drain()
  assert.equal(most, 3)
})

test('JobWindow throws the first failure to whoever adds next, and after all jobs have ended on drain', async () => {
  const jobs = new TaskLimiter(2)
  await jobs.add(async () => {
    throw new Error('first')
  })
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(
    jobs.add(async () => assert.fail('must not start')),
    /first/,
  )
  await assert.rejects(jobs.drain(), /first/)
  await jobs.settle()
})
