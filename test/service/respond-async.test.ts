// Tests of Prefer: respond-async: 202 once the bytes are durable, however they are sent; the status shows the outcome.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import type { uploadStatusJson } from '../../src/http/exchange/upload-json.ts'
import { type Answer, bodyOf, Client, contentType, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { begin, create, patch, textOf, tusBytes } from '../support/resumable.ts'
import { RunningService } from '../support/running-service.ts'
import { ownService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const { service, client } = await ownService()
const dir = dirname(service.dataDir)
const unfinished = () => readdirSync(join(service.dataDir, 'uploads'))
const later = { prefer: 'respond-async' } as const
const content = Buffer.from('id,name\n1,Anna\n2,Bo\n3\n')
const plain = await client.upload(content)

type Status = ReturnType<typeof uploadStatusJson>

/** Checks a 202; returns its upload when it has ended. */
async function endOf(answer: Answer): Promise<Status> {
  assert.equal(answer.status, 202, answer.body.toString())
  assert.equal(answer.headers['preference-applied'], 'respond-async')
  return await ended(answer.headers.location!)
}

async function ended(path: string): Promise<Status> {
  assert.match(path, /^\/qas\/uploads\/[0-9a-f-]{36}$/)
  return jsonOf<Status>(await client.ask('GET', path, undefined, { prefer: 'wait=30' }))
}

test('a coded form is refused, after one without boundary', async () => {
  const coded = { ...later, 'content-encoding': 'gzip' }
  assert.equal(refusalOf(await client.ask('POST', '/qas/uploadCsv', bodyOf({ content }), coded)).status, 415)
  const unbound = { ...coded, 'content-type': 'multipart/form-data' }
  const answer = await client.ask('POST', '/qas/uploadCsv', bodyOf({ content }), unbound)
  assert.equal(refusalOf(answer).exception, 'java.lang.NullPointerException')
  assert.deepEqual(unfinished(), [])
})

test('every way of sending gets 202, and gives the same dataset as otherwise', async () => {
  const form = bodyOf({ content })
  const posted = await client.ask('POST', '/qas/uploadCsv', form, later)
  assert.equal(posted.body.length, 0)
  const done = await endOf(posted)
  assert.deepEqual([done.links.self, done.phase], [posted.headers.location, 'done'])
  assert.equal(done.links.receipt, plain.links.self)
  assert.deepEqual([done.fileName, done.outcome, done.bytes.received], ['sample.csv', 'duplicate', form.length])

  const file = { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="raw.csv"' }
  const raw = await endOf(await client.ask('POST', '/qas/uploads', content, { ...file, ...later }))
  assert.deepEqual([raw.datasetId, raw.fileName], [plain.id, 'raw.csv'])
  const asForm = await endOf(await client.ask('POST', '/qas/uploads', form, later))
  assert.equal(asForm.datasetId, plain.id)

  const tusPath = await create(client, content.length)
  assert.equal((await patch(client, tusPath, 0, content.subarray(0, 5), later)).status, 204)
  assert.equal((await endOf(await patch(client, tusPath, 5, content.subarray(5), later))).datasetId, plain.id)
  const whole = { ...tusBytes, 'upload-length': String(content.length), ...later }
  assert.equal((await endOf(await client.ask('POST', '/qas/uploads', content, whole))).datasetId, plain.id)
  await until('nothing else is left', () => unfinished().length === 0)
  assert.deepEqual(await client.datasetIds(), [plain.id])
})

test('errors found later show in the status; errors of the request get a response immediately', async () => {
  const broken = bodyOf({ content: 'a,b\n1,2\n', schema: { fields: [{ name: 'nobody' }] } })
  // Found while the body is read, which may be before or after the 202 is sent.
  for (const [status, type, body] of [
    [422, contentType, broken],
    [400, 'multipart/form-data; boundary=x', content],
  ] as const) {
    const posted = await client.ask('POST', '/qas/uploadCsv', body, { 'content-type': type, ...later })
    if (posted.status === 202) {
      const { phase, error } = await endOf(posted)
      assert.deepEqual([phase, error?.status], ['failed', status])
    } else assert.equal(posted.status, status)
    await until('nothing of it is left', () => unfinished().length === 0)
  }

  for (const [status, path, headers, body] of [
    [415, '/qas/uploadCsv', { 'content-type': 'text/csv' }, content],
    [400, '/qas/uploads', { 'content-type': 'multipart/form-data' }, content],
    [400, '/qas/uploadCsv', { 'idempotency-key': '""' }, bodyOf({ content })],
    [415, '/qas/uploadCsv', { 'content-encoding': 'gzip' }, bodyOf({ content })],
    [400, '/qas/uploads', { 'content-type': 'text/csv' }, Buffer.alloc(0)],
  ] as const) {
    const refused = await client.ask('POST', path, body, { ...headers, ...later })
    assert.equal(refused.status, status, `${path} ${JSON.stringify(headers)} ${refused.body}`)
    assert.equal(refusalOf(refused).status, status)
  }
  await until('nothing of them is left', () => unfinished().length === 0)
})

test('a client that disconnects before its last byte leaves nothing', async () => {
  const form = bodyOf({ content: `a,b\n${'1,2\n'.repeat(100_000)}` })
  const headers = { 'content-type': contentType, 'content-length': form.length, ...later }
  const socket = await begin(service.url, 'POST', '/qas/uploadCsv', headers, form.subarray(0, 200_000))
  await until('it has begun', () => unfinished().length === 1)
  const [id] = unfinished()
  socket.destroy()
  await until('nothing of it is left', () => unfinished().length === 0 && service.drafts().length === 0)
  const { phase, error } = await ended(`/qas/uploads/${id}`)
  assert.equal(phase, 'failed')
  assert.match(error?.message ?? '', /connection was (closed|lost) before/)
})

test('without the preference the response is the receipt; with a wait, whichever is first', async () => {
  const framing = bodyOf({ content })
  const patient = { prefer: 'respond-async, wait=30' }
  const answer = await client.ask('POST', '/qas/uploadCsv', framing, patient)
  assert.deepEqual([answer.status, jsonOf<UploadResponse>(answer).id], [200, plain.id])
  assert.deepEqual([answer.headers.location, answer.headers['preference-applied']], [undefined, undefined])
  const other = await client.ask('POST', '/qas/uploadCsv', framing, { prefer: 'return=minimal, handling=lenient' })
  assert.equal(other.status, 200)
  // A client that does not resume gets no interim response.
  const sent = { 'content-type': contentType, 'content-length': framing.length, connection: 'close', ...later }
  const text = await textOf(await begin(service.url, 'POST', '/qas/uploadCsv', sent, framing))
  assert.match(text, /^HTTP\/1\.1 202 Accepted\r\n/)
})

test('an Idempotency-Key applies to all ways of sending, and returns the receipt once it exists', async () => {
  const form = bodyOf({ content })
  const named = (key: string) => ({ 'idempotency-key': key, ...later })
  const first = await endOf(await client.ask('POST', '/qas/uploadCsv', form, named('async')))
  assert.equal(first.idempotencyKey, 'async')
  for (const headers of [named('async'), { 'idempotency-key': 'async' }]) {
    const again = await client.ask('POST', '/qas/uploadCsv', form, headers)
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'], again.body.toString())
    assert.equal(jsonOf<UploadResponse>(again).upload.id, first.id)
  }
  const raw = { 'content-type': 'text/csv', 'content-disposition': 'inline; filename="sample.csv"' }
  const byFile = await client.ask('POST', '/qas/uploads', content, { ...raw, ...named('async') })
  assert.deepEqual([byFile.status, jsonOf<UploadResponse>(byFile).upload.id], [200, first.id])
  const other = await client.ask('POST', '/qas/uploadCsv', bodyOf({ content: 'a\n1\n' }), named('async'))
  assert.deepEqual([other.status, refusalOf(other).exception], [422, 'csvupload.IdempotencyKeyReusedException'])

  const metadata = { ...tusBytes, 'content-length': 0, 'idempotency-key': 'tus' }
  const begun = { ...metadata, 'upload-length': content.length, 'upload-metadata': 'filename c2FtcGxlLmNzdg==' }
  const created = await client.ask('POST', '/qas/uploads', undefined, begun)
  assert.equal(created.status, 201)
  const busy = await client.ask('POST', '/qas/uploads', undefined, begun)
  assert.deepEqual([busy.status, refusalOf(busy).exception], [409, 'csvupload.IdempotencyKeyInUseException'])
  const found = jsonOf<{ uploads: readonly Status[] }>(await client.ask('GET', '/qas/uploads?idempotencyKey=tus'))
  assert.deepEqual(
    found.uploads.map(({ links }) => links.self),
    [created.headers.location],
  )
  assert.equal((await patch(client, created.headers.location!, 0, content)).status, 204)
  const again = await client.ask('POST', '/qas/uploads', undefined, begun)
  assert.equal(again.status, 201)
  const last = await patch(client, again.headers.location!, 0, content)
  assert.deepEqual([last.headers['idempotent-replayed'], last.headers['content-location']], ['true', plain.links.self])
  const wrong = await client.ask('POST', '/qas/uploads', undefined, begun)
  assert.equal((await patch(client, wrong.headers.location!, 0, content.toString().replace('Bo', 'Al'))).status, 422)
  // A cancelled upload has no response.
  const dropped = { ...begun, 'idempotency-key': 'dropped' }
  const one = await client.ask('POST', '/qas/uploads', undefined, dropped)
  assert.equal((await client.ask('DELETE', one.headers.location!)).status, 204)
  assert.equal((await client.ask('POST', '/qas/uploads', undefined, dropped)).status, 201)
})

test('a quota applies before the 202 if possible, and always when the dataset is published', async () => {
  await using small = await RunningService.start(join(dir, 'small'), ['--quota-datasets', '3'])
  const from = new Client(small.url)
  const sent = Array.from({ length: 8 }, (_, i) => bodyOf({ content: `a,b\n${'1,2\n'.repeat(20_000)}${i},3\n` }))
  const answers = await Promise.all(sent.map((form) => from.ask('POST', '/qas/uploadCsv', form, later)))
  const ends = await Promise.all(
    answers.map(async ({ status, headers, body }) => {
      if (status !== 202) return refusalOf({ status, headers, body }).status
      const { phase, error } = jsonOf<Status>(
        await from.ask('GET', headers.location!, undefined, { prefer: 'wait=30' }),
      )
      return phase === 'done' ? 'done' : error?.status
    }),
  )
  assert.deepEqual(ends.toSorted(), [
    ...Array.from({ length: 5 }, () => 507),
    ...Array.from({ length: 3 }, () => 'done'),
  ])
  assert.equal((await from.datasetIds()).length, 3)
  assert.equal((await from.ask('POST', '/qas/uploadCsv', bodyOf({ content }), later)).status, 507)
})

test('an accepted upload belongs to its owner, who needs the right to send it', async () => {
  const [anna, bob, reader] = (['anna', 'bob', 'reader'] as const).map((name) =>
    newKey({ name, owner: name === 'bob' ? 'bob' : 'anna', scopes: name === 'reader' ? ['read'] : scopes }),
  )
  const file = join(dir, 'keys.json')
  await writeFile(file, formatKeys([anna!.key, bob!.key, reader!.key]))
  await using locked = await RunningService.start(join(dir, 'locked'), ['--keys', file])
  const as = ({ secret }: { readonly secret: string }) => new Client(locked.url, { authorization: `Bearer ${secret}` })
  const form = bodyOf({ content })
  assert.equal((await as(reader!).ask('POST', '/qas/uploadCsv', form, later)).status, 403)
  const sent = await as(anna!).ask('POST', '/qas/uploadCsv', form, { ...later, 'idempotency-key': 'k' })
  assert.equal(sent.status, 202)
  const path = sent.headers.location!
  assert.equal((await as(bob!).ask('GET', path)).status, 404)
  const { datasetId } = jsonOf<Status>(await as(reader!).ask('GET', path, undefined, { prefer: 'wait=30' }))
  assert.deepEqual(await as(anna!).datasetIds(), [datasetId])
  assert.deepEqual(await as(bob!).datasetIds(), [])
  // Keys belong to their owner.
  const other = await as(bob!).ask('POST', '/qas/uploadCsv', form, { 'idempotency-key': 'k' })
  assert.deepEqual([other.status, other.headers['idempotent-replayed']], [200, undefined])
})
