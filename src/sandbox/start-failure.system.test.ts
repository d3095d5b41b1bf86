// Tests of children that cannot start: check() reports it, with what the system lacks as the reason.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConverterPool } from '../convert/converter/converter-pool.ts'
import { isServiceError } from '../core/errors.ts'
import { createQueryRunner } from '../query/query-runner.ts'
import { Sandbox } from './sandbox.ts'
import { startFailure } from './start-failure.ts'

const logger = { warn() {} }
const programPath = '/absent/program.ts'
const isNotReady = (error: unknown) => isServiceError(error, 'NOT_READY')

test('ConverterPool.check() rejects while no converter can start, tries again each time, and resolves when one can', async (t) => {
  const bad = createConverterPool({ size: 1, jobMsMax: 10_000, logger, programPath })
  const good = createConverterPool({ size: 1, jobMsMax: 10_000, logger })
  t.after(() => Promise.all([bad.close(), good.close()]))
  await assert.rejects(bad.check(), isNotReady)
  await assert.rejects(bad.check(), isNotReady)
  await good.check()
  await good.check()
})

test('QueryRunner.check() rejects while no query can start, tries again each time, and resolves when one can', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'start-'))
  const limits = { queryMsMax: 10_000, queryMemoryBytesMax: 268_435_456, queryRowsMax: 10, queryBytesMax: 1_000 }
  const sandbox = await Sandbox.open(dir)
  const bad = createQueryRunner({ ...limits, sandbox, logger, programPath })
  const good = createQueryRunner({ ...limits, sandbox, logger })
  t.after(async () => {
    await Promise.all([bad.close(), good.close()])
    await rm(dir, { recursive: true })
  })
  await assert.rejects(bad.check(), isNotReady)
  await assert.rejects(bad.check(), isNotReady)
  await good.check()
  await good.check()
})

test('startFailure() reports a lack of descriptors, disk space or access as such, and anything else as not ready', () => {
  const codeOf = (code: string) => startFailure(Object.assign(new Error(code), { code }), 'query').code
  assert.deepEqual(['EMFILE', 'ENOSPC', 'EACCES', 'EAGAIN', 'ENOENT'].map(codeOf), [
    'TOO_MANY_OPEN_FILES',
    'DISK_FULL',
    'STORE_UNAVAILABLE',
    'NOT_READY',
    'NOT_READY',
  ])
})
