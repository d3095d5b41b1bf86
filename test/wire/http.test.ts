// Tests of the HTTP side, with a fake service that waits, fails and leaks on demand.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { ServiceError } from '../../src/core/errors.ts'
import { createHttpServer, defaultHttpOptions, type HttpOptions } from '../../src/http/server.ts'
import { until } from '../support/until.ts'
import { headerValues } from './answers.ts'
import { Conversation } from './conversation.ts'
import { createFakeService, type FakeLimits, type FakeService } from './fake-service.ts'
import { acceptance, refusal } from './head-tests.ts'
import { recordFaults } from './outcome-faults.ts'
import { bareRequest, fileBody, rawRequest } from './requests.ts'

interface TestServer extends AsyncDisposable {
  readonly service: FakeService
  readonly port: number
  /** Lines of the log as written. */
  readonly log: string[]
  close(): Promise<void>
}

async function start(http: Partial<HttpOptions> = {}, limits: Partial<FakeLimits> = {}): Promise<TestServer> {
  const service = createFakeService(limits)
  const log: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line) => void log.push(line) })
  const server = await createHttpServer(
    service,
    { ...defaultHttpOptions, port: 0, shutdownGraceMs: 100, ...http },
    logger,
  )
  const close = () => server.close()
  return { service, port: server.port, log, close, [Symbol.asyncDispose]: close }
}

describe('an upload in progress', () => {
  it('gets a response even if the client has ended its side', async () => {
    await using server = await start()
    const gate = Promise.withResolvers<void>()
    server.service.gate = () => gate.promise
    using talk = await Conversation.open(server.port)
    await talk.send(rawRequest())
    talk.socket.end()
    await uploadsOpen(server, 1)
    assert.equal(await talk.within(100, () => talk.hasEnded), false, 'closed before the response')
    gate.resolve()
    assert.equal((await talk.answered(1)).final[0]?.status, 200)
  })

  it('reads no more than a few hundred kilobytes ahead of the service', async () => {
    await using server = await start()
    const gate = Promise.withResolvers<void>()
    server.service.gate = () => gate.promise
    // Made before the connection: on a busy machine that takes longer than its head may.
    const request = rawRequest({ body: fileBody(Buffer.alloc(64_000_000, 'x')) })
    using talk = await Conversation.open(server.port)
    void talk.send(request)
    // Buffers of the client are not counted exactly, since some may be collected at any time.
    const clientBytes = process.memoryUsage().arrayBuffers
    await uploadsOpen(server, 1)
    // The kernel buffers a few megabytes; when nothing moves any more, all buffers are full.
    let sentBytes = -1
    for (let still = 0; still < 10; still++) {
      const nowBytes = talk.socket.bytesWritten - talk.socket.writableLength
      if (nowBytes !== sentBytes) still = 0
      sentBytes = nowBytes
      await talk.within(50, () => false)
    }
    const before = process.memoryUsage().arrayBuffers
    assert.ok(talk.socket.writableLength > 0, 'the whole body was accepted')
    gate.resolve()
    assert.equal((await talk.answered(1)).final[0]?.status, 200)
    assert.ok(before < clientBytes + 32_000_000, `${before} bytes of buffers, ${clientBytes} of the client`)
  })

  it('that fails while the client waits for room gets a readable refusal', async () => {
    await using server = await start()
    const gate = Promise.withResolvers<void>()
    server.service.gate = () => gate.promise
    const request = rawRequest({ body: fileBody(Buffer.alloc(64_000_000, 'x')) })
    using talk = await Conversation.open(server.port)
    void talk.send(request)
    await uploadsOpen(server, 1)
    await talk.within(200, () => false)
    gate.reject(new ServiceError('DISK_FULL', {}))
    const { socket } = talk
    await until('the rest of the body has been read', () => socket.writableLength === 0 || socket.bytesWritten)
    const [answer] = (await talk.answered(1)).final
    assert.equal(answer?.status, 507)
    assert.deepEqual(recordFaults(answer), [])
    assert.deepEqual(headerValues(answer, 'retry-after'), ['60'])
    await talk.ended()
  })

  it('is aborted when the client disconnects, at any byte', async () => {
    await using server = await start()
    const request = rawRequest()
    let goneCount = 0
    for (let cut = request.indexOf('\r\n\r\n') + 5; cut < request.length; cut += 3) {
      const gate = Promise.withResolvers<void>()
      server.service.gate = () => gate.promise
      const talk = await Conversation.open(server.port)
      await talk.send(request.subarray(0, cut))
      await uploadsOpen(server, 1)
      talk.socket.resetAndDestroy()
      gate.resolve()
      await uploadsOpen(server, 0)
      goneCount += 1
    }
    assert.equal(server.service.aborts.length, goneCount)
    assert.equal(server.log.filter((line) => line.includes('"isWhole":false')).length, goneCount)
    assert.deepEqual(
      server.log.filter((line) => line.includes('"level":50')),
      [],
    )
    await acceptance(server.port, request)
  })

  it('is refused with Retry-After when there are too many', async () => {
    await using server = await start({}, { uploadsMax: 1 })
    const gate = Promise.withResolvers<void>()
    server.service.gate = () => gate.promise
    using talk = await Conversation.open(server.port)
    await talk.send(rawRequest())
    await uploadsOpen(server, 1)
    const answer = await refusal(server.port, rawRequest())
    assert.equal(answer.status, 503)
    assert.deepEqual(headerValues(answer, 'retry-after'), ['2'])
    gate.resolve()
    assert.equal((await talk.answered(1)).final[0]?.status, 200)
    await acceptance(server.port, rawRequest())
  })
})

