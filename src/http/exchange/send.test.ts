// Tests of sendStream(): a stream that fails cuts the connection, also while the client takes nothing of it; a slow one does not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import fastify from 'fastify'
import { sendStream } from './send.ts'

test('sendStream() cuts the connection when its stream fails, though the client reads nothing', async () => {
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

test('sendStream() waits for bytes that take long to be made', async () => {
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
