// Tests of smuggling: heads and bodies that two readers could split differently. A hidden request is never executed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { createHttpServer, defaultHttpOptions, type HttpServer } from '../../src/http/server.ts'
import { Conversation } from '../wire/conversation.ts'
import { createFakeService } from '../wire/fake-service.ts'
import { acceptance } from '../wire/head-tests.ts'
import { recordFaults } from '../wire/outcome-faults.ts'
import { bareRequest, chunked, fileBody, rawRequest } from '../wire/requests.ts'

let server: HttpServer
let victim = ''
before(async () => {
  const options = { ...defaultHttpOptions, port: 0, shutdownGraceMs: 100 }
  server = await createHttpServer(createFakeService(), options, pino({ level: 'silent' }))
  victim = JSON.parse((await acceptance(server.port, rawRequest())).body.toString()).id
})
after(() => server.close())

const inChunks = 'Transfer-Encoding: chunked'
const body = fileBody('hidden', 'other')

/** A chunked upload whose body is exactly these bytes. */
const withChunks = (bytes: string | Buffer, headers: readonly string[] = [inChunks]) =>
  rawRequest({ headers, without: ['content-length'], body: bytes })
/** A request with both a length and these headers, so that the rest is body to one reader and a request to another. */
const withLength = (headers: readonly string[], bytes: string | Buffer = '0\r\n\r\n') =>
  rawRequest({ headers: [`Content-Length: ${bytes.length}`, ...headers], body: bytes })

/** The bytes before the hidden request. Each must be refused, and the connection closed. */
const forms: Readonly<Record<string, Buffer>> = {
  'a length and chunks': withLength([inChunks]),
  'a length of zero and chunks': rawRequest({ headers: [inChunks, 'Content-Length: 0'], body: chunked(body) }),
  'two lengths': withLength(['Content-Length: 0']),
  'two lengths in one line': rawRequest({ headers: ['Content-Length: 5, 5'], body: '0\r\n\r\n' }),
  'two lengths, one with a plus': withLength(['Content-Length: +5']),
  'a length with a blank inside': rawRequest({ headers: ['Content-Length: 1 0'], body: '0\r\n\r\n' }),
  'a length in hex': rawRequest({ headers: ['Content-Length: 0x5'], body: '0\r\n\r\n' }),
  'a length beyond 64 bits': rawRequest({ headers: ['Content-Length: 18446744073709551621'], body: '0\r\n\r\n' }),
  'a negative length': rawRequest({ headers: ['Content-Length: -5'], body: '0\r\n\r\n' }),
  'chunked in another word': withChunks('0\r\n\r\n', ['Transfer-Encoding: xchunked']),
  'chunked before another coding': withChunks('0\r\n\r\n', ['Transfer-Encoding: chunked, identity']),
  'chunked twice': withChunks('0\r\n\r\n', ['Transfer-Encoding: chunked, chunked']),
  'chunked after a vertical tab': withLength(['Transfer-Encoding: \vchunked']),
  'chunked with a blank before the colon': withLength(['Transfer-Encoding : chunked']),
  'chunked with a blank before the name': withLength([' Transfer-Encoding: chunked']),
  'chunked in a folded line': withLength(['Transfer-Encoding:', ' chunked']),
  'chunked after a bare CR': withLength(['X-A: b\rTransfer-Encoding: chunked']),
  'chunked after a bare LF': withLength(['X-A: b\nTransfer-Encoding: chunked']),
  'chunked after a NUL': withLength(['X-A: b\0', inChunks]),
  'chunked with a quoted name': withLength(['"Transfer-Encoding": chunked']),
  'a chunk size with a sign': withChunks('+0\r\n\r\n'),
  'a negative chunk size': withChunks('-1\r\n\r\n'),
  'a chunk size with a prefix': withChunks('0x5\r\nabcde\r\n0\r\n\r\n'),
  'a chunk size beyond 64 bits': withChunks('10000000000000005\r\nabcde\r\n0\r\n\r\n'),
  'a chunk size after a blank': withChunks(' 5\r\nabcde\r\n0\r\n\r\n'),
  'no chunk size': withChunks('\r\nabcde\r\n0\r\n\r\n'),
  'a chunk longer than its size': withChunks('3\r\nabcde\r\n0\r\n\r\n'),
  'a chunk that ends with a bare LF': withChunks('5\r\nabcde\n0\r\n\r\n'),
  'a chunk size that ends with a bare LF': withChunks('5\nabcde\r\n0\r\n\r\n'),
  'a bare CR in a chunk extension': withChunks('5;a\rb\r\nabcde\r\n0\r\n\r\n'),
  'a bare LF in a chunk extension': withChunks('5;a\nb\r\nabcde\r\n0\r\n\r\n'),
  'a chunk extension of 20 KB': withChunks(`5;${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`),
  'a trailer that is not a header': withChunks('0\r\nnocolon\r\n\r\n'),
  'two Host lines': rawRequest({ headers: ['Host: 127.0.0.1', 'Host: 127.0.0.1'] }),
  'a target of another host': rawRequest({ path: 'http://example.org/qas/uploadCsv' }),
  'a bare LF at the end of a line': Buffer.from(rawRequest().toString('latin1').replace('\r\n', '\n'), 'latin1'),
  'a bare CR in the request line': Buffer.from(rawRequest().toString('latin1').replace(' HTTP', '\rHTTP'), 'latin1'),
}

for (const [what, form] of Object.entries(forms)) {
  test(`a request hidden behind ${what} is not executed`, async () => {
    using talk = await Conversation.open(server.port)
    await talk.send(Buffer.concat([form, bareRequest('DELETE', `/qas/datasets/${victim}`)]))
    talk.socket.end()
    await talk.ended()
    const { final } = talk.answers
    assert.equal(final.length, 1, talk.raw.toString('latin1'))
    const [answer] = final
    assert.ok(answer!.status >= 400 && answer!.status < 500, answer?.statusLine)
    assert.deepEqual(recordFaults(answer!), [])
    using second = await Conversation.open(server.port)
    await second.send(bareRequest('GET', `/qas/datasets/${victim}`))
    assert.equal((await second.answered(1)).final[0]?.status, 200, 'the hidden request was executed')
  })
}

test('a request after an unambiguous one is executed, so the tests above can fail', async () => {
  const receipt = JSON.parse((await acceptance(server.port, rawRequest({ body: fileBody('z') }))).body.toString())
  using talk = await Conversation.open(server.port)
  const whole = rawRequest({ headers: [inChunks], without: ['content-length'], body: chunked(fileBody('y')) })
  await talk.send(Buffer.concat([whole, bareRequest('DELETE', `/qas/datasets/${receipt.id}`)]))
  const { final } = await talk.answered(2)
  assert.deepEqual(
    final.map(({ status }) => status),
    [200, 204],
  )
})
