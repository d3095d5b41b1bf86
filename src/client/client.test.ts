// Tests of requests other than uploads: interrupted responses, pages of the list, deletion with retries.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { Client, datasetPath } from './client.ts'
import { ClientError, isTransient, readRetryAfter, refusal } from './client-error.ts'
import { bytesOf } from './http.ts'
import { answer, heard, listen, quickRules, record } from './raw-servers.testing.ts'
import { pauseBefore } from './retry.ts'

test('open() returns a body that fails if the connection ends early', async (t) => {
  const { url } = await listen(t, (socket) => {
    heard(socket, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'))
  })
  using client = new Client({ url, key: null }, quickRules, t.signal)
  const body = await client.open('/x')
  let text = ''
  const read = async () => {
    for await (const chunk of bytesOf(body, t.signal)) text += chunk
  }
  await assert.rejects(read, (error) => error instanceof ClientError && error.failure.kind === 'cut')
  assert.equal(text, 'half')
})

test('download() starts again if the body breaks off, and passes other failures on', async (t) => {
  const { url, connections } = await listen(t, (socket, index) => {
    heard(socket, () => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${index < 2 ? 'ha' : 'whole'}`))
  })
  using client = new Client({ url, key: null }, quickRules, t.signal)
  const text = await client.download('/x', {}, async (answer) =>
    Buffer.concat(await Array.fromAsync(bytesOf(answer, t.signal))),
  )
  assert.deepEqual([text.toString(), connections()], ['whole', 3])
  await assert.rejects(
    client.download('/x', {}, async () => {
      throw new Error('disk full')
    }),
    /disk full/,
  )
  assert.equal(connections(), 4)
})

test('isTransient() is true for temporary failures only', () => {
  const refused = (status: number, retryAfterMs: number | null = null) =>
    isTransient({ kind: 'refused', status, message: '', record: null, retryAfterMs })
  assert.deepEqual(
    [408, 429, 502, 503, 504].map((status) => refused(status)),
    Array(5).fill(true),
  )
  assert.deepEqual(
    [400, 401, 404, 413, 422, 500, 507].map((status) => refused(status)),
    Array(7).fill(false),
  )
  assert.equal(refused(507, 60_000), true)
  assert.deepEqual(
    (['unreachable', 'cut', 'wrong'] as const).map((kind) => isTransient({ kind, message: '', isFinal: false })),
    [true, true, false],
  )
})

test('a server without TLS, or with an untrusted certificate, is reported immediately, with the way out', async (t) => {
  const { url, connections } = await listen(t, (socket) => {
    heard(socket, () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  })
  const { host } = url
  const failureAt = async (address: string) => {
    using client = new Client({ url: new URL(address), key: null }, quickRules, t.signal)
    return await client.json('/x').then(
      () => null,
      ({ failure }: ClientError) => failure,
    )
  }
  const plain = `Cannot reach https://${host}: the server there does not use TLS; is its address http://${host}?`
  assert.deepEqual(await failureAt(`https://${host}`), { kind: 'wrong', message: plain })
  assert.equal(connections(), 1)
  const tls = ownCertificate()
  if (tls === null) return t.diagnostic('no openssl')
  const server = createServer(tls, (_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const hint = 'if you trust it, set NODE_EXTRA_CA_CERTS to the file of its authority'
  const untrusted = `Cannot trust ${origin}: self-signed certificate; ${hint}`
  assert.deepEqual(await failureAt(origin), { kind: 'wrong', message: untrusted })
})

/** Made by OpenSSL; null if it is not installed. */
function ownCertificate() {
  const made = spawnSync('openssl', ['req', '-x509', '-nodes', '-subj', '/CN=localhost', '-keyout', '-', '-out', '-'])
  return made.status === 0 ? { key: made.stdout, cert: made.stdout } : null
}

test('json() rejects a response that is not JSON', async (t) => {
  const { url } = await listen(t, (socket) => {
    heard(socket, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>'))
  })
  using client = new Client({ url, key: null }, quickRules, t.signal)
  await assert.rejects(client.json('/x'), /it is not JSON; is this the right server\?/)
})

test('datasets() fetches pages one by one, as they are needed', async (t) => {
  const asked: string[] = []
  const { url } = await listen(t, (socket) => {
    socket.on('data', (chunk) => {
      const target = chunk.toString().split(' ')[1] ?? ''
      asked.push(target)
      const isFirst = !target.includes('after')
      answer(socket, '200 OK', { datasets: [{ id: isFirst ? 'a' : 'b' }], after: isFirst ? 'a&b' : null })
    })
  })
  using client = new Client({ url, key: null }, quickRules, t.signal)
  const ids = await Array.fromAsync(client.datasets({ name: 'ä' }, 1), ({ id }) => id)
  assert.deepEqual(ids, ['a', 'b'])
  assert.deepEqual(asked, ['/qas/datasets?name=%C3%A4&limit=1', '/qas/datasets?name=%C3%A4&limit=1&after=a%26b'])
})

test('watch() yields each status until the end, asks for later ones only, and goes on after a break', async (t) => {
  const asked: string[] = []
  const statusOf = (phase: string) => ({ id: 'a', phase, createdAt: 1, bytes: { received: 1, expected: 9 } })
  const applied = 'Preference-Applied: wait=20\r\nConnection: close\r\n'
  const script: readonly ((socket: Socket) => void)[] = [
    (socket) => answer(socket, '200 OK', statusOf('receiving'), 'ETag: "1"\r\nConnection: close\r\n'),
    (socket) => socket.end(`HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n${applied}\r\n`),
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"half'),
    (socket) => answer(socket, '503 Service Unavailable', record(503, 'stopping'), 'Connection: close\r\n'),
    (socket) => answer(socket, '200 OK', statusOf('reading'), `ETag: "2"\r\n${applied}`),
    (socket) => answer(socket, '200 OK', statusOf('done'), `ETag: "3"\r\n${applied}`),
  ]
  const { url } = await listen(t, (socket, index) => {
    heard(socket, (text) => {
      asked.push(text)
      script[index]?.(socket)
    })
  })
  using client = new Client({ url, key: null }, quickRules, t.signal)
  const phases = await Array.fromAsync(client.watch('a'), ({ phase }) => phase)
  assert.deepEqual(phases, ['receiving', 'reading', 'done'])
  const known = asked.map((text) => /if-none-match: "(\w+)"/i.exec(text)?.[1])
  assert.deepEqual(known, [undefined, '1', '1', '1', '1', '2'])
  assert.deepEqual(
    asked.map((text) => /prefer: wait=20/i.test(text)),
    [false, true, true, true, true, true],
  )
})

test('watch() asks without waiting, after the requested pause, if the server has no place to wait', async (t) => {
  const asked: string[] = []
  const full = { ...record(503, 'full'), exception: 'csvupload.TooManyWatchersException' }
  const { url } = await listen(t, (socket) => {
    heard(socket, (text) => {
      asked.push(/prefer: wait=20/i.test(text) ? 'wait' : 'now')
      if (asked.at(-1) === 'wait') {
        return answer(socket, '503 Service Unavailable', full, 'Retry-After: 0\r\nConnection: close\r\n')
      }
      const phase = asked.length < 3 ? 'receiving' : 'done'
      const status = { id: 'a', phase, createdAt: 1, bytes: { received: 1, expected: 9 } }
      answer(socket, '200 OK', status, 'ETag: "1"\r\nConnection: close\r\n')
    })
  })
  using client = new Client({ url, key: null }, { ...quickRules, retriesMax: 0 }, t.signal)
  const phases = await Array.fromAsync(client.watch('a'), ({ phase }) => phase)
  assert.deepEqual(
    [phases, asked],
    [
      ['receiving', 'done'],
      ['now', 'wait', 'now'],
    ],
  )
})

test('remove() counts a dataset as deleted if it is gone on a retry', async (t) => {
  const { url } = await listen(t, (socket, index) => {
    heard(socket, () => {
      if (index === 0) socket.destroy()
      else answer(socket, '404 Not Found', record(404, 'gone'), 'Connection: close\r\n')
    })
  })
  using client = new Client({ url, key: null }, quickRules, t.signal)
  await client.remove('a')
  await assert.rejects(client.remove('a'), /gone/)
})

test('Client sends requests below the path of the server URL', async (t) => {
  let line = ''
  const { url } = await listen(t, (socket) => {
    heard(socket, (text) => {
      line = text.split('\r\n')[0] ?? ''
      answer(socket, '200 OK', {})
    })
  })
  using client = new Client({ url: new URL('/files/', url), key: null }, quickRules, t.signal)
  await client.json(datasetPath('a/b', 'rows'), { offset: 0, columns: null })
  assert.equal(line, 'GET /files/qas/datasets/a%2Fb/rows?offset=0 HTTP/1.1')
})

test('refusal() reads the six fields, and reports what it can if they are missing', () => {
  const whole = refusal(404, undefined, JSON.stringify(record(404, 'not there')))
  assert.deepEqual([whole.message, whole.kind === 'refused' && whole.record?.status], ['not there', 404])
  const other = refusal(502, '3', '<html>bad gateway')
  assert.deepEqual(other, {
    kind: 'refused',
    status: 502,
    message: 'the server answered 502: <html>bad gateway',
    record: null,
    retryAfterMs: 3_000,
  })
  assert.match(
    refusal(404, undefined, JSON.stringify(record(404, 'No message available'))).message,
    /^Some Error: .*\/qas\/uploadCsv$/,
  )
})

test('readRetryAfter() reads seconds and dates', () => {
  assert.equal(readRetryAfter('2', 0), 2_000)
  assert.equal(readRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 10_000), 50_000)
  assert.equal(readRetryAfter('Thu, 01 Jan 1970 00:00:00 GMT', 10_000), 0)
  assert.equal(readRetryAfter('soon', 0), null)
  assert.equal(readRetryAfter(undefined, 0), null)
})

test('pauseBefore() doubles up to the maximum, adds what the server requests, and gives up beyond its patience', () => {
  const rules = { retriesMax: 9, pauseMsMin: 100, pauseMsMax: 500, retryAfterMsMax: 5_000 }
  const cut = { kind: 'cut', message: '' } as const
  const pauses = (random: number) => [1, 2, 3, 4, 5].map((attempts) => pauseBefore(attempts, cut, rules, () => random))
  assert.deepEqual(pauses(1), [100, 200, 400, 500, 500])
  assert.deepEqual(pauses(0), [50, 100, 200, 250, 250])
  const busy = (retryAfterMs: number) =>
    ({ kind: 'refused', status: 503, message: '', record: null, retryAfterMs }) as const
  assert.equal(
    pauseBefore(1, busy(5_000), rules, () => 1),
    5_100,
  )
  assert.equal(
    pauseBefore(1, busy(5_001), rules, () => 1),
    null,
  )
})
