// Tests of the query runner: children that wait, die and are killed.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../../test/support/until.ts'
import { type ErrorCode, isServiceError, ServiceError } from '../../core/errors.ts'
import { openDuckDb } from '../duckdb/duckdb.ts'
import { Sandbox, type SandboxedProgram } from '../sandbox/sandbox.ts'
import type { QueryTable, ResultFormat, TableKey } from './query.ts'
import { createQueryRunner, type QueryRunnerOptions } from './query-runner.ts'
import { tableOf } from './query-table.testing.ts'

const never = new AbortController().signal
const logger = { warn() {} }
const usual = {
  queryMsMax: 30_000,
  queryMemoryBytesMax: 268_435_456,
  queryProcessesKept: 2,
  queryRowsMax: 100,
  queryBytesMax: 1_000,
}
const seesProcesses = existsSync('/proc/self/status')

/** @param killed So many children are killed in their start, the first ones. */
async function start(t: TestContext, given: Partial<QueryRunnerOptions> = {}, killed = 0) {
  const dir = await mkdtemp(join(tmpdir(), 'query-'))
  const part = join(dir, 'part.parquet')
  const connection = await openDuckDb({})
  await connection.run(`COPY (SELECT range AS id FROM range(10)) TO '${part}' (FORMAT parquet)`)
  const sandbox = await Sandbox.open(dir)
  let startCount = 0
  const counting = {
    start: (program: SandboxedProgram) => {
      startCount += 1
      const started = sandbox.start(program)
      if (startCount <= killed) process.kill(started.child.pid!, 'SIGKILL')
      return started
    },
  }
  // The only member that a runner uses.
  const runner = createQueryRunner({ ...usual, logger, sandbox: counting as unknown as Sandbox, ...given })
  t.after(async () => {
    await runner.close()
    await rm(dir, { recursive: true })
  })
  const table = tableOf([part], ['id'])
  return { runner, table, part, workDirs: join(dir, 'work'), starts: () => startCount }
}

type TestSetup = Awaited<ReturnType<typeof start>>

type Asked = Pick<TestSetup, 'runner' | 'table'>

/** The rows as they arrive. */
async function begin({ runner, table }: Asked, sql: string, signal = never, format: ResultFormat = 'csv') {
  return (await runner.run(table, { sql, format }, signal)).rows as AsyncIterable<Buffer>
}

async function ask(asked: Asked, sql: string): Promise<string> {
  return (await Array.fromAsync(await begin(asked, sql))).join('')
}

/** The same, and when its table has been opened: the statement is sent next. */
function watched({ runner, table }: Asked): Asked & { readonly opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const withPaths: QueryTable['withPaths'] = (use) => table.withPaths(use).finally(() => setImmediate(resolve))
  return { runner, table: { ...table, withPaths }, opened: promise }
}

test('createQueryRunner() queries the given files, which have become read-only', async (t) => {
  const started = await start(t)
  assert.equal(await ask(started, 'SELECT sum(id) AS sum FROM data'), 'sum\r\n45\r\n')
  assert.equal(statSync(started.part).mode & 0o222, 0)
})

test('createQueryRunner() can query a table whose files are deleted once they are open', async (t) => {
  const { runner, table, part } = await start(t)
  const withPaths: QueryTable['withPaths'] = async (use) => {
    await table.withPaths(use)
    await rm(part)
  }
  const asked = { runner, table: { ...table, withPaths } }
  assert.equal(await ask(asked, 'SELECT count(*) AS n FROM data'), 'n\r\n10\r\n')
})

test('createQueryRunner() ends a query with the reason of its signal, and at its time limit', async (t) => {
  const started = await start(t)
  const controller = new AbortController()
  const asked = watched(started)
  const answer = begin(asked, endless, controller.signal)
  await asked.opened
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
  const started = await start(t, { queryRowsMax: 1_000_000, queryBytesMax: 10_000_000 })
  for await (const _ of await begin(started, 'FROM range(1000000)')) break
  await started.runner.close()
  await turn()
  assert.equal(timers(), before)
})

