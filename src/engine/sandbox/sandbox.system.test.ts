// Tests of the sandbox: what a hostile program can do in place of a reader or a query, under each kind of confinement.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scratchDir } from '../../columns/converter.testing.ts'
import { queryProgram } from '../query/query-process.ts'
import { readerProgram } from '../readers/reader-pool.ts'
import type { Attempt, Attempts, Outcomes } from './confined-program.testing.ts'
import type { Means } from './confinement.ts'
import { resultDescriptor } from './frames.ts'
import { Sandbox, type SandboxedProgram } from './sandbox.ts'
import { type Child, findCommand } from './spawn-child.ts'

const isRoot = process.getuid?.() === 0
const noRoot = 'only root can give a child a user of its own'
const programPath = fileURLToPath(new URL('./confined-program.testing.ts', import.meta.url))

/** Where Linux describes itself. */
const systemFile = '/sys/devices/system/cpu/online'

const querySettings = { memoryBytesMax: 256_000_000, spillBytesMax: 1_000_000, queryMsMax: 30_000, programPath }

/** What each program needs, and what its child may do. */
const programs: Readonly<Record<string, { readonly program: SandboxedProgram; readonly ownWork: readonly string[] }>> =
  {
    reader: {
      program: readerProgram(programPath),
      ownWork: ['read what it was given', 'write what it makes'],
    },
    query: {
      program: queryProgram(querySettings),
      ownWork: ['read what it was given', 'make a file where it writes'],
    },
  }

/** A data directory with drafts and a dataset, and a file of keys beside it. */
function makeDataDir(t: TestContext) {
  const dataDir = scratchDir(t)
  // Directories are open to others, as in /srv, so that only the modes of our own files protect them.
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
  return { dataDir, keys, everybody, ...files, part: file('datasets', 'id', 'part') }
}

async function outcomesOf(child: Child, attempts: Attempts): Promise<Outcomes> {
  child.send(attempts)
  const { value } = await child.frames(() => 65_536).next()
  if (value === undefined) assert.fail((await child.gone).how)
  return JSON.parse(value.toString())
}

/** What a hostile child may try, with another child running beside it. */
async function hostileAttempts(
  t: TestContext,
  places: ReturnType<typeof makeDataDir>,
  sandbox: Sandbox,
  program: SandboxedProgram,
) {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  // Another child, with its files.
  const { child: neighbour, workDir } = sandbox.start(program)
  t.after(() => neighbour.kill())
  await workDir!.addInputs([places.other])
  return {
    'read what it was given': { kind: 'read', path: 'in/0' },
    'write what it makes': { kind: 'write', path: 'out/result' },
    'make a file where it writes': { kind: 'make', path: 'out/more' },
    'read its segment by its own name': { kind: 'read', path: places.segment },
    'read another draft': { kind: 'read', path: places.other },
    'read a dataset': { kind: 'read', path: places.part },
    'read the keys': { kind: 'read', path: places.keys },
    'read the work directory of another': { kind: 'read', path: join(workDir!.dir, 'in/0') },
    'write in the work directory of another': { kind: 'make', path: join(workDir!.dir, 'out/more') },
    'read the environment of the service': { kind: 'read', path: `/proc/${process.pid}/environ` },
    'read the environment of another child': { kind: 'read', path: `/proc/${neighbour.pid}/environ` },
    'write a published part': { kind: 'write', path: places.part },
    'write what it was given': { kind: 'write', path: 'in/0' },
    'link what it was given to where it writes': { kind: 'link', path: 'in/0', toPath: 'out/linked' },
    'make a file in its work directory': { kind: 'make', path: 'more' },
    'make a file among what it was given': { kind: 'make', path: 'in/more' },
    'signal the service': { kind: 'signal', pid: process.pid },
    'signal another child': { kind: 'signal', pid: neighbour.pid! },
    'connect to the service': { kind: 'connect', port: address.port },
    'make a file for everybody': { kind: 'make', path: join(places.everybody, 'made') },
    'read about the system': { kind: 'read', path: systemFile },
  } satisfies Record<string, Attempt>
}

/** The attempts that succeed. */
async function hostileSuccesses(t: TestContext, program: SandboxedProgram, means: Partial<Means> = {}) {
  const places = makeDataDir(t)
  const sandbox = await Sandbox.open(places.dataDir, { isRoot, find: findCommand, ...means })
  const attempts = await hostileAttempts(t, places, sandbox, program)
  const { child, workDir } = sandbox.start(program)
  t.after(() => child.kill())
  // A reader is given a published part, the worst file to have write access to.
  await workDir?.addInputs([places.part])
  const { succeeded } = await outcomesOf(child, { attempts: Object.values(attempts) })
  if (isRoot && sandbox.isConfined) assert.equal(readFileSync(places.part, 'utf8'), 'of somebody else')
  return { holds: sandbox.holds, succeeded: Object.keys(attempts).filter((_, i) => succeeded[i]) }
}

