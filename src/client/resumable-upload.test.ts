// Tests of resumable uploads against hand-written servers: where they continue, when they restart, when they give up.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { Client } from './client.ts'
import type { Failure } from './client-error.ts'
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
import { endsUpload, type ResumeOptions } from './resumable-upload.ts'

const content = Buffer.from('id,name\n1,Ada\n2,Alan\n')
const bytes = content.length
const sha256 = createHash('sha256').update(content).digest('hex')
const id = '019aa1b2-4c80-7000-8000-0123456789ab'
const closes = 'Connection: close\r\n'

type Script = readonly ((respond: (head: string, value?: object) => void, request: string) => void)[]

/** A server that answers its requests, one per connection, in this order. Also returns the requests. */
async function serve(t: TestContext, script: Script) {
  const asked: string[] = []
  const { url } = await listen(t, (socket, index) => {
    let isAnswered = false
    heard(socket, (text) => {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (/expect: 100/i.test(head) && body === '' && length > 0) socket.write('HTTP/1.1 100 Continue\r\n\r\n')
      if (body.length < length || isAnswered) return
      isAnswered = true
      asked[index] = text
      const respond = (status: string, value?: object) => {
        if (value !== undefined) answer(socket, status, value, closes)
        else socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n${closes}\r\n`)
      }
      const step = script[index]
      if (step === undefined) socket.destroy()
      else step(respond, text)
    })
  })
  return { client: new Client({ url, key: null }, quickRules, t.signal), asked }
}

const created: Script[number] = (respond) => respond(`201 Created\r\nLocation: http://other/base/qas/uploads/${id}`)
const at =
  (offset: number): Script[number] =>
  (respond) =>
    respond(`200 OK\r\nUpload-Offset: ${offset}\r\nUpload-Length: ${bytes}`)
const taken: Script[number] = (respond) => respond('204 No Content')
const status =
  (phase: string, datasetId: string | null, error: object | null = null): Script[number] =>
  (respond) => {
    const value = {
      id,
      phase,
      createdAt: 1,
      updatedAt: 8,
      bytes: { received: bytes },
      datasetId,
      outcome: 'new',
      error,
    }
    respond('200 OK', value)
  }
const receipt: Script[number] = (respond) => respond('200 OK', receiptOf(sha256, bytes))
/** All bytes have arrived: the client waits for the end, and gets the receipt. */
const done: Script = [taken, status('done', 'd1'), receipt]
const busy: Script[number] = (respond) => respond('503 Service Unavailable\r\nRetry-After: 0', record(503, 'busy'))
const gone: Script[number] = (respond) => respond('404 Not Found')

function resuming(from: string | null = null): ResumeOptions & { readonly begun: string[] } {
  const begun: string[] = []
  return { id: from, begun, onBegun: async (one) => void begun.push(one) }
}

const file = (content: Buffer) => ({ ...fileOf(content), bytes: content.length })
const bodyOf = (request: string | undefined) => request?.split('\r\n\r\n')[1]

test('sendResumable() creates an upload with the declarations and sends the file there', async (t) => {
  const { client, asked } = await serve(t, [created, ...done])
  using _client = client
  const declared = new Map([['dialect', '{"delimiter":";"}']])
  const how = resuming()
  const sent = await client.sendResumable({ ...file(content), name: 'ä.csv', declared }, newSending(), how)
  assert.equal(sent?.file.sha256, sha256)
  assert.deepEqual(how.begun, [id])
  assert.match(asked[0] ?? '', /^POST \/qas\/uploads HTTP[\s\S]*tus-resumable: 1\.0\.0\r\nupload-length: 21\r\n/)
  const metadata = /upload-metadata: filename (\S+),filetype (\S+),dialect (\S+)\r\n/.exec(asked[0] ?? '')?.slice(1)
  assert.deepEqual(
    metadata?.map((text) => Buffer.from(text, 'base64').toString()),
    ['ä.csv', 'text/csv', '{"delimiter":";"}'],
  )
  assert.match(asked[1] ?? '', new RegExp(`^PATCH /qas/uploads/${id} HTTP[\\s\\S]*upload-offset: 0\r\n`))
  assert.equal(bodyOf(asked[1]), content.toString())
})

test('sendResumable() requests the offset after an interruption, and hashes each byte once', async (t) => {
  const { client, asked } = await serve(t, [created, busy, at(8), busy, at(8), busy, at(14), ...done])
  using _client = client
  const sending = newSending()
  const sent = await client.sendResumable(file(content), sending, resuming())
  assert.equal(sent?.file.sha256, sha256)
  assert.match(asked[2] ?? '', new RegExp(`^HEAD /qas/uploads/${id} `))
  assert.deepEqual(
    [1, 3, 5, 7].map((i) => bodyOf(asked[i])),
    [0, 8, 8, 14].map((offset) => content.subarray(offset).toString()),
  )
  assert.deepEqual([sending.sentBytes, sending.skippedBytes, sending.phase], [bytes, 0, 'done'])
})

test('sendResumable() restarts counting attempts once bytes were received, and gives up if none were', async (t) => {
  const offsets = [1, 2, 3, 4, 5, 6]
  const { client } = await serve(t, [created, busy, ...offsets.flatMap((offset) => [at(offset), busy]), at(7), ...done])
  using _client = client
  assert.ok(await client.sendResumable(file(content), newSending(), resuming()))
  const stuck = await serve(t, [created, busy, at(3), busy, at(3), busy, at(3), busy, at(3), busy])
  using _stuck = stuck.client
  const failure = await failed(stuck.client.sendResumable(file(content), newSending(), resuming()))
  assert.equal(failure.message, 'busy')
  // The attempt that saw the offset grow is the first of four.
  assert.equal(stuck.asked.length, 10)
})

test('sendResumable() continues an upload of another process, and hashes what that process sent', async (t) => {
  const { client, asked } = await serve(t, [at(14), ...done])
  using _client = client
  const sending = newSending()
  assert.ok(await client.sendResumable(file(content), sending, resuming(id)))
  assert.deepEqual([bodyOf(asked[1]), sending.skippedBytes], [content.subarray(14).toString(), 14])
})

test('sendResumable() gets the receipt of an upload whose response was lost', async (t) => {
  const { client, asked } = await serve(t, [at(bytes), status('reading', null), status('done', 'd1'), receipt])
  using _client = client
  const sent = await client.sendResumable(file(content), newSending(), resuming(id))
  const upload = { id, fileName: undefined, receivedAt: 1, durationMs: 7, outcome: 'new' }
  assert.deepEqual([sent?.duplicate, sent?.upload], [false, upload])
  assert.match(asked[1] ?? '', /\r\nprefer: wait=20\r\n/)
  assert.match(asked[3] ?? '', /^GET \/qas\/datasets\/d1 /)
  const bad = await serve(t, [at(bytes), status('failed', null, record(422, 'no CSV'))])
  using _bad = bad.client
  const failure = await failed(bad.client.sendResumable(file(content), newSending(), resuming(id)))
  assert.deepEqual([failure.kind === 'refused' && failure.status, failure.message], [422, 'no CSV'])
})

test('sendResumable() retries a refused connection only if an upload is continued', async () => {
  for (const [from, attempts] of [
    [null, 1],
    [id, quickRules.retriesMax + 1],
  ] as const) {
    using client = new Client(
      { url: new URL('http://127.0.0.1:1'), key: null },
      quickRules,
      new AbortController().signal,
    )
    const sending = newSending()
    assert.equal((await failed(client.sendResumable(file(content), sending, resuming(from)))).kind, 'unreachable')
    assert.equal(sending.attempt, attempts)
  }
})

test('sendResumable() restarts if the server no longer has the upload', async (t) => {
  const { client } = await serve(t, [gone, gone, created, ...done])
  using _client = client
  const how = resuming('019aa1b2-0000-7000-8000-000000000000')
  assert.ok(await client.sendResumable(file(content), newSending(), how))
  assert.deepEqual(how.begun, [id])
})

test('sendResumable() returns null if a server has no room, or the declarations are long', async (t) => {
  const full = { ...record(507, 'full'), exception: 'csvupload.TooManyUnfinishedException' }
  const room = await serve(t, [(respond) => respond('507 Insufficient Storage\r\nRetry-After: 60', full)])
  using _room = room.client
  assert.equal(await room.client.sendResumable(file(content), newSending(), resuming()), null)
  const { client, asked } = await serve(t, [])
  using _client = client
  const declared = new Map([['schema', `{"x":"${'x'.repeat(9_000)}"}`]])
  assert.equal(await client.sendResumable({ ...file(content), declared }, newSending(), resuming()), null)
  assert.deepEqual(asked, [])
})

test('sendResumable() refuses an offset beyond the file, and a receipt for other bytes', async (t) => {
  const lies = await serve(t, [at(bytes + 1)])
  using _lies = lies.client
  const how = resuming(id)
  assert.match((await failed(lies.client.sendResumable(file(content), newSending(), how))).message, /names no offset/)
  const other = await serve(t, [
    at(4),
    taken,
    status('done', 'd1'),
    (respond) => respond('200 OK', receiptOf('0'.repeat(64), bytes)),
  ])
  using _other = other.client
  assert.match((await failed(other.client.sendResumable(file(content), newSending(), how))).message, /SHA-256 differs/)
})

test('sendResumable() does not wait for silent connections, and finds the outcome of the upload', async (t) => {
  const silent: Script[number] = () => {}
  const ended = [status('writing', null), status('done', 'd1'), status('done', 'd1'), receipt]
  const { client, asked } = await serve(t, [silent, created, silent, ...ended])
  using _client = client
  const sent = await client.sendResumable(file(content), newSending(), { ...resuming(), responseMsMax: 1_000 })
  assert.equal(sent?.file.sha256, sha256)
  assert.deepEqual(
    asked.map((text) => text.split(' ')[0]),
    ['POST', 'POST', 'PATCH', 'GET', 'GET', 'GET', 'GET'],
  )
  const dead = await serve(t, Array(20).fill(silent))
  using _dead = dead.client
  const how = { ...resuming(id), responseMsMax: 20 }
  const sending = newSending()
  assert.equal((await failed(dead.client.sendResumable(file(content), sending, how))).kind, 'cut')
  assert.equal(sending.attempt, 4)
})

test('endsUpload() is true if nothing is left to continue', () => {
  const refused = (status: number, exception = 'csvupload.X', retryAfterMs: number | null = null): Failure => ({
    kind: 'refused',
    status,
    message: '',
    record: { timestamp: 1, status, error: '', exception, message: '', path: '' },
    retryAfterMs,
  })
  const going: Failure[] = [
    { kind: 'cut', message: '' },
    { kind: 'unreachable', message: '', isFinal: true },
    refused(503),
    refused(507, 'csvupload.DiskFullException', 1),
    refused(401),
    refused(403),
    refused(400, 'csvupload.UploadTakenOverException'),
    refused(409, 'csvupload.UploadOffsetMismatchException'),
  ]
  assert.deepEqual(going.map(endsUpload), Array(8).fill(false))
  const over: Failure[] = [{ kind: 'wrong', message: '' }, refused(422), refused(413), refused(409), refused(410)]
  assert.deepEqual(over.map(endsUpload), Array(5).fill(true))
})
