// Tests of converters and readers in a sandbox: they work there, and a failed job does not affect the next.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Sandbox } from '../../sandbox/sandbox.ts'
import { jobMsMax, layoutOf, logger, never, scratchDir, textColumns, writeSegment } from '../convert.testing.ts'
import { createConverter } from '../duckdb-converter.ts'
import { createPartReader } from '../duckdb-reader.ts'

async function openSandbox(t: TestContext) {
  const dataDir = scratchDir(t)
  return { dataDir, sandbox: await Sandbox.open(dataDir) }
}

test('a confined converter converts, and its files are private and belong to this user', async (t) => {
  const { dataDir, sandbox } = await openSandbox(t)
  if (!sandbox.isConfined) return t.skip('this system cannot confine children')
  const dir = join(dataDir, 'incoming', 'draft')
  mkdirSync(dir, { recursive: true })
  // The first value begins with a byte order mark, so that the segment is copied.
  const segment = writeSegment(dir, '\ufeffa\nb\n', 2, layoutOf(1))
  const path = join(dir, 'part.parquet')
  await using converter = disposable(createConverter({ size: 1, jobMsMax, logger, sandbox }))
  const convert = () => converter.convert(segment, textColumns(1), path, never)
  const made = await convert()
  assert.ok(made.kind === 'part')
  const { size, uid, mode } = statSync(path)
  assert.deepEqual({ size, uid, mode: mode & 0o777 }, { size: made.part.bytes, uid: process.getuid!(), mode: 0o600 })
  assert.deepEqual(await convert(), made)
  const integers = [{ name: 'a', type: { kind: 'integer' } as const, nullWords: [] }]
  assert.deepEqual(await converter.convert(segment, integers, join(dir, 'misfit'), never), { kind: 'misfit' })
  assert.ok(!existsSync(join(dir, 'misfit')))
  assert.deepEqual(await convert(), made)
  await using reader = disposable(createPartReader({ size: 1, jobMsMax, logger, sandbox }))
  const parts = [path, path].map((one) => ({ path: one, records: 2 }))
  assert.deepEqual(await reader.rows(parts, ['column 0'], 1, 2, never), [['b'], ['\ufeffa']])
  await reader.merge(parts, join(dir, 'merged'), never)
  assert.equal((await reader.rows([{ path: join(dir, 'merged'), records: 4 }], ['column 0'], 0, 9, never)).length, 4)
  await converter.close()
  await reader.close()
  assert.deepEqual(readdirSync(join(dataDir, 'work')), [])
})

test('a confined converter whose segment is missing fails the job, and does the next', async (t) => {
  const { dataDir, sandbox } = await openSandbox(t)
  if (!sandbox.isConfined) return t.skip('this system cannot confine children')
  await using converter = disposable(createConverter({ size: 1, jobMsMax, logger, sandbox }))
  const segment = writeSegment(dataDir, 'a\nb\n', 2, layoutOf(1))
  const absent = { ...segment, path: join(dataDir, 'absent') }
  const convert = (one: typeof segment) => converter.convert(one, textColumns(1), join(dataDir, 'part.parquet'), never)
  await assert.rejects(convert(absent), { code: 'CONVERSION_FAILED' })
  assert.equal((await convert(segment)).kind, 'part')
})

test('a confined converter whose part cannot be collected gets another work directory', async (t) => {
  const { dataDir, sandbox } = await openSandbox(t)
  if (!sandbox.isConfined) return t.skip('this system cannot confine children')
  await using converter = disposable(createConverter({ size: 1, jobMsMax, logger, sandbox }))
  const segment = writeSegment(dataDir, 'a\nb\n', 2, layoutOf(1))
  const convert = (path: string) => converter.convert(segment, textColumns(1), path, never)
  await assert.rejects(convert(join(dataDir, 'absent', 'part')), { code: 'CONVERSION_FAILED' })
  assert.equal((await convert(join(dataDir, 'part'))).kind, 'part')
})

/** Closed at the end of its scope, before its work directory is removed. */
function disposable<Closable extends { close(): Promise<void> }>(closable: Closable): Closable & AsyncDisposable {
  return Object.assign(closable, { [Symbol.asyncDispose]: () => closable.close() })
}
