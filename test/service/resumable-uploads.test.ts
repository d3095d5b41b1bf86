// Tests of resumable uploads: breaks at every byte, two clients, wrong offsets and lengths, checksums, cancelling,
// expiry.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bodyOf, contentType, jsonOf, refusalOf, type UploadResponse, uploadFraming } from '../support/client.ts'
import { begin, create, offsetOf, patch, textOf, tus, tusBytes } from '../support/resumable.ts'
import { ownService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const { service, client } = await ownService(['--body-idle-time', '5s'])
const unfinished = () => readdirSync(join(service.dataDir, 'uploads'))
const content = Buffer.from('id,name\n1,Anna\n2,"Bo ""b"""\n3\n')
const plain = await client.upload(content)

async function statusOf(path: string) {
  return JSON.parse((await client.get(path)).toString())
}

test('a file sent in parts gives the same dataset as in one piece; its spool becomes the original', async () => {
  const other = Buffer.concat([content, Buffer.from('4,Dora\n')])
  const path = await create(client, other.length, { filename: 'parts.csv', filetype: 'text/csv' })
  assert.equal((await patch(client, path, 0, other.subarray(0, 11))).headers['upload-offset'], '11')
  const spool = statSync(join(service.dataDir, 'uploads', path.split('/').at(-1)!, 'bytes'))
  const last = await patch(client, path, 11, other.subarray(11))
  assert.equal(last.status, 204, last.body.toString())
  const link = last.headers['content-location']!
  const receipt = JSON.parse((await client.get(link)).toString())
  assert.deepEqual([receipt.file.name, receipt.file.contentType, receipt.file.bytes], ['parts.csv', 'text/csv', 37])
  const original = statSync(join(service.dataDir, 'datasets', receipt.id, 'original'))
  assert.equal(original.ino, spool.ino)
  await until(
    'the spool is gone',
    () => statSync(join(service.dataDir, 'datasets', receipt.id, 'original')).nlink === 1,
  )
  assert.deepEqual(unfinished(), [])
  assert.ok((await client.get(`${link}/original`)).equals(other))
  const status = await statusOf(path)
  assert.deepEqual([status.phase, status.datasetId, status.bytes.received], ['done', receipt.id, 37])
  const again = await client.ask('HEAD', path, undefined, tus)
  assert.deepEqual([again.status, again.headers['upload-offset'], again.headers['content-location']], [200, '37', link])
  assert.equal((await client.upload(other)).id, receipt.id)
})

test('POST takes the file itself, of any type, and a form', async () => {
  const named = { 'content-disposition': 'attachment; filename="raw.csv"' }
  for (const type of ['text/csv', 'application/octet-stream', 'application/x-www-form-urlencoded', '']) {
    const headers = { ...named, 'content-type': type }
    const receipt = jsonOf<UploadResponse>(await client.ask('POST', '/qas/uploads', content, headers))
    assert.deepEqual([receipt.id, receipt.upload.fileName], [plain.id, 'raw.csv'], type)
  }
  const form = jsonOf<UploadResponse>(await client.ask('POST', '/qas/uploads', bodyOf({ content })))
  assert.deepEqual([form.id, form.upload.fileName], [plain.id, 'sample.csv'])
  const partial = { 'content-type': 'text/csv', 'content-range': `bytes 0-${content.length - 1}/1000` }
  assert.equal((await client.ask('POST', '/qas/uploads', content, partial)).status, 400)
  const unbounded = await client.ask('POST', '/qas/uploads', content, { 'content-type': 'multipart/form-data' })
  const fields = ['timestamp', 'status', 'error', 'exception', 'message', 'path']
  assert.deepEqual([unbounded.status, Object.keys(jsonOf<object>(unbounded))], [400, fields])
  const empty = await client.ask('POST', '/qas/uploads', undefined, { 'content-length': 0 })
  assert.match(refusalOf(empty).message, /it is empty/)
  const refused = await client.ask('POST', '/qas/uploadCsv', content, { 'content-type': 'text/csv' })
  assert.match(
    String(refused.headers.link),
    /rel="help"; title="send a plain file as the body of POST \/qas\/uploads"$/,
  )
  assert.equal(refusalOf(refused).message, "Content type 'text/csv' not supported")
})

test('tus: a connection that breaks at any byte loses none before it', async () => {
  for (let at = 1; at < content.length; at += 1) {
    const path = await create(client, content.length)
    const headers = { ...tusBytes, 'upload-offset': 0, 'content-length': content.length }
    const socket = await begin(service.url, 'PATCH', path, headers, content.subarray(0, at))
    socket.end()
    await textOf(socket)
    assert.equal(await offsetOf(client, path), at)
    const last = await patch(client, path, at, content.subarray(at))
    assert.equal(last.headers['content-location'], plain.links.self, `broken at ${at}: ${last.status} ${last.body}`)
  }
})

test('an upload whose last byte has arrived is complete, even if its connection breaks before the body ends', async () => {
  const path = await create(client, content.length)
  const headers = { ...tusBytes, 'upload-offset': 0, 'transfer-encoding': 'chunked' }
  const chunk = Buffer.from(`${content.length.toString(16)}\r\n${content}\r\n`)
  const socket = await begin(service.url, 'PATCH', path, headers, chunk)
  while ((await statusOf(path)).bytes.received < content.length);
  socket.destroy()
  assert.equal(await offsetOf(client, path), content.length)
  const ended = await client.ask('GET', path, undefined, { prefer: 'wait=20' })
  assert.equal(jsonOf<{ datasetId: string }>(ended).datasetId, plain.id)
})

test('headers of the IETF draft are ignored like any unknown header', async () => {
  const framing = uploadFraming({ fileName: 'sample.csv' })
  const form = Buffer.concat([Buffer.from(framing.before), content, Buffer.from(framing.behind)])
  const draft = { 'upload-draft-interop-version': '8', 'upload-length': '7', 'upload-offset': '3' }
  for (const complete of ['?0', '?1']) {
    const headers = { ...draft, 'upload-complete': complete, 'upload-incomplete': complete }
    const lines = { 'content-type': contentType, 'content-length': form.length, connection: 'close', ...headers }
    const answer = await textOf(await begin(service.url, 'POST', '/qas/uploadCsv', lines, form))
    // No interim response comes first, and no header names an upload.
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.doesNotMatch(answer, /\r\n(upload-|location)/i)
    assert.match(answer, new RegExp(`"id":"${plain.id}"`))
    assert.equal(
      (await client.ask('POST', '/qas/uploads', content, { 'content-type': 'text/csv', ...headers })).status,
      400,
    )
  }
  const path = await create(client, content.length)
  const headers = { 'content-type': 'application/partial-upload', 'upload-offset': '0', 'upload-complete': '?1' }
  assert.equal((await client.ask('PATCH', path, content, headers)).status, 400)
  assert.equal((await patch(client, path, 0, content)).headers['content-location'], plain.links.self)
  await until('nothing else is left', () => unfinished().length === 0)
})

test('HEAD without tus is that of the status, and leaves the request that adds bytes alone', async () => {
  const path = await create(client, content.length)
  const headers = { ...tusBytes, 'upload-offset': 0, 'content-length': content.length }
  const socket = await begin(service.url, 'PATCH', path, headers, content.subarray(0, 10))
  while ((await statusOf(path)).bytes.received < 10);
  const { status, headers: shown, body } = await client.ask('HEAD', path)
  assert.deepEqual([status, shown['upload-offset'], body.length], [200, undefined, 0])
  assert.match(shown.etag ?? '', /^"\w+"$/)
  socket.write(content.subarray(10))
  assert.match(await textOf(socket, '\r\n\r\n'), /^HTTP\/1\.1 204 /)
  socket.destroy()
})

test('of two clients, the later one takes over the upload, and the other is refused', async () => {
  const path = await create(client, content.length)
  const headers = { ...tusBytes, 'upload-offset': 0, 'content-length': content.length }
  const first = await begin(service.url, 'PATCH', path, headers, content.subarray(0, 10))
  const received = textOf(first)
  // The bytes of the first have arrived, and it stalls.
  while ((await statusOf(path)).bytes.received < 10);
  assert.equal(await offsetOf(client, path), 10)
  assert.match(await received, /^HTTP\/1\.1 400 [\s\S]*UploadTakenOverException/)
  const last = await patch(client, path, 10, content.subarray(10))
  assert.equal(last.headers['content-location'], plain.links.self)
})

test('a wrong offset is refused with the right one, and changes nothing', async () => {
  const path = await create(client, content.length)
  await patch(client, path, 0, content.subarray(0, 5))
  for (const offset of [0, 4, 6, 1_000_000]) {
    const answer = await patch(client, path, offset, 'xx')
    assert.deepEqual([answer.status, answer.headers['upload-offset']], [409, '5'])
    assert.match(refusalOf(answer).message, new RegExp(`start at offset ${offset}, expected 5$`))
  }
  for (const offset of ['-1', '', '5x', '1e1'])
    assert.equal((await patch(client, path, 0, 'x', { 'upload-offset': offset })).status, 400)
  const last = await patch(client, path, 5, content.subarray(5))
  assert.equal(last.headers['content-location'], plain.links.self)
})

test('a length that changes, or is not met, is refused', async () => {
  const path = await create(client, content.length)
  assert.equal((await patch(client, path, 0, Buffer.concat([content, Buffer.from('x')]))).status, 400)
  assert.equal((await patch(client, path, 0, 'id', { 'upload-length': '12' })).status, 400)
  assert.equal(await offsetOf(client, path), 0)
  // A chunked body does not announce its length: some of its bytes have been read before one is too many.
  await patch(client, path, 0, content.subarray(0, 9))
  const headers = { ...tusBytes, 'upload-offset': 9, 'transfer-encoding': 'chunked', connection: 'close' }
  const chunk = (bytes: Uint8Array) => Buffer.from(`${bytes.length.toString(16)}\r\n${bytes}\r\n`)
  const wrong = Buffer.alloc(content.length - 9, '"')
  const socket = await begin(service.url, 'PATCH', path, headers, chunk(wrong))
  await until('they are read', async () => (await statusOf(path)).bytes.received === content.length)
  socket.write(Buffer.concat([chunk(content), Buffer.from('0\r\n\r\n')]))
  assert.match(await textOf(socket), /^HTTP\/1\.1 400 [\s\S]*UploadLengthMismatchException/)
  assert.equal(await offsetOf(client, path), 9)
  assert.equal((await statusOf(path)).bytes.received, 9)
  const rest = await patch(client, path, 9, content.subarray(9))
  assert.equal(rest.headers['content-location'], plain.links.self)

  const deferred = await create(client, null)
  assert.equal((await client.ask('HEAD', deferred, undefined, tus)).headers['upload-defer-length'], '1')
  await patch(client, deferred, 0, content.subarray(0, 20))
  const last = await patch(client, deferred, 20, content.subarray(20), { 'upload-length': String(content.length) })
  assert.equal(last.headers['content-location'], plain.links.self)
})

test('bytes with a wrong checksum do not count, whatever the algorithm', async () => {
  const path = await create(client, content.length)
  const sumOf = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest('base64')
  const half = content.subarray(0, 15)
  for (const algorithm of ['sha1', 'sha256', 'sha-256', 'sha512', 'md5']) {
    const wrong = sumOf(algorithm.replace('-', ''), content)
    const answer = await patch(client, path, 0, half, { 'upload-checksum': `${algorithm} ${wrong}` })
    assert.deepEqual([answer.status, await offsetOf(client, path)], [460, 0], algorithm)
  }
  assert.equal((await patch(client, path, 0, half, { 'upload-checksum': 'crc32 AAAA' })).status, 400)
  const right = await patch(client, path, 0, half, { 'upload-checksum': `sha256 ${sumOf('sha256', half)}` })
  assert.equal(right.headers['upload-offset'], '15')
  const rest = content.subarray(15)
  const bad = await patch(client, path, 15, rest, { 'upload-checksum': `sha-256 ${sumOf('sha256', half)}` })
  assert.equal(bad.status, 460)
  const good = await patch(client, path, 15, rest, { 'upload-checksum': `sha-256 ${sumOf('sha256', rest)}` })
  assert.equal(good.headers['content-location'], plain.links.self)
})

test('a file that is not CSV is refused while it is sent, and its status says why', async () => {
  const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(2_000_000, 7)])
  const path = await create(client, zip.length)
  const answer = await patch(client, path, 0, zip)
  assert.equal(answer.status, 422, answer.body.toString())
  const status = await statusOf(path)
  assert.deepEqual([status.phase, status.error.status], ['failed', 422])
  await until('nothing of it is left', () => unfinished().length === 0)
  assert.equal((await patch(client, path, 0, zip)).status, 410)
})

