// Tests of Idempotency-Key: the same request sent again gets the same response, even after a crash.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, test } from 'node:test'
import type { uploadStatusJson } from '../../src/http/exchange/upload-json.ts'
import { bodyOf, Client, contentType, jsonOf, refusalOf } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

const body = bodyOf({ content: 'a,b\n1,2\n' })
const send = (client: Client, key: string, content = body) =>
  client.ask('POST', '/qas/uploadCsv', content, { 'idempotency-key': key })

test('the same request gets the same response, byte for byte, even after kill -9; another is refused', async () => {
  let service = await RunningService.start(scratch.path)
  let client = new Client(service.url)
  const first = await send(client, '"one"')
  assert.deepEqual([first.status, first.headers['idempotent-replayed']], [200, undefined])
  const again = await send(client, 'one')
  assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, 'true'])
  assert.equal(again.body.toString(), first.body.toString())
  const found = jsonOf<{ uploads: readonly { id: string }[] }>(
    await client.ask('GET', '/qas/uploads?idempotencyKey=one'),
  )
  const receipt = jsonOf<{ id: string; upload: { id: string }; links: { self: string } }>(first)
  assert.deepEqual(
    found.uploads.map(({ id }) => id),
    [receipt.upload.id],
  )

  await service[Symbol.asyncDispose]()
  service = await RunningService.start(scratch.path)
  client = new Client(service.url)
  assert.equal((await send(client, 'one')).body.toString(), first.body.toString())
  for (const other of [
    bodyOf({ content: 'a,b\n1,3\n' }),
    bodyOf({ content: 'a,b\n1,2\n', fileName: 'other.csv' }),
    bodyOf({ content: 'a,b\n1,2\n', dialect: { header: false } }),
  ]) {
    const refused = await send(client, 'one', other)
    assert.deepEqual([refused.status, refusalOf(refused).exception], [422, 'csvupload.IdempotencyKeyReusedException'])
  }
  assert.equal((await client.datasetIds()).length, 1)
  // Another key means another upload, of the same dataset.
  assert.equal(jsonOf<{ duplicate: boolean }>(await send(client, 'two')).duplicate, true)
  // The response must not claim that a deleted dataset exists.
  assert.equal((await client.ask('DELETE', receipt.links.self)).status, 204)
  const anew = jsonOf<typeof receipt & { duplicate: boolean }>(await send(client, 'one'))
  assert.deepEqual([anew.id, anew.duplicate], [receipt.id, false])
  assert.notEqual(anew.upload.id, receipt.upload.id)
  await service[Symbol.asyncDispose]()
})

test('a key whose request is in progress gets 409; that of a failed request is free again', async () => {
  await using service = await RunningService.start(scratch.path)
  const client = new Client(service.url)
  const headers = { 'content-type': contentType, 'idempotency-key': 'busy', expect: '100-continue' }
  const slow = request(new URL('/qas/uploadCsv', service.url), { method: 'POST', agent: false, headers })
  slow.on('error', () => {})
  await new Promise((resolve) => {
    slow.on('continue', resolve)
    slow.flushHeaders()
  })
  // The rules of the specification come first, with and without Prefer, and so does a key that is none.
  const absent = Buffer.from(body.toString().replace('name="file"', 'name="other"'))
  const refused = []
  for (const key of ['busy', '""']) {
    for (const prefer of [{}, { prefer: 'respond-async' }]) {
      const given = { 'idempotency-key': key, ...prefer }
      const noBoundary = { ...given, 'content-type': 'multipart/form-data' }
      const answers = [
        await client.ask('POST', '/qas/uploadCsv', body, noBoundary),
        await client.ask('POST', '/qas/uploadCsv', absent, given),
        await client.ask('POST', '/qas/uploadCsv', body, given),
      ]
      refused.push([key, ...answers.map(({ status }) => status)].join(' '))
    }
  }
  assert.deepEqual(refused, ['busy 500 400 409', 'busy 500 400 409', '"" 500 400 400', '"" 500 400 400'])
  const busy = await send(client, 'busy')
  assert.deepEqual([busy.status, refusalOf(busy).exception], [409, 'csvupload.IdempotencyKeyInUseException'])
  assert.ok(Number(busy.headers['retry-after']) > 0)
  slow.destroy()
  // As soon as the service has noticed.
  let answer = await send(client, 'busy')
  while (answer.status === 409) answer = await send(client, 'busy')
  assert.equal(answer.status, 200)

  const bad = bodyOf({ content: 'PK\u0003\u0004zip' })
  assert.equal((await send(client, 'bad', bad)).status, 422)
  assert.equal((await send(client, 'bad')).status, 200)
  const invalid = await send(client, '""')
  assert.deepEqual([invalid.status, refusalOf(invalid).exception], [400, 'csvupload.BadRequestException'])
  type Status = ReturnType<typeof uploadStatusJson>
  const [newest] = jsonOf<{ uploads: readonly Status[] }>(await client.ask('GET', '/qas/uploads')).uploads
  assert.equal(newest?.idempotencyKey, 'bad')
})
