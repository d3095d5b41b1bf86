// Queries over HTTP: formats, limits, attacks, and what happens to a query when its client or its dataset goes. A run takes
// some of the attacks, by its seed; ATTACKS=all takes every one. All are tried on the engine itself in src/query.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type UploadAnswer } from '../support/client.ts'
import { isAlive, RunningService, scratchDir, seesProcesses, until } from '../support/running-service.ts'
import { csvText, seed } from '../support/samples.ts'
import { escapes, floods, looks } from './query-attacks.ts'

const queryMsMax = 400
const memoryBytesMax = 256 * 1_048_576
const rowsMax = 20_000
const strictFlags = ['--query-time-max', `${queryMsMax}ms`, '--query-memory-max', String(memoryBytesMax)]

const scratch = await scratchDir()
// Whatever user a query has may write here, so that it is not the modes of files alone that stop it.
const openDir = join(scratch.path, 'open')
const canary = join(openDir, 'canary.txt')
const secret = 'canary-5b1f0e'
/** Where a query sees its files at a neutral place: docs/query.md. */
const isHidden = process.platform === 'linux' && existsSync('/usr/bin/unshare') && process.getuid?.() === 0
const service = await RunningService.start(join(scratch.path, 'data'), ['--query-rows-max', String(rowsMax)])
/** For what is to be ended. */
const strict = await RunningService.start(join(scratch.path, 'strict'), strictFlags)
const client = new Client(service.url)
after(async () => {
  await service[Symbol.asyncDispose]()
  await strict[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

/** One of so many, others in the next run. */
function some<Item>(items: readonly Item[], share: number): readonly Item[] {
  return process.env.ATTACKS === 'all' ? items : items.filter((_, i) => (i + seed) % share === 0)
}

const typesCsv = [
  'id,big,amount,ratio,flag,day,at,moment,name',
  '1,9223372036854775807,1.50,0.1,true,2024-02-29,2024-02-29T10:00:00,2024-02-29T10:00:00Z,Anna',
  '2,-5,-2.25,-1e300,false,1999-12-31,1999-12-31T23:59:59.5,1999-12-31T23:59:59.5Z,"a ""b"", c"',
  '3,,,,,,,,""',
  '',
].join('\n')
let typed: UploadAnswer
let other: UploadAnswer
let many: UploadAnswer

before(async () => {
  await mkdir(openDir)
  await chmod(scratch.path, 0o755)
  await chmod(openDir, 0o777)
  await writeFile(canary, secret)
  typed = await client.upload(typesCsv)
  other = await client.upload(`id,name\n1,${secret}\n`)
  many = await client.upload(csvText('id,name', 50_000, (i) => `${i},name ${i} ${'x'.repeat(40)}`))
})

interface Asked {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly truncated: boolean
}

/** Asks again as long as others hold all places, as a client would. */
async function ask(sql: string, accept?: string, { id } = typed, { url } = service): Promise<Asked> {
  const headers = { 'content-type': 'application/json', ...(accept !== undefined && { accept }) }
  const body = JSON.stringify({ sql })
  while (true) {
    const response = await fetch(`${url}/qas/datasets/${id}/query`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 503) return { status: response.status, type: response.headers.get('content-type'), text }
    await sleep(20)
  }
}

async function rowsOf(sql: string, dataset = typed, at = service): Promise<QueryResult['rows']> {
  const { status, text } = await ask(sql, undefined, dataset, at)
  assert.equal(status, 200, `${sql}: ${text}`)
  return (JSON.parse(text) as QueryResult).rows
}

/** What is wrong with a statement, by code and message. */
async function problemOf(sql: string): Promise<string> {
  const { status, text } = await ask(sql)
  const record = JSON.parse(text) as Readonly<Record<string, unknown>>
  assert.deepEqual(
    Object.keys(record),
    ['timestamp', 'status', 'error', 'exception', 'message', 'path'],
    sql.slice(0, 100),
  )
  assert.equal(record.status, status)
  assert.equal(status, 400, text)
  return `${String(record.exception).replace(/^csvupload\.Query|Exception$/g, '')}: ${record.message}`
}

test('a query gives the values that a page of rows gives, and names columns and types as the receipt does', async () => {
  const { text, type } = await ask('FROM data')
  const result = JSON.parse(text) as QueryResult
  const page = await client.rows(typed)
  assert.equal(type, 'application/json;charset=UTF-8')
  assert.deepEqual(result, { columns: page.columns, rows: page.rows, truncated: false })
})

test('a query gives any value as JSON without a digit lost', async () => {
  const [row] = await rowsOf(`SELECT 9007199254740991, 9007199254740993, 2::UTINYINT, 1e308::DOUBLE, 'nan'::DOUBLE,
    '-inf'::DOUBLE, -0.0::DOUBLE, 12.30::DECIMAL(9, 2), DATE '2024-02-29', TIME '10:00:00.5', INTERVAL 3 DAYS,
    TIMESTAMPTZ '2024-02-29 12:00:00+02', TIMESTAMP '2024-02-29 10:00:00', [1, NULL], {'a': 'x', 'b': [DATE '2024-01-01']},
    MAP {'k': 1}, '\\xAA'::BLOB, NULL, TRUE, '""\u{1F600}\uFEFF', '\uFEFFx', 170141183460469231731687303715884105727`)
  assert.deepEqual(row, [
    ...[9007199254740991, '9007199254740993', 2, 1e308, 'NaN', '-Infinity', -0, '12.30', '2024-02-29', '10:00:00.5'],
    ...['3 days', '2024-02-29T10:00:00Z', '2024-02-29 10:00:00', [1, null], { a: 'x', b: ['2024-01-01'] }],
    ...[[{ key: 'k', value: 1 }], '\\xAA', null, true, '""\u{1F600}\uFEFF', '\uFEFFx'],
    '170141183460469231731687303715884105727',
  ])
})

test('a query answers as JSON lines and as CSV, and as nothing else', async () => {
  const sql = `SELECT id, name, id FROM data UNION ALL SELECT NULL, 'line\nend', 7 ORDER BY ALL`
  const lines = await ask(sql, 'application/x-ndjson;q=0.9, text/html, */*;q=0.1')
  assert.equal(lines.type, 'application/x-ndjson;charset=UTF-8')
  assert.deepEqual(
    lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { id: 1, name: 'Anna', id_1: 1 },
      { id: 2, name: 'a "b", c', id_1: 2 },
      { id: 3, name: '', id_1: 3 },
      { id: null, name: 'line\nend', id_1: 7 },
    ],
  )
  const csv = await ask(sql, 'text/csv')
  assert.equal(csv.type, 'text/csv;charset=UTF-8')
  assert.equal(csv.text, 'id,name,id\r\n1,Anna,1\r\n2,"a ""b"", c",2\r\n3,"",3\r\n,"line\nend",7\r\n')
  const none = await ask(sql, 'image/png')
  assert.equal(none.status, 406)
  assert.match(none.text, /wanted one of application\/json, application\/x-ndjson, text\/csv/)
})

test('a query that is wrong is told what is wrong, and where', async () => {
  assert.match(
    await problemOf('SELEC 1'),
    /^Failed: Cannot run query: Parser Error: syntax error .*\n\nLINE 1: SELEC 1\n/s,
  )
  assert.match(await problemOf('SELECT nme FROM data'), /Binder Error: .*"nme".*LINE 1: SELECT nme FROM data\n {15}\^/s)
  assert.match(await problemOf('FROM elsewhere'), /Catalog Error: Table with name elsewhere does not exist/)
  assert.match(await problemOf(`SELECT name::INTEGER FROM data`), /Conversion Error: Could not convert string 'Anna'/)
  assert.match(await problemOf('SELECT 1; SELECT 2'), /^NotReadOnly: .*it is 2 statements, wanted one/)
  assert.match(await problemOf('EXPLAIN SELECT 1'), /^NotReadOnly: .*it is a statement of another kind, wanted SELECT/)
  assert.match(await problemOf(`FROM read_text('/etc/passwd')`), /^NotReadOnly: .*the table function read_text is not/)
  assert.match(await problemOf('SELECT sleep_ms(1)'), /^NotReadOnly: .*the function sleep_ms is not available/)
  assert.match(await problemOf(`FROM '/etc/passwd.csv'`), /^Failed: .*beside the table data: files, the network/)
  assert.match(await problemOf('-- nothing'), /it holds no statement/)
})

test('a query of a dataset that is not there, or without SQL, is refused', async () => {
  const missing = { ...typed, id: '0'.repeat(32) }
  assert.equal((await ask('FROM data', undefined, missing)).status, 404)
  for (const [body, status] of [
    ['{}', 400],
    ['{"sql": 1}', 400],
    ['{"sql": ""}', 400],
    ['{"sql": "SELECT 1", "limit": 2}', 400],
    [JSON.stringify({ sql: `SELECT '${'x'.repeat(65_536)}'` }), 413],
  ] as const) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const response = await fetch(`${service.url}/qas/datasets/${typed.id}/query`, init)
    assert.equal(response.status, status, body.slice(0, 40))
    assert.match(await response.text(), /"exception":/)
  }
})

test('a dataset without records can be asked', async () => {
  const empty = await client.upload('id,"a ""b"""\n')
  assert.deepEqual(await rowsOf('SELECT count(*), count("a ""b""") FROM data', empty), [[0, 0]])
})

test('JSON is cut off at the limit of rows and says so, other formats fail', async () => {
  const at = async (rows: number) => JSON.parse((await ask(`FROM range(${rows})`)).text) as QueryResult
  for (const [rows, given, truncated] of [
    [rowsMax - 1, rowsMax - 1, false],
    [rowsMax, rowsMax, false],
    [rowsMax + 1, rowsMax, true],
  ] as const) {
    const result = await at(rows)
    assert.deepEqual([result.rows.length, result.truncated], [given, truncated])
  }
  // The failure comes after the first bytes, so the connection is cut.
  await assert.rejects(ask(`FROM data`, 'text/csv', many), /terminated/)
  const whole = await ask(`FROM data LIMIT ${rowsMax}`, 'text/csv', many)
  assert.equal(whole.text.split('\r\n').length, rowsMax + 2)
})

test(`statements that try to get out are refused, and nothing outside is read or changed (SEED=${seed})`, {
  timeout: 180_000,
}, async () => {
  const partOf = ({ id, parts }: UploadAnswer) => join(scratch.path, 'data', 'datasets', id, parts[0]!.file)
  const list = escapes({ canary, part: partOf(typed), other: partOf(other), dir: openDir })
  assert.ok(list.length >= 98)
  const before = snapshot(scratch.path)
  await inTwos(some(list, 6), async (sql) => assertTellsNothing(await problemOf(sql), sql))
  await inTwos(some(looks, 4), async (sql) => assertTellsNothing((await ask(sql)).text, sql))
  assert.deepEqual(snapshot(scratch.path), before)
  assert.deepEqual(await rowsOf('SELECT count(*) FROM data'), [[3]])
})

/** What the statement says itself may come back. */
function assertTellsNothing(text: string, sql: string): void {
  const own = [...sql.matchAll(/'([^']+)'/g)].map((match) => match[1]!)
  const said = own.reduce((rest, literal) => rest.replaceAll(literal, ''), text).replaceAll(/LINE \d+: .*/g, '')
  assert.ok(!text.includes(secret), `${sql} read the canary`)
  assert.ok(!text.includes('root:'), `${sql} read the users`)
  assert.ok(!said.includes(service.dataDir) || !isHidden, `${sql} learned where the data are: ${said}`)
}

test(`statements that ask for too much end in time and within their memory (SEED=${seed})`, {
  timeout: 300_000,
}, async (t) => {
  assert.ok(floods.length >= 58)
  const dataset = await new Client(strict.url).upload(typesCsv)
  using peaks = watchPeaks(strict)
  let slowestMs = 0
  await inTwos(some(floods, 4), async (sql) => {
    const startedMs = performance.now()
    // An answer that has begun is cut off.
    const { status, text } = await ask(sql, undefined, dataset, strict).catch(() => ({ status: 0, text: 'cut' }))
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    assert.ok([0, 200, 400].includes(status), `${sql.slice(0, 100)}: ${text.slice(0, 500)}`)
  })
  t.diagnostic(`slowest: ${Math.round(slowestMs)} ms; peak memory: ${Math.round(peaks.bytes / 1_048_576)} MB`)
  // Waiting for a place and a child comes before the time of a query; a slow machine is slow in both.
  assert.ok(slowestMs < queryMsMax + 10_000)
  // A child holds some 100 MB before it begins, and the system lets it have some 200 MB more than allowed at most.
  assert.ok(peaks.bytes < memoryBytesMax + 350 * 1_048_576, `${peaks.bytes}`)
  assert.equal((await new Client(strict.url).upload('a,b\n1,2\n')).records.accepted, 1)
  assert.equal((await fetch(`${strict.url}/readyz`)).status, 200)
})

test('a query that sorts more than its memory holds goes on on disk', async () => {
  const sql = `SELECT id FROM data, range(40) ORDER BY md5(id::VARCHAR || range::VARCHAR) LIMIT 3 OFFSET 1999990`
  assert.equal((await rowsOf(sql, many)).length, 3)
})

test('a query ends when its client goes, and its place is free', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const one = startLong()
  const two = startLong()
  await until('both are working', () => queryChildren(service).filter(isBusy).length === 2)
  const busy = queryChildren(service).filter(isBusy)
  const refused = await fetch(`${service.url}/qas/datasets/${many.id}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"sql":"SELECT 1"}',
  })
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.match(await refused.text(), /TooManyQueries/)
  one.resetAndDestroy()
  // A client may end its side and go on to read; that this one has gone shows when it is sent something.
  two.destroy()
  await until('both have ended', () => busy.every((pid) => !isAlive(pid)))
  assert.deepEqual(await rowsOf('SELECT count(*) FROM data', many), [[50_000]])
  await until('their directories are gone', () => {
    return readdirSync(join(service.dataDir, 'work')).length <= service.children().length
  })
})

test('a dataset can be deleted while it is asked: the query goes on, a later one finds nothing', async () => {
  const dataset = await client.upload(csvText('id,name', 15_000, (i) => `${i},${'y'.repeat(2_000)}${i}`))
  const response = await fetch(`${service.url}/qas/datasets/${dataset.id}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: '{"sql":"FROM data"}',
  })
  const deleted = await fetch(`${service.url}/qas/datasets/${dataset.id}`, { method: 'DELETE' })
  assert.equal(deleted.status, 204)
  const lines = (await response.text()).trim().split('\n')
  assert.equal(lines.length, 15_000)
  assert.equal(JSON.parse(lines.at(-1)!).id, 14_999)
  assert.equal((await ask('FROM data', undefined, dataset)).status, 404)
})

