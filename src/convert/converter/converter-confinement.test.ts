// Tests of confinement: what a converter child can do and see where the system holds it, and that it converts all the same.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Child, findCommand } from '../../sandbox/spawn-child.ts'
import { jobMsMax, layoutOf, logger, never, scratchDir, textColumns, writeSegment } from '../convert.testing.ts'
import { createConverter } from '../duckdb-converter.ts'
import { createPartReader } from '../duckdb-reader.ts'
import type { Attempt, Attempts, Outcomes } from './confined-program.testing.ts'
import { findConfinement, type Means } from './converter-confinement.ts'
import { type ConverterSandbox, startConfinedConverter } from './converter-process.ts'

const isRoot = process.getuid?.() === 0
const noRoot = 'only root can give a child a user of its own'
const tryingPath = fileURLToPath(new URL('./confined-program.testing.ts', import.meta.url))

/** A data directory with drafts and a dataset, and a file of keys beside it. */
function makeDataDir(t: TestContext) {
  const dataDir = scratchDir(t)
  // Another user can look up what has another name there, as in /srv, so that nothing but our own modes keeps it out.
  for (const path of [dataDir, dirname(dataDir)]) chmodSync(path, 0o755)
  const file = (...names: readonly string[]) => {
    const path = join(dataDir, ...names)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, 'of somebody else', { mode: 0o600 })
    return path
  }
  const keys = file('..', 'keys.json')
  const everybody = join(dataDir, '..', 'everybody')
  mkdirSync(everybody)
  chmodSync(everybody, 0o777)
  const files = { segment: file('incoming', 'draft', 'segments', '0'), other: file('incoming', 'other', 'original') }
  return { dataDir, workDirs: join(dataDir, 'work'), keys, everybody, ...files, part: file('datasets', 'id', 'part') }
}

/** What a hostile child in its work directory succeeds at, of what the name of each attempt says. */
async function tryAll(
  t: TestContext,
  apart: ConverterSandbox,
  laid: readonly string[],
  attempts: Readonly<Record<string, Attempt>>,
) {
  const { child, workDir } = startConfinedConverter(apart, tryingPath)
  t.after(() => child.kill())
  await workDir?.lay(laid)
  const { succeeded } = await outcomesOf(child, { attempts: Object.values(attempts) })
  return Object.keys(attempts).filter((_, i) => succeeded[i])
}

async function outcomesOf(child: Child, attempts: Attempts): Promise<Outcomes> {
  child.send(attempts)
  const { value } = await child.frames(() => 65_536).next()
  if (value === undefined) assert.fail((await child.gone).how)
  return JSON.parse(value.toString())
}

async function hostileAttempts(t: TestContext, places: ReturnType<typeof makeDataDir>, apart: ConverterSandbox) {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  // Another child, with what it works on.
  const { child: neighbour, workDir } = startConfinedConverter(apart, tryingPath)
  t.after(() => neighbour.kill())
  await workDir!.lay([places.other])
  return {
    'read what it was given': { kind: 'read', path: 'in/0' },
    'write what it makes': { kind: 'write', path: 'made/out' },
    'read its segment by its own name': { kind: 'read', path: places.segment },
    'read another draft': { kind: 'read', path: places.other },
    'read a dataset': { kind: 'read', path: places.part },
    'read the keys': { kind: 'read', path: places.keys },
    'read the work directory of another': { kind: 'read', path: join(workDir!.dir, 'in/0') },
    'write in the work directory of another': { kind: 'write', path: join(workDir!.dir, 'made/out') },
    'read the environment of the service': { kind: 'read', path: `/proc/${process.pid}/environ` },
    'read the environment of another child': { kind: 'read', path: `/proc/${neighbour.pid}/environ` },
    'write a published part': { kind: 'write', path: places.part },
    'write what it was given': { kind: 'write', path: 'in/0' },
    'link what it was given to where it writes': { kind: 'link', path: 'in/0', toPath: 'made/linked' },
    'make a file in its work directory': { kind: 'make', path: 'made/more' },
    'make a file among what it was given': { kind: 'make', path: 'in/more' },
    'signal the service': { kind: 'signal', pid: process.pid },
    'signal another child': { kind: 'signal', pid: neighbour.pid! },
    'connect to the service': { kind: 'connect', port: address.port },
    'make a file for everybody': { kind: 'make', path: join(places.everybody, 'made') },
  } satisfies Record<string, Attempt>
}