test('createQueryRunner() starts another child if the waiting one has died', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const started = await start(t)
  await ask(started, 'SELECT 1')
  for (const pid of await waiting(started.workDirs)) process.kill(pid, 'SIGKILL')
  await until('it is gone', () => readdirSync(started.workDirs).length === 0)
  assert.equal(await ask(started, 'SELECT 1 AS one'), 'one\r\n1\r\n')
})

test('createQueryRunner() runs a statement again, once, if a child that had waited ends before its verdict', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const started = await start(t)
  for (let round = 0; round < 10; round++) {
    await ask(started, 'SELECT 1')
    for (const pid of await waiting(started.workDirs)) process.kill(pid, 'SIGKILL')
    assert.equal(await ask(started, 'SELECT 1 AS one'), 'one\r\n1\r\n')
  }
  const before = started.starts()
  await assert.rejects(ask(started, "SELECT length(repeat('a', 3_000_000_000))"), { code: 'QUERY_TOO_LARGE' })
  assert.ok(started.starts() - before <= 1)
})

test('createQueryRunner() starts a second child if one dies in its start, and no third', async (t) => {
  const [one, two] = [await start(t, {}, 1), await start(t, {}, 2)]
  assert.equal(await ask(one, 'SELECT 1 AS one'), 'one\r\n1\r\n')
  await assert.rejects(ask(two, 'SELECT 1'), isCode('NOT_READY'))
  assert.deepEqual([one.starts(), two.starts()], [2, 2])
})

test('createQueryRunner() gives each statement its own time', async (t) => {
  const started = await start(t)
  await ask(started, 'SELECT 1')
  const endedAt = Date.now()
  await until('some milliseconds have passed', () => Date.now() > endedAt + 20)
  const now = Number((await ask(started, 'SELECT epoch_ms(now()) AS now')).split('\r\n')[1])
  assert.ok(now > endedAt + 20, `${now} for ${endedAt}`)
})

test('QueryRunner.close() refuses a query whose child is starting or at work', async (t) => {
  const started = await start(t)
  const working = watched(started)
  const refused = [working, started].map((asked) => assert.rejects(ask(asked, endless), isCode('SHUTTING_DOWN')))
  await working.opened
  await Promise.all([started.runner.close(), ...refused])
})

test('createQueryRunner() leaves no process and no directory behind', async (t) => {
  const started = await start(t)
  await ask(started, 'SELECT 1')
  await started.runner.close()
  assert.deepEqual(readdirSync(started.workDirs), [])
  await assert.rejects(ask(started, 'SELECT 1'), isCode('SHUTTING_DOWN'))
})

test('createQueryRunner() keeps a process for the next query of the same owner over the same publish, and no other', async (t) => {
  const { runner, part, starts } = await start(t, { queryProcessesKept: 9 })
  let verifiedCount = 0
  const askAs = async (key: Partial<TableKey>) => {
    const table = tableOf([part], ['id'], key)
    const withPaths: QueryTable['withPaths'] = (use) => {
      verifiedCount += 1
      return table.withPaths(use)
    }
    assert.equal(await ask({ runner, table: { ...table, withPaths } }, 'SELECT count(*) AS n FROM data'), 'n\r\n10\r\n')
  }
  const keys = [{}, { owner: 'bob' }, { id: 'b' }, { publish: '2' }]
  for (const key of keys) for (let i = 0; i < 3; i++) await askAs(key)
  for (const key of keys.toReversed()) await askAs(key)
  assert.equal(starts(), keys.length)
  assert.equal(verifiedCount, keys.length)
})

test('createQueryRunner() prefers the process that has the table open to one without a table', async (t) => {
  const started = await start(t)
  const other = { runner: started.runner, table: tableOf([started.part], ['id'], { id: 'b' }) }
  await ask(started, 'SELECT 1')
  const controller = new AbortController()
  const aborted = begin(other, 'SELECT 1', controller.signal)
  controller.abort(new Error('the client has gone'))
  await assert.rejects(aborted, /the client has gone/)
  for (const asked of [started, other]) await ask(asked, 'SELECT 1')
  assert.equal(started.starts(), 2)
})