test('an answer that its client does not take in time is cut off', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const { id } = await new Client(strict.url).upload(typesCsv)
  await until('a child waits', () => queryChildren(strict).length === 1)
  const [child = 0] = queryChildren(strict)
  const socket = send(strict, id, `SELECT repeat('z', 1000) FROM range(100000)`)
  await once(socket, 'readable')
  const closed = once(socket, 'close')
  await until('its child has ended', () => !isAlive(child), 30_000)
  let text = ''
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece
  })
  await closed
  assert.match(text, /^HTTP\/1\.1 200/)
  assert.ok(!text.endsWith('0\r\n\r\n'), 'the answer ended as if it were whole')
})

/** Files and what they hold; the stored parts may only have become read-only. */
function snapshot(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('/work'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${statSync(path).mtimeMs} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .toSorted()
}

/** As many at once as the service takes. */
async function inTwos<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values()
  const workOff = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all([workOff(), workOff()])
}

function startLong(): Socket {
  return send(service, many.id, 'SELECT max(a.range + b.range) FROM range(10000000) a, range(10000000) b')
}

function send({ port }: RunningService, id: string, sql: string): Socket {
  const body = JSON.stringify({ sql })
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST /qas/datasets/${id}/query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  return socket
}

function queryChildren(of: RunningService): readonly number[] {
  return of.children().filter((pid) => procFile(pid, 'cmdline').includes('query-main.ts'))
}

/** A child that waits has used less than a second of processor time; a tick is 10 ms. */
function isBusy(pid: number): boolean {
  const fields = procFile(pid, 'stat').split(') ').at(-1)?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12]) > 100 && isAlive(pid)
}

/** Looks at the children all the time: a peak is gone with its process. */
function watchPeaks(of: RunningService): Disposable & { readonly bytes: number } {
  let bytes = 0
  const looking = setInterval(() => {
    for (const pid of seesProcesses ? queryChildren(of) : []) {
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

/** Empty for a process that is gone. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
