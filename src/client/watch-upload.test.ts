// Tests of watching an upload: interrupted event streams, servers without events, ends of all kinds.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { ClientError } from './client-error.ts'
import { Http } from './http.ts'
import { answer, heard, listen, quickRules, record } from './raw-servers.testing.ts'
import { watchUpload } from './watch-upload.ts'

const id = '019aa1b2-4c80-7000-8000-0123456789ab'
const rules = { ...quickRules, askEveryMs: 1 }
const streams = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n'
const closes = 'Connection: close\r\n'
const statusOf = (phase: string, received: number) => ({ id, phase, createdAt: 1, bytes: { received, expected: 9 } })
const eventOf = (version: string, phase: string, received: number, end = '\n') =>
  `id: ${version}${end}data: ${JSON.stringify(statusOf(phase, received))}${end}${end}`

/** Watches a server that answers its requests in this order, one per connection. Returns statuses and requests. */
async function watched(t: TestContext, ...script: readonly ((socket: Socket) => void)[]) {
  const asked: string[] = []
  const { url } = await listen(t, (socket, index) => {
    heard(socket, (text) => {
      if (!text.endsWith('\r\n\r\n')) return
      asked.push(text)
      const step = script[index]
      if (step === undefined) socket.destroy()
      else step(socket)
    })
  })
  using http = new Http({ url, key: null })
  const seen: string[] = []
  let failure: unknown = null
  try {
    for await (const { phase, bytes } of watchUpload(http, id, rules, t.signal)) seen.push(`${phase} ${bytes.received}`)
  } catch (error) {
    failure = error
  }
  const kind = failure instanceof ClientError ? failure.failure.kind : failure
  return { seen, asked, kind }
}

test('watchUpload() yields each event until the end, however they are split', async (t) => {
  const text = `retry: 2000\n\n${eventOf('a', 'receiving', 1)}:\n\n${eventOf('b', 'reading', 9, '\r\n')}${eventOf('c', 'done', 9)}`
  const { seen, asked, kind } = await watched(t, (socket) => {
    socket.setNoDelay(true).write(streams)
    for (const letter of text) socket.write(letter)
  })
  assert.deepEqual([seen, kind, asked.length], [['receiving 1', 'reading 9', 'done 9'], null, 1])
  assert.match(asked[0] ?? '', new RegExp(`^GET /qas/uploads/${id}/events HTTP[\\s\\S]*accept: text/event-stream\r\n`))
  assert.doesNotMatch(asked[0] ?? '', /last-event-id/i)
})

test('watchUpload() reconnects after the last event, and ends when there are no more', async (t) => {
  const { seen, asked, kind } = await watched(
    t,
    (socket) => socket.end(streams + eventOf('a', 'receiving', 1) + eventOf('b', 'receiving', 2)),
    (socket) => answer(socket, '503 Service Unavailable', record(503, 'stopping'), closes),
    (socket) => socket.end(`${streams}id: c\ndata: {"half`),
    (socket) => socket.end(streams + eventOf('d', 'writing', 9)),
    (socket) => socket.end(`HTTP/1.1 204 No Content\r\n${closes}\r\n`),
  )
  assert.deepEqual([seen, kind], [['receiving 1', 'receiving 2', 'writing 9'], null])
  const ids = asked.map((text) => /last-event-id: (\w+)/i.exec(text)?.[1])
  assert.deepEqual(ids, [undefined, 'b', 'b', 'b', 'd'])
})

test('watchUpload() polls if there are no events, and yields each change once', async (t) => {
  const give = (phase: string, received: number) => (socket: Socket) =>
    answer(socket, '200 OK', statusOf(phase, received), closes)
  const full = { ...record(503, 'full'), exception: 'csvupload.TooManyWatchersException' }
  const refusals = [
    (socket: Socket) => answer(socket, '404 Not Found', record(404, 'no'), closes),
    (socket: Socket) => answer(socket, '503 Service Unavailable', full, `Retry-After: 60\r\n${closes}`),
    (socket: Socket) => answer(socket, '200 OK', { no: 'events' }, closes),
  ]
  for (const refusal of refusals) {
    const rest = [give('receiving', 1), give('receiving', 1), give('receiving', 2), give('failed', 2)]
    const { seen, asked, kind } = await watched(t, refusal, ...rest)
    assert.deepEqual([seen, kind], [['receiving 1', 'receiving 2', 'failed 2'], null])
    assert.match(asked[1] ?? '', new RegExp(`^GET /qas/uploads/${id} HTTP`))
  }
  const cut = (socket: Socket) => socket.destroy()
  const { seen } = await watched(t, cut, cut, cut, cut, give('done', 9))
  assert.deepEqual(seen, ['done 9'])
})

test('watchUpload() fails if the upload is unknown, or if there is no response', async (t) => {
  const unknown = { ...record(404, 'never'), exception: 'csvupload.UploadNotFoundException' }
  const none = await watched(t, (socket) => answer(socket, '404 Not Found', unknown, closes))
  assert.deepEqual([none.seen, none.kind, none.asked.length], [[], 'refused', 1])
  const silent = await watched(t)
  // Four times for events, four times without.
  assert.deepEqual([silent.kind, silent.asked.length], ['cut', 8])
  const odd = await watched(t, (socket) => socket.end(`${streams}data: {"id":1}\n\n`))
  assert.deepEqual([odd.kind, odd.asked.length], ['wrong', 1])
})