test('createQueryRunner() has the files of a kept process verified again after a while', async (t) => {
  const { runner, table } = await start(t)
  await ask({ runner, table }, 'FROM data')
  const withPaths = () => Promise.reject(new ServiceError('DATASET_DAMAGED', { name: 'a' }))
  await ask({ runner, table: { ...table, withPaths } }, 'FROM data')
  const laterMs = performance.now() + 60_000
  t.mock.method(performance, 'now', () => laterMs)
  await assert.rejects(ask({ runner, table: { ...table, withPaths } }, 'FROM data'), isCode('DATASET_DAMAGED'))
})

test('createQueryRunner() keeps no process if none is to be kept, and the one used last if one is', async (t) => {
  const none = await start(t, { queryProcessesKept: 0 })
  for (let i = 0; i < 2; i++) await ask(none, 'SELECT 1')
  assert.equal(none.starts(), 2)
  await until('both have ended', () => readdirSync(none.workDirs).length === 0)
  const one = await start(t, { queryProcessesKept: 1 })
  const other = { runner: one.runner, table: tableOf([one.part], ['id'], { id: 'b' }) }
  for (const asked of [one, other, other]) await ask(asked, 'SELECT 1')
  assert.equal(one.starts(), 2)
  await until('one has ended', () => readdirSync(one.workDirs).length === 1)
})

test('createQueryRunner() ends an idle process after a while', async (t) => {
  const started = await start(t, { idleMsMax: 1 })
  await ask(started, 'SELECT 1')
  await until('it has ended', () => readdirSync(started.workDirs).length === 0)
})

test('createQueryRunner() keeps a process after a statement that is wrong or refused', async (t) => {
  const started = await start(t)
  for (const sql of [
    'SELEC 1',
    'FROM nowhere',
    "SELECT 'x'::INTEGER",
    'DROP VIEW data',
    "FROM read_csv('/etc/passwd')",
  ]) {
    await assert.rejects(ask(started, sql), ServiceError)
    assert.equal(await ask(started, 'SELECT count(*) AS n FROM data'), 'n\r\n10\r\n')
  }
  assert.equal(started.starts(), 1)
})

/** A result of one row, so that the query ends because of its time and not its size. */
const endless = 'SELECT max(a.range + b.range) FROM range(1000000) a, range(1000000) b'
const sorting = (rows: number) =>
  `SELECT max(x) FROM (SELECT md5(range::VARCHAR) AS x FROM range(${rows}) ORDER BY x OFFSET 1)`

test('createQueryRunner() ends a process after an abort, a cut result, a lack of memory, a spill', async (t) => {
  const started = await start(t, { queryBytesMax: 100_000 })
  const abort = async () => {
    const controller = new AbortController()
    const rows = await begin(started, "SELECT repeat('x', 1000) FROM range(90)", controller.signal)
    controller.abort(new Error('the client has gone'))
    await assert.rejects(Array.fromAsync(rows), /the client has gone/)
  }
  const leave = async () => {
    for await (const _ of await begin(started, "SELECT repeat('x', 1000) FROM range(100)")) break
  }
  const cut = async () => {
    const rows = await Array.fromAsync(await begin(started, 'FROM range(101)', never, 'json'))
    assert.match(rows.join(''), /"truncated":true/)
  }
  const reasons: Readonly<Record<string, () => Promise<unknown>>> = {
    abort,
    leave,
    cut,
    'too many rows': () => assert.rejects(ask(started, 'FROM range(101)'), isCode('QUERY_TOO_LARGE')),
    memory: () => assert.rejects(ask(started, "SELECT length(repeat('a', 600000000))"), isCode('QUERY_TOO_LARGE')),
    spill: () => ask(started, sorting(5_000_000)),
  }
  let startCount = 1
  for (const [reason, end] of Object.entries(reasons)) {
    await ask(started, 'SELECT 1')
    assert.equal(started.starts(), startCount, `before ${reason}`)
    await end()
    await ask(started, 'SELECT 1')
    startCount += 1
    assert.equal(started.starts(), startCount, reason)
  }
  await until('the others have ended', () => readdirSync(started.workDirs).length === 1)
})

