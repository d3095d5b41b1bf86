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
import { RunningService, scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const body = bodyOf({ content: 'a,b\n1,2\n' })

/** Sends a small file from an address; null if this system does not have it. */
async function sendFrom(localAddress: string, service: RunningService): Promise<IncomingMessage | null> {
  const headers = { 'content-type': contentType, 'content-length': body.length }
  const sending = request(new URL('/qas/uploadCsv', service.url), {
    method: 'POST',
    agent: false,
    localAddress,
    headers,
  })
  sending.end(body)
  try {
    const [answer]: IncomingMessage[] = await once(sending, 'response')
    answer?.resume()
    return answer ?? null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return null
    throw error
  }
}

test('an address that has its share of places is told to retry, and others are admitted immediately', async (t) => {
  await using service = await RunningService.start(scratch.path, ['--uploads-max', '8', '--converters', '1'])
  if ((await sendFrom('127.0.0.2', service)) === null) return t.skip('this system has only one loopback address')
  const head = [
    'POST /qas/uploadCsv HTTP/1.1',
    'Host: localhost',
    `Content-Type: ${contentType}`,
    'Content-Length: 9000',
    'Expect: 100-continue',
  ]
  const said: string[] = []
  const sockets: Socket[] = []
  try {
    for (let i = 0; i < 8; i++) {
      const socket = connect(service.port, '127.0.0.1')
      sockets.push(socket)
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
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
    await using dir = await scratchDir()
    await using service = await RunningService.start(dir.path, [
      '--requests-per-minute',
      '2',
      '--trusted-proxies',
      proxies,
    ])
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
  let answer = await queryFrom('127.0.0.1', service, links.query, 'SELECT 1')
  if (answer?.statusCode === 503) answer = await queryFrom('127.0.0.1', service, links.query, 'SELECT 1')
  assert.equal(answer?.statusCode, 200)
  // Its connection is closed before the minute for which a download may stall.
  await until('its connection is cut', () => service.connections() === 0)
  socket.destroy()
})

/** A query that takes longer than queries may. */
const endless = 'SELECT max(a.range + b.range) FROM range(10000000) a, range(10000000) b'

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

test('addresses that take every place with long queries give one to an address that waits', async (t) => {
  await using dir = await scratchDir()
  await using service = await RunningService.start(dir.path, ['--queries-max', '2', '--query-time-max', '6s'])
  const { links } = await new Client(service.url).upload('a,b\n1,2\n')
  const askFrom = (host: number, sql: string) => queryFrom(`127.0.0.${host}`, service, links.query, sql)
  if ((await askFrom(2, 'SELECT 1')) === null) return t.skip('this system has only one loopback address')
  // Six addresses, each of which sends its next query as soon as it has a response.
  let isOver = false
  const others = [11, 12, 13, 14, 15, 16].map(async (host) => {
    for (let i = 0; i < 3 && !isOver; i++) {
      const ended = await askFrom(host, endless)
      assert.ok(ended?.statusCode === 503 || ended?.statusCode === 400)
    }
  })
  await until('both places are taken', () => service.queries().length >= 2)
  assert.equal((await askFrom(2, 'SELECT 1'))?.statusCode, 200)
  isOver = true
  await Promise.all(others)
})

/** Runs a query from an address; null if this system does not have it. */
async function queryFrom(
  localAddress: string,
  service: RunningService,
  path: string,
  sql: string,
): Promise<IncomingMessage | null> {
  const headers = { 'content-type': 'application/json' }
  const sending = request(new URL(path, service.url), { method: 'POST', agent: false, localAddress, headers })
  sending.end(JSON.stringify({ sql }))
  try {
    const [answer]: IncomingMessage[] = await once(sending, 'response')
    answer?.resume()
    return answer ?? null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return null
    throw error
  }
}
