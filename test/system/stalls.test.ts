// Tests of the watch over test runs: it ends one in which nothing moves, and leaves a slow one alone.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { isAlive, seesProcesses } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const watch = pathToFileURL('scripts/test-stalls.mjs').href

/** Runs code under a watch that allows two seconds of standing still; resolves to its exit code and its output. */
async function watched(code: string): Promise<{ readonly code: number; readonly out: string; readonly said: string }> {
  const program = `const { watchForStalls } = await import(process.argv[1])\nconst onEvent = watchForStalls(2_000)\n${code}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, watch])
  const output = ['', '']
  child.stdout.on('data', (chunk) => (output[0] += chunk))
  child.stderr.on('data', (chunk) => (output[1] += chunk))
  const [exitCode] = await once(child, 'close')
  return { code: exitCode, out: output[0]!, said: output[1]! }
}

test('watchForStalls() ends a run that waits for nothing, with its children, and names the test', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const { code, out, said } = await watched(`
    import { spawn } from 'node:child_process'
    for (const name of ['one', 'two']) onEvent({ type: 'test:dequeue', data: { name, file: 'a' } })
    onEvent({ type: 'test:complete', data: { name: 'one', file: 'a' } })
    console.log(spawn('sleep', ['1000'], { detached: true }).pid)`)
  assert.equal(code, 1)
  assert.match(said, /^Nothing has moved for 2 s in: two\n$/)
  await until('its child has ended', () => !isAlive(Number(out)))
})

test('watchForStalls() leaves a run alone in which events arrive, or a process works', async () => {
  const events = `
    const timer = setInterval(onEvent, 50, { type: 'test:stdout' })
    setTimeout(() => clearInterval(timer), 4_000)`
  const work = `
    import { spawn } from 'node:child_process'
    spawn(process.execPath, ['-e', 'while (performance.now() < 4_000);'])`
  for (const code of [events, work]) assert.deepEqual(await watched(code), { code: 0, out: '', said: '' })
})
