// Tests of request bodies: every way in which a body can arrive and end.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { RequestBody } from './request-body.ts'

const patient = { bodyIdleMs: 60_000, bodyBytesPerSecondMin: 0 }

/** A request whose head has arrived, and the client's end of its connection. */
async function begin(headers: string): Promise<{ request: IncomingMessage; client: Socket } & AsyncDisposable> {
  const server = createServer()
  // Tests end requests in every way; the server must not respond to that.
  server.on('clientError', (_error, socket) => socket.destroy())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
  const [request] = (await once(server, 'request')) as [IncomingMessage]
  const dispose = async () => {
    client.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { request, client, [Symbol.asyncDispose]: dispose }
}

test('RequestBody.chunks() yields the chunks of the parser, uncopied and in order', async () => {
  await using upload = await begin('Content-Length: 1000000')
  const given: Buffer[] = []
  const body = RequestBody.of(upload.request).chunks(patient)
  const first = body.next()
  // The parser calls this method.
  const push = upload.request.push.bind(upload.request)
  upload.request.push = (chunk, encoding) => {
    if (chunk) given.push(chunk)
    return push(chunk, encoding)
  }
  upload.client.write(Buffer.alloc(1_000_000, 'abc'))
  const taken: BorrowedBytes[] = []
  const copies: Buffer[] = []
  for (let come = await first; !come.done; come = await body.next()) {
    taken.push(...come.value)
    copies.push(...come.value.map((chunk) => Buffer.from(chunk)))
    // Chunks pile up while a consumer is slow, and must not be joined.
    if (taken.length % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  assert.equal(taken.length, given.length)
  assert.ok(taken.every((chunk, index) => chunk === given[index]))
  assert.ok(Buffer.concat(copies).equals(Buffer.alloc(1_000_000, 'abc')))
  // The memory of each was released when the next one was requested.
  assert.ok(taken.some((chunk) => chunk.length === 0))
})

test('RequestBody.chunks() yields a body once per turn of the event loop', async () => {
  await using upload = await begin('Content-Length: 1000000')
  const body = RequestBody.of(upload.request).chunks(patient)
  const lengths: number[][] = []
  const read = async (count: number) => {
    for (let i = 0; i < count; i++) lengths.push(((await body.next()).value ?? []).map(({ length }) => length))
  }
  // Runs before the next phase of the event loop.
  const readersTurn = () => new Promise<void>((resolve) => process.nextTick(resolve))
  const come = (...sizes: readonly number[]) => {
    for (const size of sizes) upload.request.push(Buffer.alloc(size))
  }
  const first = read(1)
  come(65_536, 65_536)
  await readersTurn()
  come(1)
  await first
  const last = read(1)
  come(65_536, 65_536, 65_536, 65_536)
  await readersTurn()
  assert.equal(lengths.length, 2, '256 KB are yielded without waiting')
  await last
  assert.deepEqual(lengths, [
    [65_536, 65_536, 1],
    [65_536, 65_536, 65_536, 65_536],
  ])
})

test('RequestBody.chunks() holds about a quarter of a megabyte while the consumer is busy', async () => {
  await using upload = await begin('Content-Length: 50000000')
  upload.client.write(Buffer.alloc(50_000_000))
  const body = RequestBody.of(upload.request).chunks(patient)
  await body.next()
  let readBytes = -1
  while (readBytes !== upload.request.socket.bytesRead) {
    readBytes = upload.request.socket.bytesRead
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.ok(readBytes < 1_000_000, `${readBytes} bytes were read`)
  let takenBytes = 0
  for await (const chunks of body) takenBytes += lengthOf(chunks)
  assert.ok(takenBytes > 49_000_000)
})

test('RequestBody.chunks() ends immediately for a request without a body', async () => {
  await using upload = await begin('Content-Length: 0')
  assert.deepEqual(await RequestBody.of(upload.request).chunks(patient).next(), { done: true, value: undefined })
})

test('RequestBody.chunks() leaves the connection open when the consumer stops early', async () => {
  await using upload = await begin('Content-Length: 100')
  upload.client.write('0123456789')
  for await (const chunks of RequestBody.of(upload.request).chunks(patient)) {
    assert.equal(lengthOf(chunks), 10)
    break
  }
  assert.equal(upload.request.destroyed, false)
  assert.equal(upload.request.socket.destroyed, false)
})

test('RequestBody.chunks() throws REQUEST_TIMEOUT after idleMs of waiting, and not for a slow consumer', async () => {
  await using upload = await begin('Content-Length: 100')
  upload.client.write('0123456789')
  const body = RequestBody.of(upload.request).chunks({ bodyIdleMs: 100, bodyBytesPerSecondMin: 0 })
  await body.next()
  await new Promise((resolve) => setTimeout(resolve, 200))
  upload.client.write('0123456789')
  assert.equal(lengthOf((await body.next()).value ?? []), 10)
  const beganMs = performance.now()
  await assert.rejects(body.next(), (error) => isServiceError(error, 'REQUEST_TIMEOUT'))
  assert.ok(performance.now() - beganMs > 90)
})

test('RequestBody.chunks() throws REQUEST_TIMEOUT when bytes drip below the rate, and not at the rate', async () => {
  for (const [bytesPerSecond, isSlow] of [
    [100, true],
    [2_000, false],
  ] as const) {
    await using upload = await begin('Content-Length: 1000')
    // The window is two seconds long; a drip comes every 25 ms, so no wait is long. A late one has more bytes.
    const beganMs = performance.now()
    let sentBytes = 0
    const drip = setInterval(() => {
      const dueBytes = Math.floor(((performance.now() - beganMs) * bytesPerSecond) / 1_000)
      upload.client.write(Buffer.alloc(dueBytes - sentBytes))
      sentBytes = dueBytes
    }, 25)
    const pace = { bodyIdleMs: 2_000, bodyBytesPerSecondMin: 400 }
    try {
      const read = Array.fromAsync(RequestBody.of(upload.request).chunks(pace), lengthOf)
      if (isSlow) await assert.rejects(read, (error) => isServiceError(error, 'REQUEST_TIMEOUT'))
      else assert.ok((await read).length > 2)
    } finally {
      clearInterval(drip)
    }
  }
})

test('RequestBody.waitedMs() grows while a client drips, and is 0 if nobody waits for the client', async () => {
  await using upload = await begin('Content-Length: 100')
  assert.equal(RequestBody.of(upload.request).waitedMs(), 0)
  const body = RequestBody.of(upload.request).chunks({ bodyIdleMs: 10_000, bodyBytesPerSecondMin: 5 })
  const first = body.next()
  upload.client.write('x')
  await first
  assert.equal(RequestBody.of(upload.request).waitedMs(), 0, 'there is no wait while the reader is busy')
  const second = body.next()
  while (RequestBody.of(upload.request).waitedMs() < 50) await new Promise((resolve) => setTimeout(resolve, 5))
  // As many bytes as the minimum rate requires: 5 a second over 10 seconds.
  upload.client.write(Buffer.alloc(50))
  await second
  const third = body.next()
  assert.ok(RequestBody.of(upload.request).waitedMs() < 50, 'bytes at the minimum rate start a new wait')
  upload.client.write(Buffer.alloc(49))
  await third
  assert.equal((await body.next()).done, true)
  assert.equal(RequestBody.of(upload.request).waitedMs(), 0)
})

test('RequestBody.chunks() throws when the client disconnects, before the first byte and after', async () => {
  for (const sent of ['', '0123456789']) {
    await using upload = await begin('Content-Length: 100')
    const body = RequestBody.of(upload.request).chunks(patient)
    if (sent !== '') {
      upload.client.write(sent)
      await body.next()
    }
    const next = body.next()
    upload.client.destroy()
    await assert.rejects(next, /closed the connection/)
  }
})

test('RequestBody.fail() makes the body throw, before and during reading', async () => {
  const failure = new ServiceError('BAD_MULTIPART', { problem: 'x' })
  await using early = await begin('Content-Length: 100')
  RequestBody.of(early.request).fail(failure)
  await assert.rejects(RequestBody.of(early.request).chunks(patient).next(), failure)

  await using late = await begin('Content-Length: 100')
  const next = RequestBody.of(late.request).chunks(patient).next()
  RequestBody.of(late.request).fail(failure)
  await assert.rejects(next, failure)
})

test('RequestBody.chunks() holds chunks of one byte in little memory while the consumer is busy', async () => {
  await using upload = await begin('Transfer-Encoding: chunked')
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(350_000))
  upload.client.write(chunks)
  const body = RequestBody.of(upload.request).chunks(patient)
  let takenBytes = lengthOf((await body.next()).value ?? [])
  let readBytes = -1
  while (readBytes !== upload.request.socket.bytesRead) {
    readBytes = upload.request.socket.bytesRead
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // Chunks from the parser are in the queue, joined, and not in the request as separate objects.
  assert.equal(upload.request.readableLength, 0)
  assert.ok(readBytes < chunks.length, 'all of it was read')
  upload.client.write('0\r\n\r\n')
  for await (const chunks of body) takenBytes += lengthOf(chunks)
  assert.equal(takenBytes, 350_000)
  assert.equal(upload.request.socket.isPaused(), false, 'the next request of the connection would not be read')
})

test('RequestBody.chunks() does not block the connection if a body is refused while nobody reads it', async () => {
  await using upload = await begin('Content-Length: 5000000')
  const body = RequestBody.of(upload.request).chunks(patient)
  upload.client.write(Buffer.alloc(5_000_000))
  await body.next()
  while (!upload.request.socket.isPaused()) await new Promise((resolve) => setImmediate(resolve))
  // As an error response does: the reader is abandoned.
  upload.request.removeAllListeners('data')
  upload.request.resume()
  upload.request.socket.resume()
  await once(upload.request, 'end')
})
