// Tests of query limits: statements that try to escape or to exhaust the machine, and clients that disconnect. A run
// tries some attacks, by its seed; ATTACKS=all tries every one. Tests in src/engine/query try all on the engine itself.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client, type UploadResponse } from '../support/client.ts'
import { ask as askAt, queryProblem, queryRows, typesCsv } from '../support/queries.ts'
import { begin } from '../support/resumable.ts'
import { isAlive, procFile, RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { csvText, seed } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { escapes, floods, looks } from './query-attacks.ts'

const queryMsMax = 400
const memoryBytesMax = 256 * 1_048_576
const strictFlags = ['--query-time-max', `${queryMsMax}ms`, '--query-memory-max', String(memoryBytesMax)]

const scratch = await scratchDir()
// Every user may write here, so that queries are not stopped by file modes alone.
const openDir = join(scratch.path, 'open')
const canary = join(openDir, 'canary.txt')
const secret = 'canary-5b1f0e'
/** Whether queries see their files at a neutral path: docs/query.md. */
const isHidden = process.platform === 'linux' && existsSync('/usr/bin/unshare') && process.getuid?.() === 0
const service = await RunningService.start(join(scratch.path, 'data'))
/** Limits for statements that are to be ended. */
const strict = await RunningService.start(join(scratch.path, 'strict'), strictFlags)
const client = new Client(service.url)
after(async () => {
  await service[Symbol.asyncDispose]()
  await strict[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

/** A fraction of the attacks; another run selects others. */
function some<Item>(items: readonly Item[], share: number): readonly Item[] {
  return process.env.ATTACKS === 'all' ? items : items.filter((_, i) => (i + seed) % share === 0)
}

let typed: UploadResponse
let other: UploadResponse
let many: UploadResponse

before(async () => {
  await mkdir(openDir)
  await chmod(scratch.path, 0o755)
  await chmod(openDir, 0o777)
  await writeFile(canary, secret)
  typed = await client.upload(typesCsv)
  other = await client.upload(`id,name\n1,${secret}\n`)
  many = await client.upload(csvText('id,name', 50_000, (i) => `${i},name ${i} ${'x'.repeat(40)}`))
  // The end of an upload is recorded after its response, and would look like a change.
  const ends = join(service.dataDir, 'ended-uploads')
  await until('the last end is recorded', () => readFileSync(ends, 'utf8').includes(many.upload.id))
})

const ask = (sql: string, accept?: string, { id } = typed, { url } = service) => askAt(url, id, sql, accept)
const rowsOf = (sql: string, { id } = typed) => queryRows(service.url, id, sql)
const problemOf = (sql: string) => queryProblem(service.url, typed.id, sql)

test(`statements that try to escape are refused, and nothing outside is read or changed (SEED=${seed})`, async () => {
  const partOf = ({ id, parts }: UploadResponse) => join(scratch.path, 'data', 'datasets', id, parts[0]!.file)
  const list = escapes({ canary, part: partOf(typed), other: partOf(other), dir: openDir })
  assert.ok(list.length >= 98)
  const before = snapshot(scratch.path)
  await inTwos(some(list, 6), async (sql) => assertTellsNothing(await problemOf(sql), sql))
  await inTwos(some(looks, 4), async (sql) => assertTellsNothing((await ask(sql)).text, sql))
  assert.deepEqual(snapshot(scratch.path), before)
  assert.deepEqual(await rowsOf('SELECT count(*) FROM data'), [[3]])
})

/** Ignores text of the statement itself, which may be repeated. */
function assertTellsNothing(text: string, sql: string): void {
  const own = [...sql.matchAll(/'([^']+)'/g)].map((match) => match[1]!)
  const said = own.reduce((rest, literal) => rest.replaceAll(literal, ''), text).replaceAll(/LINE \d+: .*/g, '')
  assert.ok(!text.includes(secret), `${sql} read the canary`)
  assert.ok(!text.includes('root:'), `${sql} read the users`)
  assert.ok(!said.includes(service.dataDir) || !isHidden, `${sql} revealed the data directory: ${said}`)
}

test(`statements that need too much end in time and within their memory (SEED=${seed})`, async (t) => {
  assert.ok(floods.length >= 58)
  const dataset = await new Client(strict.url).upload(typesCsv)
  using peaks = watchPeaks(strict)
  let slowestMs = 0
  await inTwos(some(floods, 4), async (sql) => {
    const startedMs = performance.now()
    // A response that has begun is cut.
    const { status, text } = await ask(sql, undefined, dataset, strict).catch(() => ({ status: 0, text: 'cut' }))
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    assert.ok([0, 200, 400].includes(status), `${sql.slice(0, 100)}: ${text.slice(0, 500)}`)
  })
  t.diagnostic(`slowest: ${Math.round(slowestMs)} ms; peak memory: ${Math.round(peaks.bytes / 1_048_576)} MB`)
  // A child has about 100 MB before it begins, and the system may allow it about 200 MB beyond its limit.
  assert.ok(peaks.bytes < memoryBytesMax + 350 * 1_048_576, `${peaks.bytes}`)
  assert.equal((await new Client(strict.url).upload('a,b\n1,2\n')).records.accepted, 1)
  assert.equal((await fetch(`${strict.url}/readyz`)).status, 200)
})

test('a query that sorts more than fits in memory continues on disk', async () => {
  const sql = `SELECT id FROM data, range(40) ORDER BY md5(id::VARCHAR || range::VARCHAR) LIMIT 3 OFFSET 1999990`
  assert.equal((await rowsOf(sql, many)).length, 3)
})

test('a query ends when its client disconnects, and its place is free', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const one = await startLong()
  const two = await startLong()
  await until('both are working', () => service.queries().filter(isBusy).length === 2)
  const busy = service.queries().filter(isBusy)
  // As many as may wait for a place; the next one is refused.
  const waiting = Array.from({ length: 64 }, askOnce)
  const refused = await Promise.race([askOnce(), ...waiting])
  assert.equal(refused.status, 503)
  assert.match(String(refused.headers.get('retry-after')), /^[12]?[0-9]$|^30$/)
  assert.match(await refused.text(), /TooManyQueries/)
  one.resetAndDestroy()
  // A client may end its side and still read, so a disconnect shows only when something is sent.
  two.destroy()
  await until('both have ended', () => busy.every((pid) => !isAlive(pid)))
  const answers = await Promise.all(waiting)
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((answer) => (answer === refused ? 503 : 200)),
  )
  assert.deepEqual(await rowsOf('SELECT count(*) FROM data', many), [[50_000]])
  await until('their directories are gone', () => {
    return readdirSync(join(service.dataDir, 'work')).length <= service.children().length
  })
})

test('a response that its client does not read in time is cut', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  // Enough time for the response to begin on a busy machine.
  await using brief = await RunningService.start(join(scratch.path, 'brief'), ['--query-time-max', '5s'])
  const { id } = await new Client(brief.url).upload(typesCsv)
  await until('a child waits', () => brief.queries().length === 1)
  const [child = 0] = brief.queries()
  const socket = await send(brief, id, `SELECT repeat('z', 1000) FROM range(100000)`)
  await once(socket, 'readable')
  const closed = once(socket, 'close')
  await until('its child has ended', () => !isAlive(child))
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  await closed
  assert.match(text, /^HTTP\/1\.1 200/)
  assert.ok(!text.endsWith('0\r\n\r\n'), 'the response ended as if it were complete')
})

/** All files and their contents; stored parts may only have become read-only. */
function snapshot(dir: string): readonly string[] {
  return filesBelow(dir)
    .map((path) => `${path} ${statSync(path).mtimeMs} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .toSorted()
}

/** All except work directories, which come and go. */
function filesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isFile()) return [path]
    return entry.isDirectory() && entry.name !== 'work' ? filesBelow(path) : []
  })
}

/** Runs as many at once as the service allows. */
async function inTwos<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const workOff = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all([workOff(), workOff()])
}

/** Unlike `ask`, does not retry when refused. */
function askOnce(): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${service.url}/qas/datasets/${many.id}/query`, { method: 'POST', headers, body: '{"sql":"SELECT 1"}' })
}

function startLong(): Promise<Socket> {
  return send(service, many.id, 'SELECT max(a.range + b.range) FROM range(10000000) a, range(10000000) b')
}

function send({ url }: RunningService, id: string, sql: string): Promise<Socket> {
  const body = Buffer.from(JSON.stringify({ sql }))
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  return begin(url, 'POST', `/qas/datasets/${id}/query`, headers, body)
}

/** Whether a child works: one that waits has used less than a second of CPU time. A tick is 10 ms. */
function isBusy(pid: number): boolean {
  const fields = procFile(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12]) > 100 && isAlive(pid)
}

/** Polls the children, since a peak disappears with its process. */
function watchPeaks(of: RunningService): Disposable & { readonly bytes: number } {
  let bytes = 0
  const looking = setInterval(() => {
    for (const pid of seesProcesses ? of.queries() : []) {
      const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(procFile(pid, 'status'))?.[1]
      bytes = Math.max(bytes, Number(kilobytes ?? 0) * 1_024)
    }
  }, 10)
  return {
    get bytes() {
      return bytes
    },
    [Symbol.dispose]: () => clearInterval(looking),
  }
}