test('createQueryRunner() ends a process after a timeout', async (t) => {
  const started = await start(t, { queryMsMax: 5_000 })
  await ask(started, 'SELECT 1')
  await assert.rejects(ask(started, endless), isCode('QUERY_TIMEOUT'))
  await ask(started, 'SELECT 1')
  assert.equal(started.starts(), 2)
})

test('createQueryRunner() ends a process after a thousand queries, in which its memory has hardly grown', async (t) => {
  const started = await start(t)
  const bytes = async () => Math.max(...(await waiting(started.workDirs)).map(residentBytes))
  const sql = "SELECT id % 3 AS r, count(*) AS n, string_agg(id::VARCHAR, '-') FROM data GROUP BY ALL ORDER BY ALL"
  const many = async (count: number) => {
    for (let i = 0; i < count; i++) await ask(started, sql)
  }
  await many(200)
  const beforeBytes = seesProcesses ? await bytes() : 0
  await many(799)
  if (seesProcesses) assert.ok((await bytes()) - beforeBytes < 24_000_000, `${beforeBytes} to ${await bytes()}`)
  await many(1)
  assert.equal(started.starts(), 1)
  await many(1)
  assert.equal(started.starts(), 2)
})

test('createQueryRunner() ends one query of several over a table, and spares the others', async (t) => {
  const started = await start(t)
  const controller = new AbortController()
  const [first, second] = [watched(started), watched(started)]
  const ended = begin(first, sorting(300_000), controller.signal)
  const spared = ask(second, sorting(300_000))
  await Promise.all([first.opened, second.opened])
  controller.abort(new Error('the client has gone'))
  await assert.rejects(ended, /the client has gone/)
  assert.match(await spared, /^max\(x\)\r\nf{5}/)
  await ask(started, 'SELECT 1')
  assert.equal(started.starts(), 2)
})

test('createQueryRunner() survives a process that is killed during a query', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const started = await start(t)
  const asked = watched(started)
  const answer = ask(asked, endless)
  await asked.opened
  const [pid = 0] = await waiting(started.workDirs)
  process.kill(pid, 'SIGKILL')
  await assert.rejects(answer, isCode('QUERY_TOO_LARGE'))
  assert.equal(await ask(started, 'SELECT 1 AS one'), 'one\r\n1\r\n')
  assert.equal(started.starts(), 2)
})

test('QueryRunner.forget() ends the processes of a dataset, or all, and lets a query finish first', async (t) => {
  const started = await start(t)
  const { runner, table, part, starts } = started
  const other = { runner, table: tableOf([part], ['id'], { id: 'b' }) }
  await ask(started, 'SELECT 1')
  await ask(other, 'SELECT 1')
  runner.forget('a')
  await ask(other, 'SELECT 1')
  assert.equal(starts(), 2)
  const rows = await begin({ runner, table }, 'SELECT count(*) AS n FROM data')
  runner.forget()
  assert.equal((await Array.fromAsync(rows)).join(''), 'n\r\n10\r\n')
  await until('all have ended', () => readdirSync(started.workDirs).length === 0)
  assert.equal(starts(), 3)
})

test('a child is the first that the system ends when memory runs out', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const started = await start(t)
  await ask(started, 'SELECT 1')
  for (const pid of await waiting(started.workDirs))
    assert.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'latin1').trim(), '1000')
})

function isCode(code: ErrorCode) {
  return (error: unknown) => isServiceError(error, code)
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kilobytes) * 1_024
}

/** Children of this process that work in the directory; waits until there is one. */
async function waiting(dir: string): Promise<readonly number[]> {
  while (true) {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ').filter(Boolean)
    const found = children.map(Number).filter((pid) => commandOf(pid).includes('/query-main.'))
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
