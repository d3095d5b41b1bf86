// Tests of fair shares: one address that sends as much as it can leaves room for others.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { type Answer, bodyOf, Client, contentType, refusalOf } from '../support/client.ts'
import { begin } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const body = bodyOf({ content: 'a,b\n1,2\n' })
const nothing = Buffer.alloc(0)
/** A query that takes longer than queries may. */
const endless = 'SELECT max(a.range + b.range) FROM range(10000000) a, range(10000000) b'

/** Posts a body from an address; null if this system does not have it. */
async function postFrom(
  localAddress: string,
  url: string,
  type: string,
  sent: string | Uint8Array,
): Promise<IncomingMessage | null> {
  const headers = { 'content-type': type, 'content-length': Buffer.byteLength(sent) }
  const sending = request(url, { method: 'POST', agent: false, localAddress, headers })
  sending.end(sent)
  try {
    const [answer]: IncomingMessage[] = await once(sending, 'response')
    answer?.resume()
    return answer ?? null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return null
    throw error
  }
}

/** Sends a small file. */
const sendFrom = (localAddress: string, { url }: RunningService) =>
  postFrom(localAddress, `${url}/qas/uploadCsv`, contentType, body)

test('an address that has its share of places is told to retry, and others are admitted immediately', async (t) => {
  await using service = await RunningService.start(scratch.path, ['--uploads-max', '8', '--converters', '1'])
  if ((await sendFrom('127.0.0.2', service)) === null) return t.skip('this system has only one loopback address')
  const headers = { 'content-type': contentType, 'content-length': 9_000, expect: '100-continue' }
  const said: string[] = []
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < 8; i++) {
      const socket = await begin(service.url, 'POST', '/qas/uploadCsv', headers, nothing)
      sockets.push(socket)
      const [first] = await once(socket, 'data')
      said.push(String(first).slice(9, 12))
    }
    assert.deepEqual(said, [...Array(6).fill('100'), '503', '503'])
    const refused = await sendFrom('127.0.0.1', service)
    assert.equal(refused?.statusCode, 503)
    assert.ok(Number(refused?.headers['retry-after']) > 0)
    for (let i = 0; i < 5; i++) assert.equal((await sendFrom('127.0.0.2', service))?.statusCode, 200)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('limits use the address that a trusted proxy names, and otherwise that of the connection', async () => {
  for (const [proxies, came] of [
    ['127.0.0.0/8', ['200', '200', '429', '200', '429']],
    ['10.0.0.1', ['200', '200', '429', '429', '429']],
  ] as const) {
    await using service = await RunningService.fresh(['--requests-per-minute', '2', '--trusted-proxies', proxies])
    const client = new Client(service.url)
    const statuses: string[] = []
    // The third fakes an address before the one that the proxy adds.
    for (const from of ['192.0.2.1', '192.0.2.1', '203.0.113.9, 192.0.2.1', '192.0.2.2', '2001:db8::1, 192.0.2.1']) {
      const answer = await client.ask('GET', '/qas/datasets', undefined, { 'x-forwarded-for': from })
      if (answer.status !== 200) refusalOf(answer)
      statuses.push(String(answer.status))
    }
    assert.deepEqual(statuses, came, proxies)
  }
})

test('an address whose queries run long, or are never read, leaves places for the queries of others', async (t) => {
  await using service = await RunningService.fresh(['--converters', '1'])
  const { links } = await new Client(service.url).upload('a,b\n1,2\n')
  const askFrom = (localAddress: string, sql: string) =>
    postFrom(localAddress, service.url + links.query, 'application/json', JSON.stringify({ sql }))
  if ((await askFrom('127.0.0.2', 'SELECT 1')) === null) return t.skip('this system has only one loopback address')
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < 12; i++) {
      const sql = i % 2 === 0 ? `FROM range(1000000000)` : endless
      const sent = Buffer.from(JSON.stringify({ sql }))
      const headers = { 'content-type': 'application/json', 'content-length': sent.length }
      // The client reads nothing.
      sockets.push((await begin(service.url, 'POST', links.query, headers, sent)).pause())
    }
    for (let i = 0; i < 8; i++) {
      const answer = await askFrom('127.0.0.2', `SELECT ${i} AS i`)
      assert.equal(answer?.statusCode, 200)
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('a query whose response is not read for long gives its place to the next', async () => {
  await using dir = await scratchDir()
  // One client gets one of two places.
  await using service = await RunningService.start(dir.path, ['--converters', '1', '--queries-max', '2'])
  const { links } = await new Client(service.url).upload('a,b\n1,2\n')
  const body = JSON.stringify({ sql: `SELECT repeat('x', 10000) FROM range(10000)` })
  const socket = connect(service.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST ${links.query} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'readable')
  // Waits for a place, which the response above keeps until it was not read for as long as a query may wait.
  const askOther = () => postFrom('127.0.0.1', service.url + links.query, 'application/json', '{"sql":"SELECT 1"}')
  let answer = await askOther()
  if (answer?.statusCode === 503) answer = await askOther()
  assert.equal(answer?.statusCode, 200)
  // Its connection is closed before the minute for which a download may stall.
  await until('its connection is cut', () => service.connections() === 0)
  socket.destroy()
})

test('an owner whose queries run long leaves places for other owners at the same address', async () => {
  await using dir = await scratchDir()
  const owners = ['anna', 'bob'].map((owner) => newKey({ name: `key of ${owner}`, owner, scopes }))
  const file = join(dir.path, 'keys.json')
  await writeFile(file, formatKeys(owners.map(({ key }) => key)))
  await using service = await RunningService.start(join(dir.path, 'data'), ['--keys', file])
  const [anna, bob] = owners.map(({ secret }) => new Client(service.url, { authorization: `Bearer ${secret}` }))
  assert.ok(anna && bob)
  const [annas, bobs] = [await anna.upload('a,b\n1,2\n'), await bob.upload('a,b\n1,2\n')]
  const gone = new AbortController()
  const headers = { authorization: `Bearer ${owners[0]!.secret}`, 'content-type': 'application/json' }
  const asking = { method: 'POST', headers, body: JSON.stringify({ sql: endless }), signal: gone.signal }
  const running = Array.from({ length: 8 }, () => fetch(service.url + annas.links.query, asking).catch(() => null))
  // Two of the four places are used, and six queries wait.
  await until('both run', () => service.queries().length >= 2)
  for (let i = 0; i < 8; i++) {
    const answer: Answer = await bob.askJson(bobs.links.query, Buffer.from(`{"sql":"SELECT ${i}"}`))
    assert.equal(answer.status, 200, answer.body.toString())
  }
  gone.abort()
  await Promise.all(running)
})

/** Uploads contents concurrently: all are admitted before the last byte of any is sent. Returns the status of each. */
async function uploadTogether(service: RunningService, contents: readonly string[]): Promise<readonly number[]> {
  const uploads = await Promise.all(
    contents.map(async (content) => {
      const body = bodyOf({ content })
      const framing = { 'content-type': contentType, 'content-length': body.length }
      const headers = { ...framing, connection: 'close', expect: '100-continue' }
      const socket = await begin(service.url, 'POST', '/qas/uploadCsv', headers, nothing)
      const [first] = await once(socket, 'data')
      assert.match(String(first), /^HTTP\/1\.1 100 /)
      socket.write(body.subarray(0, -1))
      return { socket, last: body.subarray(-1) }
    }),
  )
  for (const { socket, last } of uploads) socket.write(last)
  return await Promise.all(
    uploads.map(async ({ socket }) => {
      const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString()
      return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1])
    }),
  )
}

test('with a quota of one dataset, only one of 48 files sent at once is accepted', async () => {
  await using service = await RunningService.fresh(['--quota-datasets', '1'])
  const client = new Client(service.url)
  const statuses = await uploadTogether(
    service,
    Array.from({ length: 48 }, (_, i) => `a,b\n${i},2\n`),
  )
  assert.deepEqual(statuses.toSorted(), [200, ...Array(47).fill(507)])
  const ids = await client.datasetIds()
  assert.equal(ids.length, 1)
  assert.equal((await client.ask('DELETE', `/qas/datasets/${ids[0]}`)).status, 204)
  assert.deepEqual(new Set(await uploadTogether(service, Array(48).fill('a,b\n1,2\n'))), new Set([200]))
})
