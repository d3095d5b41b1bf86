// Tests of column threads: order, deadlines, aborts, traps and deaths, and that a failed part leaves nothing behind.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type ErrorCode, isServiceError } from '../../core/errors.ts'
import { jobMsMax, layoutOf, logger, never, scratchDir, textColumns, writeSegment } from '../converter.testing.ts'

import type { ColumnJob } from './column-job.ts'
import { ColumnThreads, type ColumnThreadsOptions } from './column-threads.ts'
import { findRepeats } from './find-repeats.ts'
import { chunkOf } from './key-chunk.testing.ts'
import { runColumnJob } from './run-column-job.ts'

function threadsFor(t: TestContext, options: Partial<ColumnThreadsOptions> = {}): ColumnThreads {
  const threads = new ColumnThreads({ size: 1, jobMsMax, logger, ...options })
  t.after(() => threads.close())
  return threads
}

const layout = layoutOf(2)

function jobIn(
  dir: string,
  text = 'a,b\nc,d\n',
  records = 2,
): ColumnJob & { readonly target: { readonly path: string } } {
  const segment = writeSegment(dir, text, records, layout)
  return { segment, target: { columns: textColumns(2), path: join(dir, 'part.parquet'), options: {} } }
}

const failed = (error: unknown) => isServiceError(error, 'CONVERSION_FAILED')
const because =
  (pattern: RegExp, code: ErrorCode = 'CONVERSION_FAILED') =>
  (error: unknown) =>
    isServiceError(error, code) && pattern.test(String(error.cause))

/**
 * A thread program that follows the next word in the file beside it, `hang`, `exit`, `throw`, `trap` or `untilWithdrawn`,
 * and succeeds once no words are left, with its id as the nulls. `trap` reports a trap as the real program does.
 */
function programIn(dir: string, ...what: readonly string[]): URL {
  const path = join(dir, 'program.mjs')
  const list = join(dir, 'what')
  writeFileSync(list, what.join(' '))
  const text = `import { readFileSync, writeFileSync } from 'node:fs'
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', ({ withdrawal }) => {
      const [next, ...rest] = readFileSync(${JSON.stringify(list)}, 'utf8').split(' ')
      writeFileSync(${JSON.stringify(list)}, rest.join(' '))
      if (next === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      if (next === 'untilWithdrawn') while (Atomics.load(withdrawal, 0) === 0);
      if (next === 'exit') process.exit(3)
      if (next === 'throw') throw new Error('unforeseen')
      if (next === 'trap') parentPort.postMessage({ kind: 'failure', code: null, problem: 'unreachable', isBroken: true })
      else parentPort.postMessage({ kind: 'result', result: { facts: [], nulls: [threadId], isWritten: [], part: null, checksums: new Uint8Array(0) } })
    })`
  writeFileSync(path, text)
  return pathToFileURL(path)
}

test('run() completes jobs in order of arrival', async (t) => {
  const threads = threadsFor(t)
  const job = jobIn(scratchDir(t))
  const order: number[] = []
  await Promise.all([1, 2, 3, 4].map((n) => threads.run(job, never).then(() => order.push(n))))
  assert.deepEqual(order, [1, 2, 3, 4])
})

test('run() gives a small job of another upload to the next free thread, ahead of waiting large ones', async (t) => {
  const threads = threadsFor(t)
  const [largeDir, smallDir] = [scratchDir(t), scratchDir(t)]
  const large = jobIn(largeDir, 'a,b\n'.repeat(10_000), 10_000)
  const small = jobIn(smallDir)
  const order: string[] = []
  const run = (name: string, job: ColumnJob) => threads.run(job, never).then(() => order.push(name))
  await Promise.all([...[1, 2, 3].map((n) => run(`large ${n}`, large)), run('small', small), run('small too', small)])
  assert.deepEqual(order, ['large 1', 'small', 'small too', 'large 2', 'large 3'])
})

