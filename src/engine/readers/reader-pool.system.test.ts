// Tests of the reader pool: order, deadlines, aborts and deaths, and that no process is left.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { until } from '../../../test/support/until.ts'
import { jobMsMax, logger, never, scratchDir, writePart } from '../../columns/converter.testing.ts'
import { isServiceError } from '../../core/errors.ts'
import { ReaderPool, type ReaderPoolOptions, readerProgram, startReader } from './reader-pool.ts'

function poolFor(t: TestContext, options: Partial<ReaderPoolOptions> = {}): ReaderPool {
  const pool = new ReaderPool({ size: 1, jobMsMax, logger, ...options })
  t.after(() => pool.close())
  return pool
}

function smallJob(t: TestContext) {
  const paths = [writePart(scratchDir(t), 'a\nb\n')]
  return { paths, windows: [{ offset: 0, limit: 2 }], columns: ['column 0'] }
}

const failed = (error: unknown) => isServiceError(error, 'CONVERSION_FAILED')

/** A program that does not answer a job. */
const hostileChild = fileURLToPath(new URL('../sandbox/hostile-child.testing.ts', import.meta.url))
const unanswered = { paths: [], windows: [], columns: ['hostile: say nothing'] }

/** Ids of the processes started by this one; null if the system does not list them. */
function childIds(): readonly number[] | null {
  const path = `/proc/${process.pid}/task/${process.pid}/children`
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number) : null
}

/** Waits until there is a child. */
async function listed(): Promise<readonly number[]> {
  for (;;) {
    const ids = childIds()!
    if (ids.length > 0) return ids
    await turn()
  }
}

/** Kills every child as soon as it is listed. */
async function killUntil(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    for (const id of childIds()!) process.kill(id, 'SIGKILL')
    await turn()
  }
}

test('run() completes jobs in order of arrival, one at a time', async (t) => {
  const pool = poolFor(t)
  const job = smallJob(t)
  const order: number[] = []
  await Promise.all([1, 2, 3, 4].map((n) => pool.run('rows', job, never).then(() => order.push(n))))
  assert.deepEqual(order, [1, 2, 3, 4])
})

test('run() starts no more children than its size', async (t) => {
  if (childIds() === null) return t.skip('this system does not list child processes')
  const pool = poolFor(t, { size: 2 })
  const job = smallJob(t)
  await Promise.all([1, 2, 3, 4, 5].map(() => pool.run('rows', job, never)))
  assert.equal(childIds()!.length, 2)
  await pool.close()
  assert.deepEqual(childIds(), [])
})

test('run() starts children when they are needed, and not before', async (t) => {
  if (childIds() === null) return t.skip('this system does not list child processes')
  const pool = poolFor(t, { size: 2 })
  assert.deepEqual(childIds(), [])
  const job = smallJob(t)
  await pool.run('rows', job, never)
  assert.equal(childIds()!.length, 1)
  await Promise.all([1, 2, 3].map(() => pool.run('rows', job, never)))
  assert.equal(childIds()!.length, 2)
})

test('run() lets idle children end after a while, and starts one for the next job', async (t) => {
  if (childIds() === null) return t.skip('this system does not list child processes')
  const warnings: object[] = []
  const pool = poolFor(t, { size: 2, idleMsMax: 1, logger: { warn: (facts) => warnings.push(facts) } })
  const job = smallJob(t)
  for (let i = 0; i < 2; i++) {
    await Promise.all([1, 2, 3].map(() => pool.run('rows', job, never)))
    await until('they have ended', () => childIds()!.length === 0)
  }
  assert.deepEqual(warnings, [])
})

test('run() fails a job that takes too long, and the next one as well', async (t) => {
  const late = poolFor(t, { jobMsMax: 5, programPath: hostileChild })
  const isLate = (error: unknown) => failed(error) && /within 5 ms/.test(String((error as Error).cause))
  for (let i = 0; i < 2; i++) await assert.rejects(late.run('rows', unanswered, never), isLate)
})

test('run() drops a waiting job that is aborted, and does the others', async (t) => {
  const pool = poolFor(t)
  const job = smallJob(t)
  const abort = new AbortController()
  const first = pool.run('rows', job, never)
  const second = pool.run('rows', job, abort.signal)
  const third = pool.run('rows', job, never)
  abort.abort(new Error('gone'))
  await assert.rejects(second, /gone/)
  await Promise.all([first, third])
  await assert.rejects(pool.run('rows', job, abort.signal), /gone/)
})

test('run() kills the child of a running job that is aborted, and starts another', async (t) => {
  const pool = poolFor(t)
  const job = smallJob(t)
  await pool.run('rows', job, never)
  await pool.check()
  const before = childIds()
  const abort = new AbortController()
  const running = pool.run('rows', job, abort.signal)
  const waiting = pool.run('rows', job, never)
  await turn()
  abort.abort(new Error('gone'))
  await assert.rejects(running, /gone/)
  if (before !== null) assert.ok(!childIds()!.includes(before[0]!))
  await waiting
})

