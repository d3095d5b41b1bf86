// Fair shares: one address that sends as much as it can leaves room for others.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { bodyOf, Client, contentType, refusalOf } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const body = bodyOf({ content: 'a,b\n1,2\n' })

/** Sends a small file from that address; null where this system has no such address. */
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

test('an address that holds its share of places is told to come again, and others are taken at once', async (t) => {
  await using service = await RunningService.start(scratch.path, ['--uploads-max', '8', '--converters', '1'])
  if ((await sendFrom('127.0.0.2', service)) === null) return t.skip('this system has one address of its own only')
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

test('the address that counts is the one a trusted proxy names, and of anybody else that of the connection', async () => {
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
    // The third makes up an address before the one that the proxy adds.
    for (const from of ['192.0.2.1', '192.0.2.1', '203.0.113.9, 192.0.2.1', '192.0.2.2', '2001:db8::1, 192.0.2.1']) {
      const answer = await client.ask('GET', '/qas/datasets', undefined, { 'x-forwarded-for': from })
      if (answer.status !== 200) refusalOf(answer)
      statuses.push(String(answer.status))
    }
    assert.deepEqual(statuses, came, proxies)
  }
})