test('run() uses threads of low priority, which yield the cores to requests', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has priorities per thread')
  const threads = threadsFor(t)
  await threads.run(jobIn(scratchDir(t)), never)
  const nicenessOf = (thread: string) => {
    const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16])
  }
  const own = getPriority()
  const others = readdirSync('/proc/self/task').filter((thread) => nicenessOf(thread) !== own)
  assert.deepEqual(others.map(nicenessOf), [Math.min(19, own + 5)])
})

test('run() fails, and leaves no part, if the older part does not belong to the segment', async (t) => {
  const dir = scratchDir(t)
  const threads = threadsFor(t)
  const job = jobIn(dir)
  await threads.run(job, never)
  const path = join(dir, 'other.parquet')
  const older = { path: job.target.path, kept: [null, 1] }
  const longer = jobIn(dir, 'a,b\nc,d\ne,f\n', 3)
  const target = { columns: textColumns(2), path, options: { older } }
  await assert.rejects(threads.run({ ...longer, target }, never), because(/the older part has other records/))
  const missing = { ...target, options: { older: { ...older, path: join(dir, 'missing.parquet') } } }
  await assert.rejects(threads.run({ ...job, target: missing }, never), because(/ENOENT/, 'STORE_FAILED'))
  assert.equal(existsSync(path), false)
})

test('run() fails, and leaves no part, if a segment does not match its description', async (t) => {
  const dir = scratchDir(t)
  const threads = threadsFor(t)
  const job = jobIn(dir)
  const wrong = [
    [{ records: 3 }, /2 records, expected 3/],
    [{ bytes: 100 }, /ends after 8 bytes, expected 100/],
    [{ bytes: 5 }, /record 2: it does not have 2 fields/],
    [{ path: join(dir, 'none.csv') }, /ENOENT/, 'STORE_FAILED'],
  ] as const
  for (const [other, problem, code] of wrong) {
    await assert.rejects(threads.run({ ...job, segment: { ...job.segment, ...other } }, never), because(problem, code))
    assert.equal(existsSync(job.target.path), false)
  }
  assert.equal((await threads.run(job, never)).part?.records, 2)
})

test('run() retries a job once if its thread hangs, exits, throws or traps', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  for (const what of ['hang', 'exit', 'throw', 'trap']) {
    const dir = scratchDir(t)
    let lost = 0
    const threads = threadsFor(t, { program: programIn(dir, what), onLost: () => lost++ })
    const running = threads.run(jobIn(dir), never)
    while (what === 'hang' && readFileSync(join(dir, 'what'), 'utf8') !== '') await turn()
    if (what === 'hang') t.mock.timers.tick(jobMsMax)
    assert.equal((await running).part, null, what)
    assert.equal(lost, 1, what)
  }
})

test('run() fails a job that loses two threads, and does the next', async (t) => {
  const dir = scratchDir(t)
  const threads = threadsFor(t, { program: programIn(dir, 'exit', 'trap') })
  await assert.rejects(threads.run(jobIn(dir), never), because(/its thread was lost/))
  assert.equal((await threads.run(jobIn(dir), never)).part, null)
})

test('run() fails a text whose thread is lost, since it went with it, and does the next job', async (t) => {
  // Nothing waits for a deadline.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const dir = scratchDir(t)
  const threads = threadsFor(t, { program: programIn(dir, 'exit', '') })
  const records = Uint8Array.from(Buffer.from('a,b\n'))
  const text = { records, form: { dialect: null, delimiter: ',', isTyped: null }, client: 'x' } as const
  await assert.rejects(threads.run(text, never), because(/its thread was lost/))
  assert.equal(records.length, 0)
  assert.equal((await threads.run(jobIn(dir), never)).part, null)
})