async function hostileSuccesses(t: TestContext, means?: Partial<Means>) {
  const places = makeDataDir(t)
  const { dataDir, workDirs, part } = places
  const confinement = await findConfinement(dataDir, workDirs, { isRoot, find: findCommand, ...means })
  assert.ok(confinement !== null)
  const apart = { confinement, workDirs, segmentBytesMax: 1_000_000 }
  // A published part is what a reader is given: the worst to write to.
  const succeeded = await tryAll(t, apart, [part], await hostileAttempts(t, places, apart))
  if (isRoot) assert.equal(readFileSync(part, 'utf8'), 'of somebody else')
  return { holds: confinement.holds, succeeded }
}

const ownWork = ['read what it was given', 'write what it makes']

test('a child of root reads what it was given, writes what it makes, and nothing else succeeds', async (t) => {
  if (!isRoot) return t.skip(noRoot)
  const { holds, succeeded } = await hostileSuccesses(t)
  if (!holds.includes('nothing but its job')) return t.skip(`this system holds: ${holds}`)
  assert.deepEqual(succeeded, ownWork)
})

test('where root has no namespaces, as in most containers, a child has a user of its own and the network', async (t) => {
  if (!isRoot) return t.skip(noRoot)
  const open = [...ownWork, 'connect to the service', 'make a file for everybody']
  const withoutUnshare = (name: string) => (name === 'unshare' ? undefined : findCommand(name))
  const contained = await hostileSuccesses(t, { find: withoutUnshare })
  assert.equal(contained.holds, 'no privileges, a user of its own')
  assert.deepEqual(contained.succeeded, open)
  const bare = await hostileSuccesses(t, { find: () => undefined })
  assert.equal(bare.holds, 'a user of its own')
  assert.deepEqual(bare.succeeded, open)
})

test('a child of a user who is not root sees nothing but its job either, where the system has namespaces for it', async (t) => {
  if (isRoot) return t.skip('this is root; test/system/confinement.test.ts starts a service that is not')
  const { holds, succeeded } = await hostileSuccesses(t)
  if (!holds.includes('nothing but its job')) return t.skip(`this system holds: ${holds}`)
  // It is the same user, and sees what lies outside the data directory.
  const same = ['read the keys', 'make a file in its work directory', 'signal the service', 'signal another child']
  assert.deepEqual(succeeded, [...ownWork, ...same])
})

test('a confined child has its own user for as long as it lives, no groups, no privileges and limits', async (t) => {
  if (!isRoot) return t.skip(noRoot)
  const { dataDir, workDirs } = makeDataDir(t)
  const confinement = await findConfinement(dataDir, workDirs)
  assert.ok(confinement?.hasOwnUser)
  const ids = new Set<string>()
  for (let i = 0; i < 2; i++) {
    const apart = { confinement, workDirs, segmentBytesMax: 1_000_000 }
    const { child } = startConfinedConverter(apart, tryingPath)
    t.after(() => child.kill())
    await outcomesOf(child, { attempts: [] })
    const of = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, 'latin1')
    const [, user] = /^Uid:\s+(\d+)\s+\1\s+\1\s+\1$/m.exec(of('status')) ?? []
    assert.ok(Number(user) >= 60_578 && Number(user) < 61_184, of('status'))
    assert.match(of('status'), new RegExp(`^Gid:\\s+${user}\\s+${user}\\s+${user}\\s+${user}$`, 'm'))
    assert.match(of('status'), /^Groups:\s*$/m)
    assert.match(of('status'), /^CapEff:\s+0+$/m)
    for (const name of ['data size', 'cpu time', 'file size', 'processes', 'open files', 'core file size']) {
      const [, limit] = new RegExp(`^Max ${name} +\\S+ +(\\S+)`, 'm').exec(of('limits')) ?? []
      assert.match(limit ?? '', /^\d+$/, name)
    }
    ids.add(user!)
  }
  assert.equal(ids.size, 2)
})

