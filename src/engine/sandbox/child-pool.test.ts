// Tests of the child pool with children that say what a test lets them say, in an order that it chooses.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ChildPool, PooledChild } from './child-pool.ts'
import { frameOf, readFrames, readyText, spentText } from './frames.ts'
import type { Child, ProcessExit } from './spawn-child.ts'

const never = new AbortController().signal

/** A pool whose children are streams. */
function start(t: TestContext) {
  const outputs: PassThrough[] = []
  const warnings: string[] = []
  const create = () => {
    const output = new PassThrough()
    outputs.push(output)
    const { promise: gone, resolve } = Promise.withResolvers<ProcessExit>()
    const kill = (killReason?: string) => {
      output.destroy()
      resolve({ code: null, how: `killed: ${killReason}`, ...(killReason !== undefined && { killReason }) })
    }
    const frames: Child['frames'] = (bytesMax) => readFrames(output, bytesMax)
    return new PooledChild({ child: { pid: undefined, frames, send() {}, kill, gone }, workDir: null })
  }
  const pool = new ChildPool('query', { logger: { warn: (_, message) => void warnings.push(message) } }, create)
  t.after(() => pool.close(new Error('the test is over')))
  const say = (index: number, text: string) => void outputs[index]!.write(frameOf(text))
  return { pool, say, warnings, starts: () => outputs.length }
}

/** A pool whose only child has done its work, and is to be ready again. */
async function renewed(t: TestContext) {
  const started = start(t)
  const work = async (child: PooledChild) => {
    await child.ask({}, 100, String)
    child.renew()
    started.pool.keep(child)
  }
  const running = started.pool.run(never, work)
  for (const text of [readyText, 'an answer']) {
    await turn()
    started.say(0, text)
  }
  await running
  return started
}

test('check() waits for another child if the one that it has found is spent or no longer wanted', async (t) => {
  const ends: Readonly<Record<string, (one: Awaited<ReturnType<typeof renewed>>) => unknown>> = {
    spent: ({ say }) => say(0, spentText),
    unwanted: ({ pool }) => pool.endIdle(() => true),
  }
  for (const [reason, end] of Object.entries(ends)) {
    const one = await renewed(t)
    const checked = one.pool.check()
    end(one)
    while (one.starts() === 1) await Promise.race([turn(), checked])
    one.say(1, readyText)
    await checked
    assert.deepEqual(one.warnings, [], reason)
  }
})

test('a child is not late if it was ready before the service found the time to look', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { pool, say, starts } = await renewed(t)
  const checked = pool.check()
  t.mock.timers.tick(2_000)
  say(0, readyText)
  await turn()
  await turn()
  assert.equal(starts(), 1)
  await checked
})