test('run() fails a job, and only that, if the system cannot start another thread', async (t) => {
  const dir = scratchDir(t)
  const programs = [programIn(dir, 'exit')]
  // Such a program cannot be started, which is noticed immediately, as is a lack of memory.
  const none = new URL('https://example.org/')
  const threads = new ColumnThreads({
    size: 1,
    jobMsMax,
    logger,
    get program() {
      return programs.shift() ?? none
    },
  })
  t.after(() => threads.close())
  const job = jobIn(dir)
  const outcomes = await Promise.allSettled([threads.run(job, never), threads.run(job, never)])
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && failed(outcome.reason), `${outcome}`)
  programs.push(programIn(dir))
  await threads.run(job, never)
})

test('run() rejects an aborted job, waiting or running, and does the others', async (t) => {
  const dir = scratchDir(t)
  const threads = threadsFor(t)
  const stop = new AbortController()
  const job = jobIn(dir)
  const running = threads.run(job, stop.signal)
  const waiting = threads.run(job, stop.signal)
  const other = threads.run(job, never)
  stop.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  await assert.rejects(running, /enough/)
  assert.equal((await other).part?.records, 2)
  await assert.rejects(threads.run(job, stop.signal), /enough/)
})

test('run() rejects an aborted waiting job immediately, also after another job with its signal', async (t) => {
  const dir = scratchDir(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const threads = threadsFor(t, { program: programIn(dir, 'go', 'hang') })
  const stop = new AbortController()
  const [first, running, waiting] = [1, 2, 3].map(() => threads.run(jobIn(dir), stop.signal))
  const runningEnded = assert.rejects(running!, /enough/)
  await first
  stop.abort(new Error('enough'))
  await assert.rejects(waiting!, /enough/)
  // The running one ends with its time, which only now passes.
  t.mock.timers.tick(jobMsMax)
  await runningEnded
})

test('run() tells a running job that it is aborted', async (t) => {
  let lost = 0
  const program = programIn(scratchDir(t), 'untilWithdrawn')
  const threads = threadsFor(t, { program, onLost: () => lost++ })
  const stop = new AbortController()
  const running = threads.run(jobIn(scratchDir(t)), stop.signal)
  stop.abort(new Error('enough'))
  await assert.rejects(running, /enough/)
  assert.equal(lost, 0)
})

test('runColumnJob() ends, and leaves no part, and findRepeats() ends, once they are withdrawn', (t) => {
  const job = jobIn(scratchDir(t))
  const withdrawal = new Int32Array(new SharedArrayBuffer(4))
  runColumnJob(job, withdrawal)
  withdrawal[0] = 1
  assert.throws(() => runColumnJob(job, withdrawal), /withdrawn/)
  assert.equal(existsSync(job.target.path), false)
  const path = join(scratchDir(t), 'keys')
  writeFileSync(path, chunkOf([[1, 2, 3, 4, 5, 6, 1, 0]]))
  assert.throws(() => findRepeats({ segments: [{ path, before: 0 }] }, withdrawal), /withdrawn/)
})

test('run() uses a thread again within a minute, and another one later: the idle one was ended, not lost', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let lost = 0
  const threads = threadsFor(t, { program: programIn(scratchDir(t)), onLost: () => lost++ })
  const job = jobIn(scratchDir(t))
  const idOf = async () => (await threads.run(job, never)).nulls[0]
  const first = await idOf()
  t.mock.timers.tick(59_999)
  assert.equal(await idOf(), first)
  t.mock.timers.tick(60_000)
  assert.notEqual(await idOf(), first)
  assert.equal(lost, 0)
})

test('close() fails running and waiting jobs', async (t) => {
  const dir = scratchDir(t)
  const threads = new ColumnThreads({ size: 1, jobMsMax, logger, program: programIn(dir, 'hang') })
  const jobs = [threads.run(jobIn(dir), never), threads.run(jobIn(dir), never)]
  const ended = Promise.all(jobs.map((job) => assert.rejects(job, failed)))
  await threads.close()
  await ended
  await assert.rejects(threads.run(jobIn(dir), never), failed)
})