describe('an internal fault', () => {
  it('gets a response with a fixed text, and is logged with its cause', async () => {
    await using server = await start()
    const secret = '/var/lib/secret.parquet'
    server.service.gate = () => Promise.reject(new TypeError(`cannot read ${secret}`))
    const answer = await refusal(server.port, rawRequest())
    assert.equal(answer.status, 500)
    assert.deepEqual(recordFaults(answer, { exception: 'csvupload.InternalException' }), [])
    assert.ok(!answer.body.includes(secret))
    assert.ok(server.log.some((line) => line.includes(secret) && line.includes('"level":50')))
  })

  it('does not affect other requests', async () => {
    await using server = await start()
    using other = await Conversation.open(server.port)
    const request = rawRequest()
    await other.send(request.subarray(0, -10))
    await uploadsOpen(server, 1)
    server.service.gate = () => Promise.reject(new TypeError('no'))
    await refusal(server.port, rawRequest())
    await other.send(request.subarray(-10))
    assert.equal((await other.answered(1)).final[0]?.status, 200)
  })
})

describe('close()', () => {
  it('lets a request in progress finish and accepts no other', async () => {
    const server = await start({ shutdownGraceMs: 10_000 })
    const gate = Promise.withResolvers<void>()
    server.service.gate = () => gate.promise
    using talk = await Conversation.open(server.port)
    await talk.send(rawRequest())
    await uploadsOpen(server, 1)
    const closing = server.close()
    using other = await Conversation.open(server.port)
    await other.send(rawRequest())
    assert.equal((await other.answered(1)).final[0]?.status, 503)
    // A second request on the open connection is too late.
    await talk.send(rawRequest())
    gate.resolve()
    const { final } = await talk.answered(1)
    assert.equal(final[0]?.status, 200)
    await closing
    assert.equal(talk.answers.final.length, 1)
  })

  it('cuts requests that outlast the grace period', async () => {
    const server = await start({ shutdownGraceMs: 50 })
    server.service.gate = () => new Promise(() => {})
    using talk = await Conversation.open(server.port)
    await talk.send(rawRequest())
    await uploadsOpen(server, 1)
    await server.close()
    await talk.ended()
    await until('the upload is aborted', () => server.service.aborts.length === 1)
  })
})

