// Tests of readers in a sandbox: they work there, and a failed job does not affect the next.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { jobMsMax, logger, never, scratchDir, writePart } from '../../columns/converter.testing.ts'
import { createPartReader } from '../duckdb-reader.ts'
import { Sandbox } from '../sandbox/sandbox.ts'

async function openSandbox(t: TestContext) {
  const dataDir = scratchDir(t)
  return { dataDir, sandbox: await Sandbox.open(dataDir) }
}

const csvTo = (toPath: string) => ({ toPath, csvDelimiter: ',' })

function startIn(sandbox: Sandbox) {
  const reader = createPartReader({ size: 1, jobMsMax, logger, sandbox })
  // Closed at the end of its scope, before its work directory is removed.
  return Object.assign(reader, { [Symbol.asyncDispose]: () => reader.close() })
}

test('a confined reader reads and writes lines, and its files are private and belong to this user', async (t) => {
  const { dataDir, sandbox } = await openSandbox(t)
  if (!sandbox.isConfined) return t.skip('this system cannot confine children')
  const dir = join(dataDir, 'incoming', 'draft')
  mkdirSync(dir, { recursive: true })
  const path = writePart(dir, '\ufeffa\nb\n')
  await using reader = startIn(sandbox)
  const parts = [path, path].map((one) => ({ path: one, records: 2 }))
  assert.deepEqual(await reader.rows(parts, ['column 0'], 1, 2, never), [['b'], ['\ufeffa']])
  const lines = join(dir, 'lines')
  for (const _ of [1, 2]) {
    await reader.lines([path], ['column 0'], { offset: 0, limit: 2 }, csvTo(lines), never)
    const { uid, mode } = statSync(lines)
    assert.deepEqual({ uid, mode: mode & 0o777 }, { uid: process.getuid!(), mode: 0o600 })
    assert.equal(readFileSync(lines, 'utf8'), '"\ufeffa"\n"b"\n')
  }
  await reader.close()
  assert.deepEqual(readdirSync(join(dataDir, 'work')), [])
})

test('a confined reader whose part is missing fails the job, and does the next', async (t) => {
  const { dataDir, sandbox } = await openSandbox(t)
  if (!sandbox.isConfined) return t.skip('this system cannot confine children')
  await using reader = startIn(sandbox)
  const rows = (path: string) => reader.rows([{ path, records: 2 }], ['column 0'], 0, 2, never)
  await assert.rejects(rows(join(dataDir, 'absent')), { code: 'CONVERSION_FAILED' })
  assert.deepEqual(await rows(writePart(dataDir, 'a\nb\n')), [['a'], ['b']])
})

test('a confined reader whose file cannot be collected gets another work directory', async (t) => {
  const { dataDir, sandbox } = await openSandbox(t)
  if (!sandbox.isConfined) return t.skip('this system cannot confine children')
  await using reader = startIn(sandbox)
  const path = writePart(dataDir, 'a\nb\n')
  const write = (toPath: string) => reader.lines([path], ['column 0'], { offset: 0, limit: 2 }, csvTo(toPath), never)
  await assert.rejects(write(join(dataDir, 'absent', 'lines')), { code: 'CONVERSION_FAILED' })
  await write(join(dataDir, 'lines'))
})