test('dialect and schema are checked when an upload is created, and apply to it', async () => {
  const bad = {
    ...tus,
    'upload-length': '9',
    'upload-metadata': `dialect ${Buffer.from('{"delimiter":3}').toString('base64')}`,
  }
  assert.equal((await client.ask('POST', '/qas/uploads', undefined, bad)).status, 400)
  const path = await create(client, 10, { filename: 'semi', dialect: '{"delimiter":";","header":false}' })
  const last = await patch(client, path, 0, 'a;b\nc;d,e\n')
  const receipt = JSON.parse((await client.get(last.headers['content-location']!)).toString())
  assert.deepEqual([receipt.dialect.delimiter, receipt.records.accepted], [';', 2])
})

test('DELETE cancels: the request that adds bytes is refused, and nothing is left', async () => {
  const path = await create(client, content.length)
  const headers = { ...tusBytes, 'upload-offset': 0, 'content-length': content.length }
  const socket = await begin(service.url, 'PATCH', path, headers, content.subarray(0, 10))
  const received = textOf(socket)
  while ((await statusOf(path)).bytes.received < 10);
  const answer = await client.ask('DELETE', path, undefined, tus)
  assert.deepEqual([answer.status, answer.headers['tus-resumable']], [204, '1.0.0'])
  assert.match(await received, /^HTTP\/1\.1 409 [\s\S]*UploadCancelledException/)
  assert.deepEqual(unfinished(), [])
  assert.deepEqual(service.drafts(), [])
  assert.equal((await client.ask('HEAD', path, undefined, tus)).status, 410)
})