describe('a connection', () => {
  it('on which nothing was sent does not delay close()', async () => {
    // Whoever waits for a grace period waits until the test runner gives up.
    const server = await start({ shutdownGraceMs: 600_000 })
    using talk = await Conversation.open(server.port)
    // The server knows it once it has responded on a later one.
    await acceptance(server.port, rawRequest())
    await server.close()
    await talk.ended()
  })

  it('whose client does not read a download is cut', async () => {
    await using server = await start({ writeIdleMs: 200 })
    const receipt = await acceptance(server.port, rawRequest({ body: fileBody(Buffer.alloc(30_000_000, 'x')) }))
    const { id } = JSON.parse(receipt.body.toString('utf8'))
    using talk = await Conversation.open(server.port)
    talk.socket.pause()
    await talk.send(bareRequest('GET', `/qas/datasets/${id}/original`))
    await until('it is cut', () => server.log.some((line) => line.includes('"isWhole":false')))
    talk.socket.resume()
    await talk.ended()
    assert.equal(talk.answers.final[0]?.isWhole, false)
  })

  it('whose client reads a download too slowly is cut', async () => {
    await using server = await start({ writeIdleMs: 500 })
    const receipt = await acceptance(server.port, rawRequest({ body: fileBody(Buffer.alloc(30_000_000, 'x')) }))
    const { id } = JSON.parse(receipt.body.toString('utf8'))
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(bareRequest('GET', `/qas/datasets/${id}/original`))
    // The kernel reports room only when there is much, so slow reads are not progress: the idle limit implies a rate.
    const drip = setInterval(() => socket.read(100), 20)
    await until('it is cut', () => server.log.some((line) => line.includes('"isWhole":false')))
    clearInterval(drip)
    socket.destroy()
  })

  it('gets an error record if Fastify refuses a request, and one line in the log', async () => {
    await using server = await start()
    const headers = ['Content-Type: nonsense']
    const path = `/qas/datasets/${'0'.repeat(32)}`
    // A route without a body ignores one.
    const answer = await refusal(server.port, rawRequest({ method: 'DELETE', path, headers, body: '{' }))
    assert.equal(answer.status, 404)
    assert.deepEqual(recordFaults(answer, { exception: 'csvupload.DatasetNotFoundException', path }), [])
    const unreadable = await refusal(server.port, bareRequest('GET', '/qas/%zz'))
    const exception = 'org.springframework.web.servlet.NoHandlerFoundException'
    assert.deepEqual(recordFaults(unreadable, { exception, path: '/qas/%zz' }), [])
    assert.equal(server.log.filter((line) => line.includes('"msg":"request"')).length, 2)
  })
})

describe('an incomplete head after a slow request', () => {
  it('gets its full time once that request has its response', async () => {
    await using server = await start({ headersMs: 1_000 })
    for (const isSentOn of [true, false]) {
      const gate = Promise.withResolvers<void>()
      server.service.gate = () => gate.promise
      using talk = await Conversation.open(server.port)
      const next = bareRequest('GET', '/healthz')
      await talk.send(Buffer.concat([rawRequest(), next.subarray(0, 20)]))
      assert.equal(await talk.within(1_500, () => talk.raw.length > 0), false)
      gate.resolve()
      await talk.answered(1)
      if (isSentOn) await talk.send(next.subarray(20))
      const { final } = await talk.answered(2)
      assert.deepEqual(
        final.map(({ status }) => status),
        [200, isSentOn ? 200 : 408],
      )
    }
  })
})

describe('a body that is not read', () => {
  it('cannot keep a connection open by trickling in, on any route', async () => {
    await using server = await start({
      linger: { idleMs: 300, totalMs: 600, bytesPerSecondMin: 10_000, bytesMax: 1_000_000 },
    })
    for (const [method, path] of [
      ['GET', '/healthz'],
      ['GET', '/qas/datasets'],
      ['OPTIONS', '/qas/datasets'],
      ['DELETE', `/qas/datasets/${'0'.repeat(32)}`],
    ] as const) {
      using talk = await Conversation.open(server.port)
      await talk.send(rawRequest({ method, path, headers: ['Content-Length: 5000'], body: 'x' }))
      const drip = setInterval(() => void talk.send('x'), 20)
      await talk.until(`${method} ${path} is cut`, () => talk.socket.destroyed || talk.socket.errored !== null)
      clearInterval(drip)
      assert.equal(talk.answers.final.length, 1)
    }
  })
})

