// Tests of pipelines: requests of a connection in order, and which connection is cut off if too many wait.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { Pipelines } from './pipelines.ts'

test('Pipelines cuts off the connection with the most waiting requests, and answers all others', async (t) => {
  const held: ServerResponse[] = []
  let heldCount = 0
  const progress = new EventTarget()
  const pipelines = new Pipelines((request, response) => {
    if (request.url === '/held') held.push(response)
    else response.end(request.url)
  }, 20)
  const server = createServer((request, response) => {
    pipelines.add(request, response)
    heldCount += 1
    progress.dispatchEvent(new Event('request'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  /** A connection whose first response is held, with `count` requests behind it, once they have arrived. */
  const hold = async (count: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    const wanted = heldCount + count + 1
    socket.write(
      ['/held', ...Array(count).fill('/next')].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''),
    )
    while (heldCount < wanted) await once(progress, 'request')
    return socket
  }
  const few = await hold(4)
  const most = await hold(12)
  const some = await hold(4)
  const cut = once(most, 'close')
  const late = await hold(1)
  await cut
  // There is room again, also for the next connections.
  const last = await hold(8)
  assert.equal(held.length, 5)
  for (const response of held) response.end('held')
  for (const [socket, count] of [
    [few, 5],
    [some, 5],
    [late, 2],
    [last, 9],
  ] as const) {
    let text = ''
    for await (const chunk of socket) {
      text += chunk
      if (text.split('HTTP/1.1 200').length > count) break
    }
    assert.equal(text.split('HTTP/1.1 200').length - 1, count)
  }
})