for (const [name, { program, ownWork }] of Object.entries(programs)) {
  test(`a ${name} of root reads its inputs, writes its outputs, and every other attempt fails`, async (t) => {
    if (!isRoot) return t.skip(noRoot)
    const { holds, succeeded } = await hostileSuccesses(t, program)
    if (!holds.includes('nothing but its job')) return t.skip(`this system holds: ${holds}`)
    assert.deepEqual(succeeded, ownWork)
  })

  test(`without namespaces, as in most containers, a ${name} of root has its own user, and the network`, async (t) => {
    if (!isRoot) return t.skip(noRoot)
    const system = existsSync(systemFile) ? ['read about the system'] : []
    const open = [...ownWork, 'connect to the service', 'make a file for everybody', ...system]
    const withoutUnshare = (command: string) => (command === 'unshare' ? undefined : findCommand(command))
    const contained = await hostileSuccesses(t, program, { find: withoutUnshare })
    assert.equal(contained.holds, 'no privileges, a user of its own')
    assert.deepEqual(contained.succeeded, open)
    const bare = await hostileSuccesses(t, program, { find: () => undefined })
    assert.equal(bare.holds, 'a user of its own')
    assert.deepEqual(bare.succeeded, open)
  })

  test(`a ${name} of a user other than root sees nothing but its job either`, async (t) => {
    if (isRoot) return t.skip('this is root; test/system/confinement.test.ts starts a service that is not')
    const { holds, succeeded } = await hostileSuccesses(t, program)
    if (!holds.includes('nothing but its job')) return t.skip(`this system holds: ${holds}`)
    // It is the same user, and sees what lies outside the data directory.
    const same = ['make a file where it writes', 'read the keys', 'signal the service', 'signal another child']
    assert.deepEqual(succeeded.toSorted(), [...new Set([...ownWork, ...same])].toSorted())
  })

  test(`a ${name} has its own user while it lives, no groups, no privileges, and limits`, async (t) => {
    if (!isRoot) return t.skip(noRoot)
    const sandbox = await Sandbox.open(makeDataDir(t).dataDir)
    const ids = new Set<string>()
    for (let i = 0; i < 2; i++) {
      const { child } = sandbox.start(program)
      t.after(() => child.kill())
      await outcomesOf(child, { attempts: [] })
      ids.add(userOf(child.pid!))
      isLimited(child.pid!, program)
      isQuiet(child.pid!)
    }
    assert.equal(ids.size, 2)
  })

  test(`a ${name} with nothing but limits finds its files in its work directory`, async (t) => {
    const { succeeded } = await hostileSuccesses(t, program, { isRoot: false, find: () => undefined })
    for (const own of ownWork) assert.ok(succeeded.includes(own), own)
  })
}

test('Sandbox.open() empties its directory, and falls back to limits if nothing else works', async (t) => {
  const { dataDir } = makeDataDir(t)
  mkdirSync(join(dataDir, 'work', 'left'), { recursive: true })
  const sandbox = await Sandbox.open(dataDir, { isRoot: false, find: () => undefined })
  assert.deepEqual(readdirSync(join(dataDir, 'work')), [])
  assert.deepEqual([sandbox.isConfined, sandbox.isolates, sandbox.holds], [false, false, 'limits only'])
})

test('WorkDir.addInputs() makes files read-only for everybody', async (t) => {
  const { dataDir, part } = makeDataDir(t)
  const sandbox = await Sandbox.open(dataDir)
  const { child, workDir } = sandbox.start(programs.query!.program)
  t.after(() => child.kill())
  await workDir!.addInputs([part])
  assert.equal(statSync(part).mode & 0o222, 0)
})

/** Its user, who has no groups and no privileges. */
function userOf(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const [, user] = /^Uid:\s+(\d+)\s+\1\s+\1\s+\1$/m.exec(status) ?? []
  assert.ok(Number(user) >= 60_578 && Number(user) < 61_184, status)
  assert.match(status, new RegExp(`^Gid:\\s+${user}\\s+${user}\\s+${user}\\s+${user}$`, 'm'))
  assert.match(status, /^Groups:\s*$/m)
  assert.match(status, /^CapEff:\s+0+$/m)
  return user!
}

function isLimited(pid: number, program: SandboxedProgram): void {
  const limits = readFileSync(`/proc/${pid}/limits`, 'latin1')
  // What a reader makes is as long as the dataset.
  const file = program.limits.fileBytesMax === undefined ? [] : ['file size']
  for (const name of ['data size', 'cpu time', ...file, 'processes', 'open files', 'core file size']) {
    const [, limit] = new RegExp(`^Max ${name} +\\S+ +(\\S+)`, 'm').exec(limits) ?? []
    assert.match(limit ?? '', /^\d+$/, name)
  }
}

/** It has none of our environment, and writing to standard output or to a path does not reach its answers. */
function isQuiet(pid: number): void {
  const names = readFileSync(`/proc/${pid}/environ`, 'latin1')
    .split('\0')
    .map((one) => one.split('=')[0]!)
  const own = /^(TZ|UV_THREADPOOL_SIZE|MALLOC_ARENA_MAX|DUCKDB_JE_MALLOC_CONF|PWD|OLDPWD|SHLVL|_|)$/
  const others = names.filter((one) => !own.test(one))
  assert.deepEqual(others, [])
  assert.equal(readlinkSync(`/proc/${pid}/fd/1`), '/dev/null')
  const answers = `/proc/${pid}/fd/${resultDescriptor}`
  assert.match(readlinkSync(answers), /^socket:/)
  // A socket cannot be opened by a path.
  assert.throws(() => openSync(answers, 'w'), { code: 'ENXIO' })
  assert.ok(existsSync(`/proc/${pid}/cwd`))
}
