// Tests of the query runner: children that wait, die and are killed.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isServiceError } from '../../core/errors.ts'
import { openDuckDb } from '../duckdb/duckdb.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { createQueryRunner, type QueryRunnerOptions } from './query-runner.ts'

const never = new AbortController().signal
const logger = { warn() {} }
const usual = {
  queryMsMax: 30_000,
  queryMemoryBytesMax: 268_435_456,
  queryRowsMax: 100,
  queryBytesMax: 1_000,
}
const seesProcesses = existsSync('/proc/self/status')

async function start(t: TestContext, given: Partial<QueryRunnerOptions> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'query-'))
  const part = join(dir, 'part.parquet')
  const connection = await openDuckDb({})
  await connection.run(`COPY (SELECT range AS id FROM range(10)) TO '${part}' (FORMAT parquet)`)
  const runner = createQueryRunner({ ...usual, logger, sandbox: await Sandbox.open(dir), ...given })
  t.after(async () => {
    await runner.close()
    await rm(dir, { recursive: true })
  })
  const table = { paths: [part], columns: ['id'] }
  return { runner, table, part, workDirs: join(dir, 'work') }
}

type TestSetup = Awaited<ReturnType<typeof start>>

async function ask({ runner, table }: Pick<TestSetup, 'runner' | 'table'>, sql: string, format = 'csv' as const) {
  const open = await runner.open(table, never)
  return (await Array.fromAsync((await open.ask({ sql, format })) as AsyncIterable<Buffer>)).join('')
}

test('createQueryRunner() queries the given files, which have become read-only', async (t) => {
  const started = await start(t)
  assert.equal(await ask(started, 'SELECT sum(id) AS sum FROM data'), 'sum\r\n45\r\n')
  assert.equal(statSync(started.part).mode & 0o222, 0)
})

test('createQueryRunner() can query a table whose files have been deleted', async (t) => {
  const started = await start(t)
  const open = await started.runner.open(started.table, never)
  await rm(started.part)
  const stream = await open.ask({ sql: 'SELECT count(*) AS n FROM data', format: 'csv' })
  assert.equal((await Array.fromAsync(stream as AsyncIterable<Buffer>)).join(''), 'n\r\n10\r\n')
  await assert.rejects(open.ask({ sql: 'SELECT 1', format: 'csv' }), /asked before/)
})

test('createQueryRunner() ends a query with the reason of its signal, and at its time limit', async (t) => {
  const started = await start(t)
  // A result of one row, so that the query ends because of its time and not its size.
  const endless = 'SELECT max(a.range + b.range) FROM range(1000000) a, range(1000000) b'
  const controller = new AbortController()
  const open = await started.runner.open(started.table, controller.signal)
  const answer = open.ask({ sql: endless, format: 'json' })
  controller.abort(new Error('the client has gone'))
  await assert.rejects(answer, /the client has gone/)
  const hasty = await start(t, { queryMsMax: 1_000 })
  await assert.rejects(ask(hasty, endless), (error) => isServiceError(error, 'QUERY_TIMEOUT'))
})

test('createQueryRunner() yields no row beyond the limit of bytes', async (t) => {
  const started = await start(t)
  const row = (length: number) => `SELECT repeat('x', ${length}) AS x`
  // The header has 3 bytes, the end of a line 2.
  assert.equal((await ask(started, row(usual.queryBytesMax - 5))).length, usual.queryBytesMax)
  await assert.rejects(ask(started, row(usual.queryBytesMax - 4)), (error) => isServiceError(error, 'QUERY_TOO_LARGE'))
})

test('createQueryRunner() leaves no timer for a client that has stopped reading', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const { runner, table } = await start(t, { queryRowsMax: 1_000_000, queryBytesMax: 10_000_000 })
  const open = await runner.open(table, never)
  for await (const _ of await open.ask({ sql: 'FROM range(1000000)', format: 'csv' })) break
  await runner.close()
  assert.equal(timers(), before)
})

test('createQueryRunner() starts another child if the waiting one has died', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const started = await start(t)
  await ask(started, 'SELECT 1')
  for (const pid of await waiting(started.workDirs)) process.kill(pid, 'SIGKILL')
  assert.equal(await ask(started, 'SELECT 1 AS one'), 'one\r\n1\r\n')
})

test('createQueryRunner() leaves no process and no directory behind', async (t) => {
  const started = await start(t)
  await ask(started, 'SELECT 1')
  await started.runner.close()
  assert.deepEqual(readdirSync(started.workDirs), [])
  await assert.rejects(started.runner.open(started.table, never), /have been ended/)
})

/** Children of this process that work in the directory; waits until there is one. */
async function waiting(dir: string): Promise<readonly number[]> {
  while (true) {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean)
    const found = children.map(Number).filter((pid) => commandOf(pid).includes('query-main.ts'))
    if (found.length > 0 && readdirSync(dir).length > 0) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