test('a confined converter converts, and what it makes is ours alone', async (t) => {
  const { dataDir, workDirs } = makeDataDir(t)
  const confinement = await findConfinement(dataDir, workDirs)
  if (confinement === null) return t.skip('this system holds nothing')
  const dir = join(dataDir, 'incoming', 'draft')
  // Its first value begins with a byte order mark, so that a copy is made of it.
  const segment = writeSegment(dir, '\ufeffa\nb\n', 2, layoutOf(1))
  const path = join(dir, 'part.parquet')
  await using converter = disposable(createConverter({ size: 1, jobMsMax, logger, apart: { confinement, workDirs } }))
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
  await using reader = disposable(createPartReader({ jobMsMax, logger, apart: { confinement, workDirs } }))
  const parts = [path, path].map((one) => ({ path: one, records: 2 }))
  assert.deepEqual(await reader.rows(parts, ['column 0'], 1, 2, never), [['b'], ['\ufeffa']])
  await reader.merge(parts, join(dir, 'merged'), never)
  assert.equal((await reader.rows([{ path: join(dir, 'merged'), records: 4 }], ['column 0'], 0, 9, never)).length, 4)
  await converter.close()
  await reader.close()
  assert.deepEqual(readdirSync(workDirs), [])
})

test('a confined converter whose segment is missing fails the job, and does the next', async (t) => {
  const { dataDir, workDirs } = makeDataDir(t)
  const confinement = await findConfinement(dataDir, workDirs)
  if (confinement === null) return t.skip('this system holds nothing')
  await using converter = disposable(createConverter({ size: 1, jobMsMax, logger, apart: { confinement, workDirs } }))
  const segment = writeSegment(dataDir, 'a\nb\n', 2, layoutOf(1))
  const absent = { ...segment, path: join(dataDir, 'absent') }
  await assert.rejects(converter.profile(absent, never), { code: 'CONVERSION_FAILED' })
  assert.equal((await converter.profile(segment, never)).length, 1)
})

test('a confined converter whose part cannot be taken fails the job, and does the next in another work directory', async (t) => {
  const { dataDir, workDirs } = makeDataDir(t)
  const confinement = await findConfinement(dataDir, workDirs)
  if (confinement === null) return t.skip('this system holds nothing')
  await using converter = disposable(createConverter({ size: 1, jobMsMax, logger, apart: { confinement, workDirs } }))
  const segment = writeSegment(dataDir, 'a\nb\n', 2, layoutOf(1))
  const convert = (path: string) => converter.convert(segment, textColumns(1), path, never)
  await assert.rejects(convert(join(dataDir, 'absent', 'part')), { code: 'CONVERSION_FAILED' })
  assert.equal((await convert(join(dataDir, 'part'))).kind, 'part')
})

test('findConfinement() finds nothing where there is nothing to be found', async (t) => {
  const { dataDir, workDirs } = makeDataDir(t)
  assert.equal(await findConfinement(dataDir, workDirs, { isRoot: false, find: () => undefined }), null)
})

/** Closed at the end of its scope, before the directory it works in is removed. */
function disposable<Closable extends { close(): Promise<void> }>(closable: Closable): Closable & AsyncDisposable {
  return Object.assign(closable, { [Symbol.asyncDispose]: () => closable.close() })
}
