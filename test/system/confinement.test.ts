// Tests of confinement: as root and as another user, the whole service works and its children are confined.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { Sandbox } from '../../src/engine/sandbox/sandbox.ts'
import { Client, type UploadResponse } from '../support/client.ts'
import { RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const isRoot = process.getuid?.() === 0
const noRoot = 'only root can start a service as whoever it likes'
const records = 150_000
const content = `${csvText('id,name', records, (i) => `${i},name ${i}`)}too,many,fields\n`
const flags = ['--segment-size', '256KB', '--converters', '2']

/** Uploads a file of several parts, and reads it through every route that uses a child process. */
async function useAll(client: Client): Promise<UploadResponse> {
  const receipt = await client.upload({
    content,
    schema: { fields: [{ name: 'id', type: 'integer' }, { name: 'name' }] },
  })
  assert.equal(receipt.records.accepted, records)
  assert.equal(receipt.records.rejected, 1)
  assert.ok(receipt.parts.length > 1)
  const self = receipt.links.self
  assert.match((await client.get(`${self}/rows?offset=149999&limit=1`)).toString(), /\[\[149999,"name 149999"\]\]/)
  assert.equal((await client.get(`${self}/data.ndjson`)).toString().split('\n').length, records + 1)
  assert.equal((await client.get(`${self}/data.parquet`)).subarray(0, 4).toString(), 'PAR1')
  assert.match((await client.get(`${self}/rejects.csv`)).toString(), /too,many,fields/)
  assert.match((await client.get(`${self}/profile`)).toString(), /"column_name":"id"/)
  return receipt
}

/** The status of the readers, from the system. */
function childStatuses(service: RunningService): readonly { readonly pid: number; readonly status: string }[] {
  return service
    .children()
    .map((pid) => ({ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'latin1') }))
    .filter(({ command }) => command.includes('/reader-main.'))
    .map(({ pid }) => ({ pid, status: readFileSync(`/proc/${pid}/status`, 'latin1') }))
}

/** Asserts that published files belong to the service, and that nobody else may write to them. */
function belongToService(service: RunningService, { id }: UploadResponse, userId: number): void {
  const dir = join(service.dataDir, 'datasets', id)
  for (const entry of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const { uid, mode } = statSync(join(dir, entry))
    assert.equal(uid, userId, entry)
    assert.equal(mode & 0o022, 0, entry)
  }
}

test('run as root, the service gives each reader its own user, and everything works', async (t) => {
  if (!isRoot) return t.skip(noRoot)
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'root'), flags)
  const receipt = await useAll(new Client(service.url))
  belongToService(service, receipt, 0)
  const statuses = childStatuses(service)
  const users = statuses.map(({ status }) => Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]))
  assert.ok(
    users.length > 0 && new Set(users).size === users.length && users.every((user) => user >= 60_578),
    String(users),
  )
  holdsPrivileges(statuses)
})

test('not run as root, the service works, and its children have no privileges and no network', async (t) => {
  if (!isRoot) return t.skip(noRoot)
  if (!seesProcesses) return t.skip('this system does not show processes')
  if (!existsSync('/usr/bin/setpriv')) return t.skip('this system has no setpriv')
  await using own = await scratchDir()
  const userId = 65_534
  chownSync(own.path, userId, userId)
  const user = ['setpriv', `--reuid=${userId}`, `--regid=${userId}`, '--clear-groups']
  await using service = await startOrSkip(t, join(own.path, 'data'), user)
  if (service === null) return
  const receipt = await useAll(new Client(service.url))
  belongToService(service, receipt, userId)
  const statuses = childStatuses(service)
  assert.ok(statuses.length > 0)
  holdsPrivileges(statuses)
  const network = readlinkSync('/proc/self/ns/net')
  const shares = statuses.filter(({ pid }) => readlinkSync(`/proc/${pid}/ns/net`) === network)
  if (shares.length > 0) t.diagnostic('this system lets no other user have a network of its own')
})

test('--sandbox required starts only where children have no network and nothing but their job', async (t) => {
  if (!isRoot) return t.skip(noRoot)
  if (!existsSync('/usr/bin/setpriv')) return t.skip('this system has no setpriv')
  const program = join(import.meta.dirname, '..', '..', 'src', 'bin', 'csv-upload.ts')
  const serve = ['serve', '--port', '0', '--data', join(scratch.path, 'weak'), '--sandbox', 'required']
  // As in a container: root without the right to create namespaces and mounts.
  const weak = ['--bounding-set=-sys_admin', '--inh-caps=-all', process.execPath, program, ...serve]
  const { status, stderr } = spawnSync('setpriv', weak, { encoding: 'utf8' })
  assert.equal(status, 2, stderr)
  const seen = "children would have 'no privileges, a user of its own', expected no network and nothing but their job"
  assert.match(stderr, new RegExp(`^csv-upload: Cannot start with --sandbox required: ${seen}; use .*\\n$`))
  const sandbox = await Sandbox.open(join(scratch.path, 'trial'))
  if (!sandbox.isolates) return t.skip(`this system holds: ${sandbox.holds}`)
  await using service = await RunningService.start(join(scratch.path, 'strong'), ['--sandbox', 'required'])
  await new Client(service.url).upload('id\n1\n')
})

test('a data directory may be a symbolic link, for the service and its children', async () => {
  const dir = join(scratch.path, 'behind')
  mkdirSync(dir)
  symlinkSync(dir, join(scratch.path, 'link'), 'junction')
  await using service = await RunningService.start(join(scratch.path, 'link'))
  const client = new Client(service.url)
  const { links } = await client.upload({ content: 'id\n1\n', schema: { fields: [{ name: 'id', type: 'integer' }] } })
  assert.equal((await client.get(`${links.self}/data.ndjson`)).toString(), '{"id":1}\n')
  assert.ok(existsSync(join(dir, 'datasets')))
})

/** Skips if only root can read the checkout, since others cannot run it. */
async function startOrSkip(t: TestContext, dataDir: string, user: readonly string[]): Promise<RunningService | null> {
  try {
    return await RunningService.start(dataDir, flags, {}, user)
  } catch (error) {
    if (!/EACCES|Permission denied/.test(String(error))) throw error
    t.skip('only root can read the program')
    return null
  }
}

function holdsPrivileges(statuses: ReturnType<typeof childStatuses>): void {
  for (const { status } of statuses) {
    assert.match(status, /^CapEff:\s+0+$/m)
    assert.match(status, /^NoNewPrivs:\s+1$/m)
  }
}
