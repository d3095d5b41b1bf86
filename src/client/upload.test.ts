// Tests of an upload to servers that refuse early, disconnect, are busy, or send nonsense.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Client } from './client.ts'
import {
  answer,
  failed,
  fileOf,
  heard,
  listen,
  newSending,
  quickRules,
  receiptOf,
  record,
} from './raw-servers.testing.ts'

const content = Buffer.from('id,name\n1,Ada\n')
const sha256 = createHash('sha256').update(content).digest('hex')
const large = Buffer.alloc(30_000_000, 'x')
const continues = 'HTTP/1.1 100 Continue\r\n\r\n'

test('send() waits for 100 Continue, sends declarations before the file, and returns the receipt', async (t) => {
  let seen = ''
  const { url } = await listen(t, (socket) => {
    let asked = false
    heard(socket, (text) => {
      seen = text
      if (!asked) {
        asked = true
        assert.ok(text.endsWith('\r\n\r\n'), 'the body arrived before it was requested')
        socket.write(continues)
      } else if (text.endsWith('--\r\n')) answer(socket, '200 OK', receiptOf(sha256, content.length))
    })
  })
  using client = newClient(t, url)
  const declared = new Map([['dialect', '{"delimiter":";"}']])
  const sending = newSending()
  const receipt = await client.send(fileOf(content, { name: 'a"b\r\nä.csv', declared }), sending)
  assert.equal(receipt.file.sha256, sha256)
  assert.deepEqual([sending.phase, sending.sentBytes, sending.attempt], ['done', content.length, 1])
  const [head = '', ...rest] = seen.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  assert.match(head, /^POST \/qas\/uploadCsv HTTP\/1\.1\r\n/)
  assert.match(head, /\r\nexpect: 100-continue/i)
  assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), body.length)
  assert.ok(body.indexOf('name="dialect"') < body.indexOf('name="file"; filename="a%22b%0D%0A'))
  assert.ok(body.includes(`\r\n\r\n${content}\r\n--`))
})

test('send() sends anyway if a server ignores Expect', async (t) => {
  const { url } = await listen(t, (socket) => {
    heard(socket, (text) => {
      if (text.endsWith('--\r\n')) answer(socket, '200 OK', receiptOf(sha256, content.length))
    })
  })
  using client = newClient(t, url)
  assert.equal((await client.send(fileOf(content), newSending())).records.accepted, 1)
})

test('send() reads a refusal before the body, and sends nothing', async (t) => {
  const { url, connections } = await listen(t, (socket) => {
    heard(socket, () => answer(socket, '413 Payload Too Large', record(413, 'too large'), 'Connection: close\r\n'))
  })
  using client = newClient(t, url)
  const sending = newSending()
  const failure = await failed(client.send(fileOf(large), sending))
  assert.deepEqual([failure.kind, failure.message, sending.sentBytes], ['refused', 'too large', 0])
  assert.equal(failure.kind === 'refused' && failure.record?.exception, 'csvupload.SomeException')
  assert.equal(connections(), 1, 'a final refusal was retried')
})

test('send() reads a refusal while sending, and stops', async (t) => {
  const { url } = await listen(t, (socket) => {
    let hasAnswered = false
    socket.on('data', () => {
      if (hasAnswered) return
      hasAnswered = true
      socket.write(continues)
      socket.once('data', () =>
        answer(socket, '413 Payload Too Large', record(413, 'too large'), 'Connection: close\r\n'),
      )
    })
  })
  using client = newClient(t, url)
  const sending = newSending()
  assert.equal((await failed(client.send(fileOf(large), sending))).message, 'too large')
  assert.ok(sending.sentBytes < large.length, 'it sent everything')
})

test('send() reads no further once it is refused: an error of the file no longer matters', async (t) => {
  const { url } = await listen(t, (socket) => {
    socket.once('data', () => {
      socket.write(continues)
      socket.once('data', () => {
        socket.pause()
        answer(socket, '413 Payload Too Large', record(413, 'too large'))
      })
    })
  })
  using client = newClient(t, url)
  const open = async function* () {
    yield large
    throw new Error('Cannot read file')
  }
  assert.equal((await failed(client.send(fileOf(large, { open }), newSending()))).message, 'too large')
  await turn()
})

test('send() does not wait for the next bytes of a stream when it is refused', async (t) => {
  const { url } = await listen(t, (socket) => {
    heard(socket, (text) => {
      if (text.endsWith('\r\n\r\n')) socket.write(continues)
      else answer(socket, '422 Unprocessable', record(422, 'no CSV'))
    })
  })
  using client = newClient(t, url)
  async function* endless() {
    yield Buffer.from('PK')
    await new Promise(() => {})
  }
  assert.equal(
    (await failed(client.send(fileOf(content, { bytes: null, open: endless }), newSending()))).message,
    'no CSV',
  )
})

