// Tests of uploads as resources: listed while they are sent, waited for, cancelled, and kept for a while.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import type { uploadStatusJson } from '../../src/http/exchange/upload-json.ts'
import { Client, contentType, jsonOf, refusalOf, uploadFraming } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { ownService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'
import { Conversation } from '../wire/conversation.ts'
import { bareRequest } from '../wire/requests.ts'

type Status = ReturnType<typeof uploadStatusJson>

const { service, client } = await ownService()

const { before, behind } = uploadFraming({ fileName: 'slow.csv' })

/** An upload whose body is written piece by piece. */
class SlowUpload implements Disposable {
  readonly #request: ClientRequest
  readonly answered: Promise<{ status: number; body: string }>

  constructor(bytes: number | null) {
    const length = bytes === null ? {} : { 'content-length': bytes }
    const url = new URL('/qas/uploadCsv', service.url)
    this.#request = request(url, { method: 'POST', agent: false, headers: { 'content-type': contentType, ...length } })
    this.answered = once(this.#request, 'response').then(async ([answer]: IncomingMessage[]) => {
      const chunks = await Array.fromAsync(answer as AsyncIterable<Buffer>)
      return { status: answer!.statusCode!, body: Buffer.concat(chunks).toString() }
    })
    this.answered.catch(() => {})
    this.#request.on('error', () => {})
    this.#request.flushHeaders()
  }

  write(text: string): void {
    this.#request.write(text)
  }

  end(text: string): void {
    this.#request.end(text)
  }

  reset(): void {
    this.#request.socket?.resetAndDestroy()
  }

  [Symbol.dispose](): void {
    this.#request.destroy()
  }
}

async function list(): Promise<readonly Status[]> {
  return jsonOf<{ uploads: Status[] }>(await client.ask('GET', '/qas/uploads')).uploads
}

/** Polls a status until the condition holds; every change shows within a fraction of a second. */
async function statusOnce(what: string, id: string, isSo: (status: Status) => boolean): Promise<Status> {
  let status!: Status
  await until(what, async () => {
    status = jsonOf<Status>(await client.ask('GET', `/qas/uploads/${id}`))
    return isSo(status) || status
  })
  return status
}

/** The upload that has just started. */
async function begun(): Promise<Status> {
  let found: Status | undefined
  await until('the upload is in the list', async () => {
    found = (await list()).find(({ phase }) => phase === 'receiving')
    return found !== undefined
  })
  return found!
}

/** More than the head of a file, so that its types are known before its end. */
const manyRecords = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `${from + i},name of ${from + i},2024-01-01\n`).join('')

test('a plain upload is listed from its first byte on, and its status leads to its receipt', async () => {
  const content = `id,name,day\n${manyRecords(0, 120_000)}`
  const whole = before + content + behind
  using slow = new SlowUpload(whole.length)
  slow.write(whole.slice(0, 20))
  const { id } = await begun()
  const first = await statusOnce('bytes have come', id, ({ bytes }) => bytes.received === 20)
  assert.deepEqual(
    [first.phase, first.fileName, first.records, first.encoding, first.dialect, first.columns, first.error],
    ['receiving', null, null, null, null, null, null],
  )
  assert.deepEqual(first.bytes, { received: 20, expected: whole.length })
  assert.deepEqual([first.links.self, first.links.receipt], [`/qas/uploads/${id}`, null])

  slow.write(whole.slice(20, 3_000_000))
  const typed = await statusOnce('types are known', id, ({ columns }) => columns?.[0]?.type === 'integer')
  assert.deepEqual(typed.encoding, { name: 'utf-8', bom: false })
  assert.equal(typed.dialect?.delimiter, ',')
  assert.deepEqual(typed.columns, [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
    { name: 'day', type: 'date' },
  ])
  assert.equal(typed.phase, 'receiving')
  const counted = await statusOnce('records are counted', id, ({ records }) => (records?.accepted ?? 0) > 10_000)
  assert.ok(counted.records!.accepted < 120_000)
  assert.equal(counted.records!.total, counted.records!.accepted + 1)

  slow.end(whole.slice(3_000_000))
  const { status, body } = await slow.answered
  assert.equal(status, 200)
  const receipt = JSON.parse(body)
  assert.equal(receipt.upload.id, id)
  const done = jsonOf<Status>(await client.ask('GET', `/qas/uploads/${id}`))
  assert.deepEqual([done.phase, done.fileName, done.outcome, done.datasetId], ['done', 'slow.csv', 'new', receipt.id])
  assert.deepEqual([done.records, done.bytes.received], [receipt.records, whole.length])
  assert.equal(done.links.receipt, receipt.links.self)
  assert.ok(done.expiresAt! > Date.now() + 23 * 3_600_000)
  assert.equal((await list())[0]?.id, id)
})

