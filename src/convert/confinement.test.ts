// Tests of confinement: what a converter child can do and see where the system holds it, and that it converts all the same.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findConfinement, unconfined } from './confinement.ts'
import { jobMsMax, layoutOf, logger, never, scratchDir, textColumns, writeSegment } from './convert-testing.ts'
import { createConverter } from './duckdb-converter.ts'

/** A data directory with a draft and a dataset of somebody else in it. */
function makeDataDir(t: TestContext) {
  const dir = scratchDir(t)
  const [writable, dataset] = [join(dir, 'incoming'), join(dir, 'datasets')]
  for (const path of [writable, dataset]) mkdirSync(path)
  writeFileSync(join(dataset, 'secret'), 'of somebody else')
  return { dir, writable, dataset }
}

/** Whether JavaScript ends well when it runs in that way. */
function runs(wrapper: readonly string[], program: string, ...args: readonly string[]): boolean {
  const [command, ...rest] = [...wrapper, process.execPath, '--input-type=commonjs', '--eval', program, ...args]
  try {
    execFileSync(command!, rest, { env: {}, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const read = "require('node:fs').readFileSync(process.argv[1])"
const write = "require('node:fs').writeFileSync(process.argv[1], 'x')"
const connect =
  "require('node:net').connect(Number(process.argv[1]), '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"

test('findConfinement() finds a way that leaves a converter its drafts and nothing else', async (t) => {
  const { dir, writable, dataset } = makeDataDir(t)
  const { holds, wrapper } = await findConfinement({ writable, hidden: dir })
  if (!holds.includes('no datasets')) return t.skip(`this system holds: ${holds}`)
  assert.ok(runs(wrapper, write, join(writable, 'part')))
  assert.ok(existsSync(join(writable, 'part')), 'it is the same directory')
  assert.ok(runs([], read, join(dataset, 'secret')))
  assert.ok(!runs(wrapper, read, join(dataset, 'secret')))
  for (const path of [dir, dataset, '/tmp', '/dev/shm']) assert.ok(!runs(wrapper, write, join(path, 'written')), path)
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  assert.ok(runs([], connect, String(address.port)))
  assert.ok(!runs(wrapper, connect, String(address.port)))
  const privileges =
    "process.exit(/CapEff:\\s+0+\\n/.test(require('node:fs').readFileSync('/proc/self/status','utf8'))?0:1)"
  assert.ok(runs(wrapper, privileges))
})

test('findConfinement() finds a way that shows a reader all datasets and lets it change none', async (t) => {
  const { writable, dataset } = makeDataDir(t)
  const { holds, wrapper } = await findConfinement({ writable, hidden: null })
  if (!holds.includes('nothing writable')) return t.skip(`this system holds: ${holds}`)
  assert.ok(runs(wrapper, read, join(dataset, 'secret')))
  assert.ok(!runs(wrapper, write, join(dataset, 'secret')))
  assert.ok(runs(wrapper, write, join(writable, 'lines')))
})

test('findConfinement() finds a weaker way where the strongest does not work', async (t) => {
  const { dir } = makeDataDir(t)
  const { holds, wrapper } = await findConfinement({ writable: join(dir, 'absent'), hidden: dir })
  assert.ok(!holds.includes('datasets'))
  assert.ok(runs(wrapper, ''))
  assert.deepEqual(unconfined.wrapper, [])
})

test('a confined converter converts in its directory', async (t) => {
  const { dir, writable } = makeDataDir(t)
  const confinement = await findConfinement({ writable, hidden: dir })
  const converter = createConverter({ size: 1, jobMsMax, logger, confinement })
  t.after(() => converter.close())
  const segment = writeSegment(writable, 'a\nb\n', 2, layoutOf(1))
  const made = await converter.convert(segment, textColumns(1), join(writable, 'part.parquet'), never)
  assert.equal(made.kind, 'part')
  assert.ok(existsSync(join(writable, 'part.parquet')))
})
