// Tests of hostile children: one that sends anything but its response ends alone, and costs no memory.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isServiceError } from '../../../src/core/errors.ts'
import { createQueryRunner } from '../../../src/engine/query/query-runner.ts'
import { tableOf } from '../../../src/engine/query/query-table.testing.ts'
import { ReaderPool } from '../../../src/engine/readers/reader-pool.ts'
import { type Attack, attacks } from '../../../src/engine/sandbox/hostile-child.testing.ts'
import { Sandbox } from '../../../src/engine/sandbox/sandbox.ts'

const programPath = fileURLToPath(new URL('../../../src/engine/sandbox/hostile-child.testing.ts', import.meta.url))
const never = new AbortController().signal

/** Memory that a child may cost this process: buffers of its pipe, some of them garbage. 700 MB are sent. Bytes. */
const growthMax = 128_000_000

/** Ids of the child processes; empty if the system does not show them. */
function childIds(): readonly string[] {
  const path = `/proc/${process.pid}/task/${process.pid}/children`
  return existsSync(path) ? readFileSync(path, 'utf8').split(' ').filter(Boolean) : []
}

/** Runs something; returns the maximum growth of this process's memory. */
async function growthOf(run: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 5)
  await run()
  clearInterval(looking)
  return Math.max(most, process.memoryUsage.rss()) - before
}

/** Misdeeds after a valid response: the job still succeeds. */
const afterResponse: ReadonlySet<Attack> = new Set(['answer without end', 'answer twice'])

for (const misdeed of attacks) {
  test(`a reader that tries to ${misdeed} ends alone`, async (t) => {
    const { promise: lost, resolve: warn } = Promise.withResolvers<object>()
    const pool = new ReaderPool({
      size: 1,
      jobMsMax: 20_000,
      logger: { warn },
      programPath,
    })
    t.after(() => pool.close())
    const part = { paths: [''], windows: [{ offset: 0, limit: 1 }] }
    const job = (what: string) => pool.run('rows', { ...part, columns: [`hostile: ${what}`] }, never)
    const growth = await growthOf(async () => {
      if (afterResponse.has(misdeed)) assert.deepEqual(await job(misdeed), [[null]])
      else await assert.rejects(job(misdeed), (error) => isServiceError(error, 'CONVERSION_FAILED'))
      await lost
      assert.deepEqual(await job('nothing'), [[null]])
    })
    assert.ok(growth < growthMax, `${growth} bytes`)
    await pool.close()
    assert.deepEqual(childIds(), [])
  })

  test(`a query that tries to ${misdeed} ends alone`, async (t) => {
    const runner = await startRunner(t)
    const growth = await growthOf(async () => {
      await assert.rejects(ask(runner, `hostile: ${misdeed}`), (error) => {
        return !isServiceError(error, 'QUERY_TIMEOUT')
      })
      assert.equal(await ask(runner, 'nothing'), 0)
    })
    assert.ok(growth < growthMax, `${growth} bytes`)
    await runner.close()
    assert.deepEqual(childIds(), [])
  })
}

test('a query process that sends anything before its query ends alone, and another takes its place', async (t) => {
  const runner = await startRunner(t, 1)
  const growth = await growthOf(() => assert.rejects(ask(runner, 'nothing')))
  assert.ok(growth < growthMax, `${growth} bytes`)
})

test('a query that fills its directory with many files is ended', async (t) => {
  const runner = await startRunner(t)
  await assert.rejects(ask(runner, 'hostile: fill the disk'), (error) => isServiceError(error, 'QUERY_TOO_LARGE'))
})

async function startRunner(t: TestContext, queryMemoryBytesMax = 268_435_456) {
  const dir = await mkdtemp(join(tmpdir(), 'hostile-'))
  const runner = createQueryRunner({
    sandbox: await Sandbox.open(dir),
    logger: { warn() {} },
    queryMsMax: 20_000,
    queryMemoryBytesMax,
    queryProcessesKept: 2,
    queryRowsMax: 100,
    queryBytesMax: 1_000_000,
    spillBytesMax: 20_000_000,
    programPath,
  })
  t.after(async () => {
    await runner.close()
    await rm(dir, { recursive: true })
  })
  return runner
}

async function ask(runner: Awaited<ReturnType<typeof startRunner>>, sql: string): Promise<number> {
  const { rows } = await runner.run(tableOf([], ['a']), { sql, format: 'json' }, never)
  let bytes = 0
  for await (const piece of rows) bytes += piece.length
  return bytes
}