test('a status has an ETag, and a waiting request gets a response on a change, at the end or in time', async () => {
  using slow = new SlowUpload(null)
  slow.write(before)
  const { id } = await begun()
  await statusOnce('its name has come', id, ({ fileName }) => fileName === 'slow.csv')
  const path = `/qas/uploads/${id}`
  // The status may not yet include the latest counts.
  await statusOnce('its bytes are counted', id, ({ bytes }) => bytes.received === before.length)
  const { headers } = await client.ask('GET', path)
  const known = { 'if-none-match': headers.etag! }
  assert.equal((await client.ask('GET', path, undefined, known)).status, 304)
  assert.equal((await client.ask('HEAD', path, undefined, known)).status, 304)
  assert.equal((await client.ask('GET', path, undefined, { 'if-match': '"x"' })).status, 412)

  const beganMs = performance.now()
  const late = await client.ask('GET', path, undefined, { ...known, prefer: 'wait=1' })
  assert.deepEqual([late.status, late.headers['preference-applied']], [304, 'wait=1'])
  assert.ok(performance.now() - beganMs >= 900)

  const changed = client.ask('GET', path, undefined, { ...known, prefer: 'respond-async, wait=600' })
  const ended = client.ask('GET', path, undefined, { prefer: 'wait=20' })
  slow.write('a,b\n1,2\n')
  const seen = await changed
  assert.deepEqual([seen.status, seen.headers['preference-applied']], [200, 'wait=60'])
  assert.ok(jsonOf<Status>(seen).bytes.received > before.length)
  assert.notEqual(seen.headers.etag, headers.etag)
  slow.end(behind)
  assert.equal(jsonOf<Status>(await ended).phase, 'done')
  // Nothing will change any more, so requests need not wait.
  const last = await client.ask('GET', path)
  const again = { 'if-none-match': last.headers.etag!, prefer: 'wait=60' }
  assert.equal((await client.ask('GET', path, undefined, again)).status, 304)
})

/** A stream of events as it arrives. */
class Events implements Disposable {
  readonly #request: ClientRequest
  readonly #opened: Promise<IncomingMessage>
  text = ''

  constructor(id: string, headers: Record<string, string> = {}) {
    this.#request = request(new URL(`/qas/uploads/${id}/events`, service.url), { agent: false, headers })
    this.#opened = once(this.#request, 'response').then(([answer]: IncomingMessage[]) => {
      answer!.on('data', (bytes) => {
        this.text += bytes
      })
      return answer!
    })
    this.#request.end()
  }

  get all(): readonly { readonly id: string; readonly status: Status }[] {
    const found = this.text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)
    return [...found].map(([, id, data]) => ({ id: id!, status: JSON.parse(data!) }))
  }

  async opened(): Promise<IncomingMessage> {
    return await this.#opened
  }

  /** Resolves to all events once the service has ended the stream. */
  async ended() {
    const answer = await this.#opened
    if (!answer.readableEnded) await once(answer, 'end')
    return this.all
  }

  [Symbol.dispose](): void {
    this.#request.on('error', () => {}).destroy()
  }
}

test("events report every phase, continue after the client's last event, and end with the upload", async () => {
  using slow = new SlowUpload(null)
  slow.write(before)
  const { id } = await begun()
  await statusOnce('its bytes are counted', id, ({ bytes }) => bytes.received === before.length)
  using first = new Events(id)
  const { headers } = await first.opened()
  assert.equal(headers['content-type'], 'text/event-stream')
  await until('the first event', () => first.all.length > 0)
  const [start] = first.all
  assert.equal(start?.status.phase, 'receiving')
  assert.match(first.text, /^retry: \d+\n\n/)
  // A client that has the newest event gets no other before something changes.
  using second = new Events(id, { 'last-event-id': start!.id })
  await second.opened()
  using third = new Events(id, { 'last-event-id': 'something else' })
  await until('its first event', () => third.all.length > 0)
  assert.equal(second.all.length, 0)
  slow.write('a,b\n1,2\n')
  slow.end(behind)
  const [all, rest] = [await first.ended(), await second.ended()]
  assert.equal(all.at(-1)?.status.phase, 'done')
  assert.ok(rest[0]!.id !== start!.id)
  assert.deepEqual(rest.at(-1), all.at(-1))
  const versions = all.map((one) => Number.parseInt(one.id, 36))
  assert.deepEqual(
    versions,
    versions.toSorted((a, b) => a - b),
  )
  assert.deepEqual(all.at(-1)?.status, jsonOf(await client.ask('GET', `/qas/uploads/${id}`)))
  // A browser that reconnects gets 204, which makes it stop.
  const again = await client.ask('GET', `/qas/uploads/${id}/events`, undefined, { 'last-event-id': all.at(-1)!.id })
  assert.equal(again.status, 204)
  using late = new Events(id)
  assert.equal((await late.ended()).length, 1)
})