describe('the log', () => {
  it('has one line per request, with no query, header or content in it', async () => {
    await using server = await start()
    const headers = ['X-Key: hidden-1', 'Cookie: hidden-2']
    await acceptance(
      server.port,
      rawRequest({ path: '/qas/uploadCsv?key=hidden-3', headers, body: fileBody('hidden-4') }),
    )
    await refusal(server.port, rawRequest({ headers, body: fileBody('hidden-5', 'hidden-6') }))
    await refusal(server.port, bareRequest('GET', '/qas/datasets?name=hidden-7&limit=hidden-8', headers))
    await refusal(server.port, rawRequest({ headers: ['Content-Length: hidden-9'], body: 'hidden-10' }))
    const json = { headers: ['Content-Type: application/json'], without: ['content-type'], body: 'hidden-11' }
    await refusal(server.port, rawRequest({ ...json, path: `/qas/datasets/${'0'.repeat(32)}/query` }))
    const lines = server.log.filter((line) => line.includes('"msg":"request"'))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).status),
      [200, 400, 400, 400, 400],
    )
    assert.ok(!server.log.join('').includes('hidden-'), server.log.join(''))
    assert.equal(JSON.parse(lines[1] ?? '').code, 'MISSING_FILE_PART')
  })

  it('has the size, the reason and the address of an unreadable request, and nothing of its content', async () => {
    await using server = await start()
    const broken = [
      'GET /hidden-1?key=hidden-2 HTTP/1.1\r\nCookie hidden-3\r\n\r\n',
      'hidden-4 /hidden-5\r\n\r\n',
      'Authorization: Basic hidden-6\r\nX: hidden-7\r\n\r\n',
      'GET /hidden-8 HTTP/3.7\r\n\r\n',
      `GET /hidden-9 HTTP/1.1\r\nX: ${'hidden-10'.repeat(2_000)}\r\n\r\n`,
      'CONNECT hidden-11:443 HTTP/1.1\r\nHost: hidden-12\r\n\r\n',
    ]
    for (const bytes of broken) await refusal(server.port, Buffer.from(bytes))
    // The bytes after a chunk of a wrong size are taken for a request line.
    const chunks = Buffer.from('5\r\nabcdehidden-13 hidden-14 HTTP/1.1\r\n\r\n')
    const headers = ['Transfer-Encoding: chunked']
    await refusal(server.port, rawRequest({ headers, without: ['content-length'], body: chunks }))
    assert.ok(!server.log.join('').includes('hidden-'), server.log.join(''))
    const lines = server.log.filter((line) => line.includes('"msg":"request"')).map((line) => JSON.parse(line))
    assert.equal(lines.length, broken.length + 1)
    for (const [index, line] of lines.slice(0, broken.length).entries()) {
      assert.match(line.reason, /^(HPE_[A-Z_]+|CONNECT)$/)
      assert.match(line.address, /127\.0\.0\.1$/)
      assert.ok(line.receivedBytes > 0 && line.receivedBytes <= (broken[index]?.length ?? 0), JSON.stringify(line))
      assert.equal(line.path, undefined)
    }
  })

  it('says why a download was cut, but nothing about clients that disconnect', async () => {
    await using server = await start()
    const receipt = await acceptance(server.port, rawRequest({ body: fileBody(Buffer.alloc(3_000_000, 'x')) }))
    const { id } = JSON.parse(receipt.body.toString('utf8'))
    const cutLines = () => server.log.filter((line) => line.includes('"isWhole":false')).map((line) => JSON.parse(line))
    const ask = async () => {
      const talk = await Conversation.open(server.port)
      await talk.send(bareRequest('GET', `/qas/datasets/${id}/original`))
      return talk
    }
    using gone = await ask()
    gone.socket.resetAndDestroy()
    await until('the one that went is logged', () => cutLines().length === 1)
    server.service.breakAfterBytes = 1_000_000
    using talk = await ask()
    await talk.ended()
    await until('the one that was cut is logged', () => cutLines().length === 2)
    const [ofGone, ofCut] = cutLines()
    assert.deepEqual([ofGone.level, ofGone.code], [30, undefined])
    assert.deepEqual([ofCut.level, ofCut.code, ofCut.err.message], [50, 'INTERNAL', 'the disk is on fire'])
  })
})

/** Resolves when this many uploads are in progress. */
function uploadsOpen({ service }: TestServer, count: number): Promise<void> {
  return until(`${count} uploads are in progress`, () => service.open.size === count)
}
