// Tests of JSON bodies: what is read, and what is refused because of its size, format or slowness.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { addJsonBody } from './json-body.ts'

const limitBytes = 40

async function start(t: TestContext, bodyIdleMs = 30_000): Promise<number> {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>()
  addJsonBody(app, { bodyIdleMs, bodyBytesPerSecondMin: 0 })
  app.setErrorHandler((error, _request, reply) =>
    reply
      .code(error instanceof ServiceError ? error.status : 415)
      .send(error instanceof ServiceError ? error.code : ''),
  )
  app.post('/', { bodyLimit: limitBytes, schema: { body: {} } }, async (request) => JSON.stringify(request.body))
  app.delete('/', async (request) => JSON.stringify(request.body ?? 'none'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  return (app.server.address() as AddressInfo).port // it listens on a port
}

async function post(
  port: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  type = 'application/json',
  headers: Record<string, string> = {},
): Promise<string> {
  const init = { method: 'POST', body, headers: { 'content-type': type, ...headers }, duplex: 'half' as const }
  return (await fetch(`http://127.0.0.1:${port}/`, init)).text()
}

test('addJsonBody() returns the value of a body up to the limit, and refuses one byte more', async (t) => {
  const port = await start(t)
  const sized = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
  for (const body of ['{"a": [1, "ä"]}', sized(limitBytes)])
    assert.equal(await post(port, body), JSON.stringify(JSON.parse(body)))
  assert.equal(await post(port, sized(limitBytes + 1)), 'REQUEST_TOO_LARGE')
  const chunked = new Blob([sized(limitBytes + 1)]).stream()
  assert.equal(await post(port, chunked), 'REQUEST_TOO_LARGE')
})

test('addJsonBody() refuses a body that is not JSON, or is not declared as JSON', async (t) => {
  const port = await start(t)
  for (const body of ['', '{', 'text', "{'a': 1}"]) assert.equal(await post(port, body), 'BAD_REQUEST', body)
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'a/b',
    'json',
    'a/b, c/d',
  ]) {
    assert.equal(await post(port, '{}', type), 'NOT_JSON', type)
  }
})

test('addJsonBody() refuses bytes that are not UTF-8, and a compressed body', async (t) => {
  const port = await start(t)
  assert.equal(await post(port, Buffer.from('{"a": "ä"}', 'latin1')), 'BAD_REQUEST')
  assert.equal(await post(port, '\ufeff{"a": 1}'), 'BAD_REQUEST')
  assert.equal(await post(port, gzipSync('{"a": 1}'), undefined, { 'content-encoding': 'gzip' }), 'CONTENT_CODED')
  assert.equal(await post(port, '{"a": 1}', undefined, { 'content-encoding': 'identity' }), '{"a":1}')
})

test('addJsonBody() ignores the body of a request to a route that takes none', async (t) => {
  const port = await start(t)
  for (const type of ['application/json', 'text/plain', 'a/b; c=d', 'json', 'a/b, c/d']) {
    for (const body of [null, '', '{', 'x'.repeat(limitBytes + 1)]) {
      const init = { method: 'DELETE', body, headers: { 'content-type': type } }
      assert.equal(await (await fetch(`http://127.0.0.1:${port}/`, init)).text(), '"none"', `${type} ${body}`)
    }
  }
})

test('addJsonBody() does not wait forever', async (t) => {
  const socket = connect(await start(t, 50), '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"a"')
  const [answer] = await once(socket.setEncoding('latin1'), 'data')
  assert.match(answer, /^HTTP\/1\.1 408 .*REQUEST_TIMEOUT$/s)
  socket.destroy()
})
