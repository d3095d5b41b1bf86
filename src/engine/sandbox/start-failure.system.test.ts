// Tests of children that cannot start: check() reports it, with what the system lacks as the reason.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isServiceError } from '../../core/errors.ts'
import { createQueryRunner } from '../query/query-runner.ts'
import { tableOf } from '../query/query-table.testing.ts'
import { ReaderPool } from '../readers/reader-pool.ts'
import { ChildPool, PooledChild } from './child-pool.ts'
import { Sandbox } from './sandbox.ts'
import { goneChild } from './spawn-child.ts'

const logger = { warn() {} }
const programPath = '/absent/program.ts'
const silentPath = fileURLToPath(new URL('./silent-child.testing.ts', import.meta.url))
const queryLimits = {
  queryMsMax: 10_000,
  queryMemoryBytesMax: 268_435_456,
  queryProcessesKept: 2,
  queryRowsMax: 10,
  queryBytesMax: 1_000,
}
const never = new AbortController().signal
const isNotReady = (error: unknown) => isServiceError(error, 'NOT_READY')

test('ReaderPool.check() tries to start a reader each time, and resolves when one can', async (t) => {
  const bad = new ReaderPool({ size: 1, jobMsMax: 10_000, logger, programPath })
  const good = new ReaderPool({ size: 1, jobMsMax: 10_000, logger })
  t.after(() => Promise.all([bad.close(), good.close()]))
  await assert.rejects(bad.check(), isNotReady)
  await assert.rejects(bad.check(), isNotReady)
  await good.check()
  await good.check()
})

test('QueryRunner.check() tries to start a query each time, and resolves when one can', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'start-'))
  const sandbox = await Sandbox.open(dir)
  const bad = createQueryRunner({ ...queryLimits, sandbox, logger, programPath })
  const good = createQueryRunner({ ...queryLimits, sandbox, logger })
  t.after(async () => {
    await Promise.all([bad.close(), good.close()])
    await rm(dir, { recursive: true })
  })
  await assert.rejects(bad.check(), isNotReady)
  await assert.rejects(bad.check(), isNotReady)
  await good.check()
  await good.check()
})

test('a child that does not start is killed, and its work is refused without waiting for it', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'start-'))
  const silent = { sandbox: await Sandbox.open(dir), logger, programPath: silentPath, startMsMax: 100 }
  const runner = createQueryRunner({ ...queryLimits, ...silent })
  const pool = new ReaderPool({ size: 1, jobMsMax: 60_000, ...silent })
  t.after(async () => {
    await Promise.all([runner.close(), pool.close()])
    await rm(dir, { recursive: true })
  })
  const isLost = (error: unknown) => /had not started after 100 ms/.test(String((error as Error).cause))
  const isRefused = (error: unknown) => isNotReady(error) && isLost(error)
  await assert.rejects(runner.run(tableOf([], []), { sql: 'SELECT 1', format: 'csv' }, never), isRefused)
  await assert.rejects(runner.check(), isRefused)
  await assert.rejects(pool.run('measure', { paths: [], columns: [], records: 0 }, never), isLost)
  await assert.rejects(pool.check(), isNotReady)
})

test('a query that ends before its child has started leaves it to the next query', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'start-'))
  const runner = createQueryRunner({ ...queryLimits, sandbox: await Sandbox.open(dir), logger })
  t.after(async () => {
    await runner.close()
    await rm(dir, { recursive: true })
  })
  const controller = new AbortController()
  const first = runner.run(tableOf([], []), { sql: 'SELECT 1', format: 'csv' }, controller.signal)
  controller.abort(new Error('the client has gone'))
  await assert.rejects(first, /the client has gone/)
  await runner.check()
  assert.equal(readdirSync(join(dir, 'work')).length, 1)
})

test('check() reports a lack of descriptors, space or access as such, all else as not ready', async () => {
  const codeOf = async (code: string) => {
    const child = goneChild(Object.assign(new Error(code), { code }))
    const pool = new ChildPool('query', { logger }, () => new PooledChild({ child, workDir: null }))
    return await pool.check().catch((error) => error.code)
  }
  assert.deepEqual(await Promise.all(['EMFILE', 'ENOSPC', 'EACCES', 'EAGAIN', 'ENOENT'].map(codeOf)), [
    'TOO_MANY_OPEN_FILES',
    'DISK_FULL',
    'STORE_UNAVAILABLE',
    'NOT_READY',
    'NOT_READY',
  ])
})
