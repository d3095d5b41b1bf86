// Tests of sending: JSON is sent whole and without a length to every client; a failing stream cuts the connection, even
// while the client reads nothing; a slow stream does not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable, Transform } from 'node:stream'
import { test } from 'node:test'
import fastify from 'fastify'
import { sendJson, sendStream } from './send.ts'

/** The whole response of a server to one request, as sent over the wire. */
async function responseOf(server: ReturnType<typeof fastify>, request: string): Promise<string> {
  await server.listen({ port: 0, host: '127.0.0.1' })
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  client.write(`${request}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of client.setEncoding('latin1')) text += chunk
  await server.close()
  return text
}

function jsonServer(value: object) {
  const server = fastify()
  server.get('/', (_request, reply) => sendJson(reply, value))
  return server
}

test('sendJson() sends one chunk to HTTP/1.1, the text until the close to HTTP/1.0, and no body for HEAD', async () => {
  const value = { text: 'x'.repeat(100_000) }
  const wanted = `${JSON.stringify(value)}\n`
  const [head, body] = (await responseOf(jsonServer(value), 'GET / HTTP/1.1')).split(/\r\n\r\n(.*)/s)
  assert.match(head!, /^transfer-encoding: chunked$/im)
  assert.doesNotMatch(head!, /^content-length:/im)
  assert.equal(body, `${wanted.length.toString(16)}\r\n${wanted}\r\n0\r\n\r\n`)
  const [oldHead, oldBody] = (await responseOf(jsonServer(value), 'GET / HTTP/1.0')).split(/\r\n\r\n(.*)/s)
  assert.doesNotMatch(oldHead!, /^(?:transfer-encoding|content-length):/im)
  assert.equal(oldBody, wanted)
  assert.match(await responseOf(jsonServer(value), 'HEAD / HTTP/1.1'), /^HTTP\/1.1 200 OK\r\n(?:.+\r\n)+\r\n$/)
})

test('sendJson() passes its text through a stream of a hook, such as one that compresses', async () => {
  const server = jsonServer({ text: 'abc' })
  server.addHook('onSend', async (_request, _reply, payload) => {
    const upperCase = new Transform({
      transform: (chunk, _encoding, done) => done(null, String(chunk).toUpperCase()),
    })
    return (payload as Readable).pipe(upperCase)
  })
  assert.match(await responseOf(server, 'GET / HTTP/1.1'), /\r\n{"TEXT":"ABC"}\n\r\n0\r\n\r\n$/)
})

test('sendStream() cuts the connection when its stream fails, even if the client reads nothing', async () => {
  const source = new Readable({
    read() {
      this.push(Buffer.alloc(1_048_576))
    },
  })
  const server = fastify()
  server.get('/', (_request, reply) => sendStream(reply, source, null, 60_000))
  const accepted = once(server.server, 'connection')
  await server.listen({ port: 0, host: '127.0.0.1' })
  const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(client, 'readable')
  const [socket] = await accepted
  const closed = once(socket, 'close')
  source.destroy(new Error('the query was ended'))
  await closed
  client.destroy()
  await server.close()
})

test('sendStream() waits for a slow source', async () => {
  const source = new Readable({ read() {} })
  const server = fastify()
  server.get('/', (_request, reply) => {
    setTimeout(() => source.push('late\n'), 250)
    setTimeout(() => source.push(null), 500)
    return sendStream(reply, source, null, 50)
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`)
  assert.equal(await response.text(), 'late\n')
  await server.close()
})

test('sendStream() cuts the connection when bytes are missing', async () => {
  const server = fastify()
  server.get('/:bytes', (request, reply) => {
    const { bytes } = request.params as { bytes: string }
    return sendStream(reply, Readable.from([Buffer.from('abc')], { objectMode: false }), Number(bytes), 60_000)
  })
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  const read = async (bytes: number) => await (await fetch(`${url}/${bytes}`)).text()
  assert.equal(await read(3), 'abc')
  await assert.rejects(read(4))
  await server.close()
})