test('uploads that cannot be created are refused before any bytes', async () => {
  const ask = async (headers: Readonly<Record<string, string>>) =>
    (await client.ask('POST', '/qas/uploads', undefined, { ...tus, 'content-length': 0, ...headers })).status
  assert.equal(await ask({}), 400)
  assert.equal(await ask({ 'upload-length': '0' }), 400)
  assert.equal(await ask({ 'upload-length': '-1' }), 400)
  assert.equal(await ask({ 'upload-length': '7', 'upload-defer-length': '1' }), 400)
  assert.equal(await ask({ 'upload-length': String(2 ** 40) }), 413)
  assert.equal(await ask({ 'upload-length': '7', 'upload-concat': 'partial' }), 400)
  assert.equal(await ask({ 'upload-length': '7', 'upload-metadata': 'filename ä' }), 400)
  assert.equal(await ask({ 'upload-length': '7', 'tus-resumable': '0.2.2' }), 412)
  assert.equal(
    (
      await client.ask('PATCH', '/qas/uploads/00000000-0000-7000-8000-000000000000', Buffer.from('x'), {
        ...tusBytes,
        'upload-offset': '0',
      })
    ).status,
    404,
  )
  assert.deepEqual(unfinished(), [])
})

test('a client behind a proxy without PATCH can use a header instead', async () => {
  const path = await create(client, content.length)
  const headers = { ...tusBytes, 'upload-offset': '0', 'x-http-method-override': 'PATCH' }
  const answer = await client.ask('POST', path, content, headers)
  assert.equal(answer.headers['content-location'], plain.links.self)
})