test('send() retries after 503 as Retry-After says, and after a broken connection', async (t) => {
  const { url, connections } = await listen(t, (socket, index) => {
    heard(socket, (text) => {
      if (index === 0)
        answer(socket, '503 Service Unavailable', record(503, 'busy'), 'Retry-After: 0\r\nConnection: close\r\n')
      else if (index === 1) socket.destroy()
      else if (text.endsWith('--\r\n')) answer(socket, '200 OK', receiptOf(sha256, content.length))
      else socket.write(continues)
    })
  })
  using client = newClient(t, url)
  const sending = newSending()
  await client.send(fileOf(content), sending)
  assert.deepEqual([connections(), sending.attempt, sending.pause], [3, 3, null])
})

test('send() gives up a stream that has been read from, but retries one from which nothing was sent', async (t) => {
  let opened = 0
  const { url } = await listen(t, (socket, index) => {
    heard(socket, (text) => {
      if (index === 0) answer(socket, '503 Service Unavailable', record(503, 'busy'), 'Connection: close\r\n')
      else if (text.includes('Ada')) socket.destroy()
      else socket.write(continues)
    })
  })
  using client = newClient(t, url)
  const open = () => {
    opened += 1
    return fileOf(content).open()
  }
  const failure = await failed(client.send(fileOf(content, { bytes: null, open }), newSending()))
  assert.deepEqual([failure.kind, opened], ['cut', 1])
})

test('send() fails with the last failure after all retries', async (t) => {
  const { url, connections } = await listen(t, (socket) => socket.destroy())
  using client = newClient(t, url)
  const sending = newSending()
  const failure = await failed(client.send(fileOf(content), sending))
  assert.deepEqual([failure.kind, connections(), sending.attempt], ['cut', 4, 4])
})

test('send() distinguishes an unreachable server from one that disconnects', async (t) => {
  const { url } = await listen(t, () => {})
  const gone = new URL(url)
  gone.port = '1'
  using client = newClient(t, gone)
  const sending = newSending()
  const failure = await failed(client.send(fileOf(content), sending))
  assert.deepEqual([failure.kind, sending.attempt], ['unreachable', 1])
  assert.match(
    failure.message,
    /^Cannot reach http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED .*; is the service running there\?$/,
  )
})

test('send() retries if a server that was connected before refuses connections', async (t) => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy()))
  server.on('connection', () => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  using client = newClient(t, new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  const sending = newSending()
  const failure = await failed(client.send(fileOf(content), sending))
  assert.deepEqual([failure.kind, sending.attempt], ['unreachable', quickRules.retriesMax + 1])
})

test('send() refuses a receipt for other bytes, and a response that is not a receipt', async (t) => {
  const answers = [receiptOf('0'.repeat(64), content.length), { hello: 'world' }]
  const { url } = await listen(t, (socket, index) => {
    heard(socket, (text) => {
      if (text.endsWith('--\r\n')) answer(socket, '200 OK', answers[index] ?? {}, 'Connection: close\r\n')
      else socket.write(continues)
    })
  })
  using client = newClient(t, url)
  const other = await failed(client.send(fileOf(content), newSending()))
  assert.deepEqual([other.kind, /SHA-256 differs/.test(other.message)], ['wrong', true])
  assert.match((await failed(client.send(fileOf(content), newSending()))).message, /not a receipt/)
})

test('send() fails with the reason of its signal, also during a pause', async (t) => {
  const { url } = await listen(t, (socket) => {
    heard(socket, () =>
      answer(socket, '503 Service Unavailable', record(503, 'busy'), 'Retry-After: 4\r\nConnection: close\r\n'),
    )
  })
  const stop = new AbortController()
  const reason = new Error('enough')
  using client = new Client({ url, key: null }, quickRules, stop.signal)
  const sending = newSending()
  const sent = client.send(fileOf(content), sending)
  while (sending.pause === null) await new Promise((resolve) => setImmediate(resolve))
  stop.abort(reason)
  await assert.rejects(sent, reason)
})

test('send() sends the key as a bearer token', async (t) => {
  let seen = ''
  const { url } = await listen(t, (socket) => {
    heard(socket, (text) => {
      seen = text
      answer(socket, '401 Unauthorized', record(401, 'who?'), 'Connection: close\r\n')
    })
  })
  using client = new Client({ url, key: 'k-1' }, quickRules, AbortSignal.timeout(60_000))
  await failed(client.send(fileOf(content), newSending()))
  assert.match(seen, /\r\nauthorization: Bearer k-1\r\n/i)
})

function newClient(t: TestContext, url: URL): Client {
  return new Client({ url, key: null }, quickRules, t.signal)
}