test('run() gives the job of a dead child to another, and logs it', async (t) => {
  if (childIds() === null) return t.skip('this system does not list child processes')
  const said: object[] = []
  const pool = poolFor(t, { logger: { warn: (fields) => void said.push(fields) } })
  const job = smallJob(t)
  await pool.run('rows', job, never)
  await pool.check()
  const order: string[] = []
  const running = pool.run('rows', job, never).then(() => order.push('lost'))
  const waiting = pool.run('rows', job, never).then(() => order.push('waiting'))
  process.kill(childIds()![0]!, 'SIGKILL')
  await Promise.all([running, waiting])
  assert.deepEqual(order, ['lost', 'waiting'])
  assert.deepEqual(Object.keys(said[0] ?? {}), ['how'])
  assert.equal(said.length, 1)
  assert.equal(childIds()!.length, 1)
})

test('run() fails a job on which a second child dies, and does the next', async (t) => {
  if (childIds() === null) return t.skip('this system does not list child processes')
  const deaths: object[] = []
  const pool = poolFor(t, { logger: { warn: (fields: object) => deaths.push(fields) } })
  const job = smallJob(t)
  await pool.run('rows', job, never)
  await pool.check()
  // All listed children, because a child of an earlier test may still be listed. A stopped child cannot respond.
  for (const id of await listed()) process.kill(id, 'SIGSTOP')
  const running = pool.run('rows', job, never)
  // Kills the next child before it is ready: the system may list it late, while others end.
  const killing = killUntil(() => deaths.length === 2)
  await assert.rejects(running, (error) => failed(error) && /SIGKILL/.test(String((error as Error).cause)))
  await killing
  assert.equal(deaths.length, 2)
  await pool.run('rows', job, never)
})

test('run() gives the job of a stopped child to another after its deadline', async (t) => {
  if (childIds() === null) return t.skip('this system does not list child processes')
  const said: string[] = []
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = poolFor(t, { logger: { warn: (_fields, message) => void said.push(message) } })
  const job = smallJob(t)
  await pool.run('rows', job, never)
  await pool.check()
  const [stopped] = childIds()!
  process.kill(stopped!, 'SIGSTOP')
  const running = pool.run('rows', job, never)
  // Only the stopped child is too late: the other has all the time that it needs.
  for (; said.length === 0; await turn()) t.mock.timers.tick(jobMsMax)
  await running
  assert.deepEqual(said, ['a reader child was too late'])
  assert.ok(!childIds()!.includes(stopped!))
})

test('run() does not repeat a late job that has been aborted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const deaths: string[] = []
  const warn = (_fields: object, message: string) => void deaths.push(message)
  const pool = poolFor(t, { programPath: hostileChild, logger: { warn } })
  await pool.check()
  const abort = new AbortController()
  const running = pool.run('rows', unanswered, abort.signal)
  await turn()
  t.mock.timers.tick(jobMsMax)
  abort.abort(new Error('gone'))
  await assert.rejects(running, /gone/)
  assert.deepEqual(deaths, ['a reader child was too late'])
  await pool.close()
  assert.equal(deaths.length, 1)
})

test('close() fails running and waiting jobs, and accepts no more', async (t) => {
  const pool = poolFor(t)
  const job = smallJob(t)
  const jobs = [1, 2, 3].map(() => assert.rejects(pool.run('rows', job, never), failed))
  await pool.close()
  await Promise.all(jobs)
  await assert.rejects(pool.run('rows', job, never), failed)
  await pool.close()
})

test('startReader() reports how a child ended, and drops messages to it', async () => {
  const { child } = startReader(readerProgram())
  child.kill()
  child.send({ kind: 'rows', paths: [], windows: [], columns: [] })
  assert.match((await child.gone).how, /SIGKILL/)
  child.send({ kind: 'rows', paths: [], windows: [], columns: [] })
})

test('startReader() starts a child that ends when its parent is killed', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('this system does not show processes')
  const url = new URL('./reader-pool.ts', import.meta.url).href
  const program = `const { readerProgram, startReader } = await import(process.argv[1])
    const { child } = startReader(readerProgram())
    child.send({ kind: 'rows', paths: [], windows: [], columns: [] })
    for await (const _ of child.frames(() => 1000)) console.log(child.pid)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program, url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [said] = await once(parent.stdout, 'data')
  parent.kill('SIGKILL')
  const status = `/proc/${Number(String(said))}/status`
  // State Z: the child has ended, but has not been reaped yet.
  const isAlive = () => existsSync(status) && !/^State:\s+[ZX]/m.test(readFileSync(status, 'latin1'))
  while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 10))
})