test('DELETE cancels an upload: its client gets an error, and nothing of it is stored', async () => {
  const ids = await client.datasetIds()
  using slow = new SlowUpload(null)
  slow.write(`${before}a,b\n${manyRecords(0, 60_000)}`)
  const { id } = await begun()
  await statusOnce('records are counted', id, ({ records }) => (records?.total ?? 0) > 1_000)
  assert.equal((await client.ask('DELETE', `/qas/uploads/${id}`)).status, 204)
  assert.deepEqual(service.drafts(), [])
  const { status, body } = await slow.answered
  assert.equal(status, 409)
  assert.equal(JSON.parse(body).exception, 'csvupload.UploadCancelledException')
  const cancelled = jsonOf<Status>(await client.ask('GET', `/qas/uploads/${id}`))
  assert.deepEqual([cancelled.phase, cancelled.error?.status, cancelled.datasetId], ['failed', 409, null])
  assert.deepEqual(Object.keys(cancelled.error!), ['timestamp', 'status', 'error', 'exception', 'message', 'path'])
  assert.deepEqual(await client.datasetIds(), ids)
  // Only ended uploads can be forgotten.
  assert.equal((await client.ask('DELETE', `/qas/uploads/${id}`)).status, 204)
  const gone = await client.ask('GET', `/qas/uploads/${id}`)
  assert.deepEqual([gone.status, refusalOf(gone).exception], [404, 'csvupload.UploadNotFoundException'])
})

test('DELETE forgets an ended upload, and its dataset stays', async () => {
  const receipt = await client.upload('x,y\n1,2\n')
  assert.equal((await client.ask('DELETE', `/qas/uploads/${receipt.upload.id}`)).status, 204)
  assert.equal((await client.ask('GET', `/qas/uploads/${receipt.upload.id}`)).status, 404)
  assert.equal((await client.ask('GET', receipt.links.self)).status, 200)
})

test('an upload that fails, or whose client disconnects, says why', async () => {
  const refused = await client.refused({ content: 'PK\u0003\u0004zip' })
  const [failed] = await list()
  assert.equal(failed?.phase, 'failed')
  assert.deepEqual(
    [failed?.error?.status, failed?.error?.exception, failed?.error?.message],
    [refused.status, refused.exception, refused.message],
  )
  const ways = [
    [(slow: SlowUpload) => slow[Symbol.dispose](), 'org.springframework.web.multipart.MultipartException'],
    [(slow: SlowUpload) => slow.reset(), 'csvupload.UploadInterruptedException'],
  ] as const
  for (const [goes, exception] of ways) {
    const slow = new SlowUpload(1_000_000)
    slow.write(`${before}a,b\n`)
    const { id } = await begun()
    await statusOnce('its name has come', id, ({ fileName }) => fileName !== null)
    goes(slow)
    const gone = await statusOnce('it has ended', id, ({ phase }) => phase === 'failed')
    assert.equal(gone.error?.exception, exception)
  }
})

test('a reading of a stored file is an upload, too, and the list has pages', async () => {
  const receipt = await client.upload('p;q\n1;2\n')
  const read = await client.askJson(receipt.links.readings, Buffer.from('{"dialect":{"header":false}}'))
  const again = jsonOf<typeof receipt>(read)
  const [newest] = await list()
  assert.deepEqual([newest?.id, newest?.datasetId, newest?.phase], [again.upload.id, again.id, 'done'])
  assert.deepEqual(newest?.bytes, { received: 8, expected: 8 })
  const all = (await list()).map(({ id }) => id)
  const found: string[] = []
  let after: string | null = ''
  while (after !== null) {
    const query: string = after === '' ? '' : `&after=${after}`
    const answer = await client.ask('GET', `/qas/uploads?limit=2${query}`)
    const page = jsonOf<{ uploads: Status[]; after: string | null }>(answer)
    found.push(...page.uploads.map(({ id }) => id))
    after = page.after
  }
  assert.deepEqual(found, all)
})

test('an upload is forgotten after --uploads-keep-for', async () => {
  await using other = await scratchDir()
  await using brief = await RunningService.start(other.path, ['--uploads-keep-for', '1s'])
  const its = new Client(brief.url)
  const { upload } = await its.upload('a\n1\n')
  await until('it is forgotten', async () => (await its.ask('GET', `/qas/uploads/${upload.id}`)).status === 404)
  assert.deepEqual(jsonOf<{ uploads: Status[] }>(await its.ask('GET', '/qas/uploads')).uploads, [])
})

test('a stopping service does not wait for waiting requests', async () => {
  await using other = await scratchDir()
  // A request that is waited for is cut after this time, before it is over by itself.
  await using stopping = await RunningService.start(other.path, ['--shutdown-grace', '50s'])
  const its = new Client(stopping.url)
  const outgoing = request(new URL('/qas/uploadCsv', stopping.url), {
    method: 'POST',
    agent: false,
    headers: { 'content-type': contentType },
  })
  outgoing.on('error', () => {})
  outgoing.write(before)
  let id: string | undefined
  while (id === undefined) id = jsonOf<{ uploads: Status[] }>(await its.ask('GET', '/qas/uploads')).uploads[0]?.id
  using waiting = await Conversation.open(stopping.port)
  // With the response to the first, the second has been read as well.
  await waiting.send(
    Buffer.concat([bareRequest('GET', '/healthz'), bareRequest('GET', `/qas/uploads/${id}`, ['Prefer: wait=60'])]),
  )
  await waiting.answered(1)
  stopping.kill('SIGTERM')
  assert.equal((await waiting.answered(2)).final[1]?.status, 200)
  outgoing.destroy()
})
