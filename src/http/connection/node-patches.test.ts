// Tests of the patches of Node: each fails if Node no longer works as the patch assumes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { afterLastResponse, allowHalfOpen, closeSilentConnections, takeChunks } from './node-patches.ts'

async function listening(t: TestContext, server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

function connected(server: Server): Socket {
  const { port } = server.address() as AddressInfo // it listens on a port
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true })
}

async function requestOn(server: Server): Promise<readonly [IncomingMessage, ServerResponse]> {
  return (await once(server, 'request')) as [IncomingMessage, ServerResponse]
}

for (const isPatched of [true, false]) {
  test(`a client that has ended its side is ${isPatched ? 'answered with' : 'cut off without'} allowHalfOpen()`, async (t) => {
    const server = await listening(t, createServer())
    if (isPatched) allowHalfOpen(server)
    const client = connected(server)
    const answer = text(client)
    client.end('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [request, response] = await requestOn(server)
    if (isPatched) {
      await once(request.socket.resume(), 'end')
      response.end('late')
    }
    assert.match(await answer, isPatched ? /^HTTP\/1\.1 200 OK\r\n.*late/s : /^$/)
    client.destroy()
  })
}

test('closeSilentConnections() lets a server close beside a connection on which nothing was sent', async (t) => {
  const server = await listening(t, createServer())
  closeSilentConnections(server)
  const client = connected(server)
  const closed = once(client.resume(), 'close')
  const [socket] = (await once(server, 'connection')) as [Socket]
  assert.equal(socket.bytesRead, 0)
  client.on('end', () => client.end())
  const ended = new Promise((resolve) => server.close(resolve))
  assert.equal(socket.destroyed, true)
  await Promise.all([ended, closed])
})

test('afterLastResponse() gets the connection instead of Node closing it, after the response is written', async (t) => {
  const server = await listening(t, createServer())
  const client = connected(server)
  const answer = text(client)
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const [{ socket }, response] = await requestOn(server)
  const ended = new Promise<void>((resolve) => afterLastResponse(socket, resolve))
  response.end('all')
  await Promise.race([ended, once(socket, 'close')])
  assert.deepEqual([response.writableEnded, socket.destroyed, socket.writableEnded], [true, false, false])
  socket.end('and more')
  assert.match(await answer, /all.*and more$/s)
  client.destroy()
})

test('takeChunks() gets each chunk of a body instead of the stream, which still ends; then Node reads again', async (t) => {
  const server = await listening(t, createServer())
  const client = connected(server)
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n')
  const [request, response] = await requestOn(server)
  const [taken, read]: [string[], string[]] = [[], []]
  let restore = () => {}
  const first = new Promise<void>((resolve) => {
    restore = takeChunks(request, (chunk) => {
      taken.push(String(chunk))
      resolve()
    })
  })
  request.on('data', (chunk) => read.push(String(chunk)))
  client.write('abc')
  await first
  restore()
  client.write('defghi')
  await once(request, 'end')
  assert.deepEqual([taken.join(''), read.join('')], ['abc', 'defghi'])
  response.end()
  client.destroy()
})
