// Tests of a full disk: what does not fit is refused with an error record, nothing of it is kept, and deleting makes
// room.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, open, rm, statfs, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyOf, Client, contentType, refusalOf, type UploadResponse } from '../support/client.ts'
import { begin, create, offsetOf, patch, textOf, tusBytes } from '../support/resumable.ts'
import { RunningService } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'
import { mountDisk } from './faults.ts'

const mebibyte = 1_048_576

/** Space that the service leaves free, and a little more than that. */
const diskBytes = 96 * mebibyte

/** A small separate disk for one test; null if it cannot be mounted here. */
async function smallDisk(t: TestContext, type?: 'ext4'): Promise<string | null> {
  const disk = await mountDisk(diskBytes, type)
  if (disk === null) return null
  t.after(() => disk[Symbol.asyncDispose]())
  return disk.path
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir)
  return bavail * bsize
}

const noMount = 'mounting a small file system takes root on Linux'
const large = csvText('id,name', 400_000, (i) => `${i},name ${(i * 7_919) % 1_000_003} and more`)

test('an upload that does not fit is refused with 507 before its body is requested', async (t) => {
  const dataDir = await smallDisk(t)
  if (dataDir === null) return t.skip(noMount)
  await using service = await RunningService.start(dataDir)
  const client = new Client(service.url)
  const declared = 60 * mebibyte
  const head = [
    'POST /qas/uploadCsv HTTP/1.1',
    'Host: localhost',
    `Content-Type: ${contentType}`,
    `Content-Length: ${declared}`,
    'Expect: 100-continue',
  ]
  const said = await firstWords(service.port, `${head.join('\r\n')}\r\n\r\n`)
  assert.match(said, /^HTTP\/1\.1 507 /)
  assert.equal((await client.upload('a,b\n1,2\n')).records.accepted, 1)
})

test('an upload that fills the disk is refused with 507, keeps nothing, and frees its space', async (t) => {
  const dataDir = await smallDisk(t)
  if (dataDir === null) return t.skip(noMount)
  const filler = join(dataDir, 'filler')
  const body = bodyOf({ content: large })
  for (const left of [12, 4].map((mebibytes) => mebibytes * mebibyte)) {
    // The service starts while there is room, so it admits the upload. Then the disk is filled except for these bytes.
    await using service = await RunningService.start(dataDir, ['--segment-size', '1MB'])
    const client = new Client(service.url)
    await writeFile(filler, Buffer.alloc((await freeBytes(dataDir)) - left))
    const { message, status } = refusalOf(await client.ask('POST', '/qas/uploadCsv', body))
    assert.equal(status, 507)
    assert.match(message, /not enough space left in the data directory$/)
    await until('nothing unfinished is left', () => service.incoming().length === 0)
    assert.deepEqual(service.datasetDirs(), [])
    await rm(filler)
    await uploadsAgain(client)
    for (const id of await client.datasetIds()) await client.ask('DELETE', `/qas/datasets/${id}`)
  }
})

test('bytes that a full disk has kept from being stored are neither read nor in the dataset', async (t) => {
  const dataDir = await smallDisk(t)
  if (dataDir === null) return t.skip(noMount)
  await using service = await RunningService.start(dataDir)
  const client = new Client(service.url)
  const rows = 400_000
  const [lost, sent] = ['lost', 'sent'].map((word) =>
    Buffer.from(csvText('id,name', rows, (i) => `${String(i).padStart(6, '0')},${i < 1_000 ? 'both' : word}`)),
  ) as [Buffer, Buffer]
  const path = await create(client, sent.length)
  assert.equal((await patch(client, path, 0, sent.subarray(0, 9_000))).status, 204)
  const headers = { ...tusBytes, 'upload-offset': 9_000, 'content-length': lost.length - 9_000 }
  const socket = await begin(service.url, 'PATCH', path, headers, lost.subarray(9_000, 3_000_000))
  const recordsSoFar = async () => JSON.parse((await client.get(path)).toString()).records?.total ?? 0
  await until('some of them have been read', async () => (await recordsSoFar()) > 1_000)
  const filler = join(dataDir, 'filler')
  // The service may take the last bytes first.
  await writeFile(filler, Buffer.alloc(await freeBytes(dataDir))).catch(() => {})
  socket.write(lost.subarray(3_000_000))
  const refused = await textOf(socket)
  assert.match(refused, /^HTTP\/1\.1 507 [\s\S]*DiskFullException/)
  assert.doesNotMatch(refused, /kept/)
  await rm(filler)
  assert.equal(await offsetOf(client, path), 9_000)
  // The free space is measured again after the first refusal.
  let last = await patch(client, path, 9_000, sent.subarray(9_000))
  await until('there is room again', async () => {
    if (last.status === 507) last = await patch(client, path, 9_000, sent.subarray(9_000))
    return last.status !== 507
  })
  assert.equal(last.status, 204, last.body.toString())
  const link = last.headers['content-location']!
  const { file, records } = JSON.parse((await client.get(link)).toString())
  assert.deepEqual([file.sha256, records.accepted], [createHash('sha256').update(sent).digest('hex'), rows])
  assert.ok((await client.get(`${link}/original`)).equals(sent))
  assert.doesNotMatch((await client.get(`${link}/data.csv`)).toString(), /lost/)
})

test('an upload of undeclared length that fills the disk is refused, and deleting makes room', async (t) => {
  const dataDir = await smallDisk(t)
  if (dataDir === null) return t.skip(noMount)
  await using service = await RunningService.start(dataDir, ['--segment-size', '1MB'])
  const client = new Client(service.url)
  const kept: UploadResponse[] = []
  let status = 200
  for (let i = 0; status === 200; i++) {
    assert.ok(i < 20, 'the disk does not fill')
    const answer = await client.askInChunks('/qas/uploadCsv', bodyOf({ content: `${large}${i},last\n` }))
    status = answer.status
    if (status === 200) kept.push(JSON.parse(answer.body.toString()))
    else assert.equal(refusalOf(answer).status, 507)
  }
  assert.ok(kept.length > 0)
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  assert.deepEqual((await client.datasetIds()).toSorted(), kept.map(({ id }) => id).toSorted())
  for (const receipt of kept) assert.equal((await client.get(receipt.links.original)).length, receipt.file.bytes)
  for (const { links } of kept) assert.equal((await client.ask('DELETE', links.self)).status, 204)
  await uploadsAgain(client)
})

test('a service is not ready while the free space suffices for no upload', async (t) => {
  const dataDir = await smallDisk(t)
  if (dataDir === null) return t.skip(noMount)
  await using service = await RunningService.start(dataDir)
  const client = new Client(service.url)
  const filler = join(dataDir, 'filler')
  for (const left of [63, 4].map((mebibytes) => mebibytes * mebibyte)) {
    await rm(filler, { force: true })
    await writeFile(filler, Buffer.alloc((await freeBytes(dataDir)) - left))
    const refused = refusalOf(await client.ask('GET', '/readyz'))
    assert.deepEqual([refused.status, refused.exception], [507, 'csvupload.DiskFullException'])
    assert.equal((await client.askInChunks('/qas/uploadCsv', bodyOf({ content: 'a,b\n1,2\n' }))).status, 507)
  }
  await rm(filler)
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  await client.upload('a,b\n1,2\n')
})

test('a service that stopped on a full disk starts again, serves and deletes, and still knows its keys', async (t) => {
  const disk = await smallDisk(t, 'ext4')
  if (disk === null) return t.skip(noMount)
  const dataDir = join(disk, 'data')
  await mkdir(dataDir)
  const withKey = (client: Client) =>
    client.ask('POST', '/qas/uploadCsv', bodyOf({ content: 'a,b\n1,2\n' }), { 'idempotency-key': 'one' })
  const started = async (use: (client: Client) => Promise<void>) => {
    await using service = await RunningService.start(dataDir)
    await use(new Client(service.url))
    service.kill('SIGTERM')
    await service.ended
  }
  await started(async (client) => {
    for (const content of ['a,b\n3,4\n', 'a,b\n5,6\n']) await client.upload(content)
    assert.equal((await withKey(client)).status, 200)
  })
  // Twice: the first start may use space that the last stop has freed.
  for (const remaining of [2, 1]) {
    await fill(disk)
    await started(async (client) => {
      await fill(disk)
      assert.equal((await client.ask('GET', '/readyz')).status, 507)
      const ids = await client.datasetIds()
      assert.equal(ids.length, remaining + 1)
      for (const id of ids) assert.equal((await client.get(`/qas/datasets/${id}/data.csv`)).length, 8)
      assert.equal((await client.ask('DELETE', `/qas/datasets/${ids.at(-1)}`)).status, 204)
      assert.deepEqual(await client.datasetIds(), ids.slice(0, -1))
    })
  }
  await rm(join(disk, 'filler'))
  await started(async (client) => {
    assert.equal((await client.datasetIds()).length, 1)
    assert.equal((await withKey(client)).headers['idempotent-replayed'], 'true')
  })
})

/** Leaves no byte free: the last pieces are those of a single block. */
async function fill(disk: string): Promise<void> {
  await using filler = await open(join(disk, 'filler'), 'a')
  for (const bytes of [mebibyte, 4096, 1024]) {
    const piece = Buffer.alloc(bytes)
    // A short write fails with the next one.
    for (let isFull = false; !isFull; ) await filler.appendFile(piece).catch(() => (isFull = true))
  }
  await filler.sync().catch(() => {})
  assert.equal(await freeBytes(disk), 0)
}

/** Retries, since free space is measured about once a second, and the first upload may still be refused. */
async function uploadsAgain(client: Client): Promise<void> {
  await until('uploads work again', async () => {
    const { status } = await client.send({ content: large })
    assert.ok([200, 507].includes(status), String(status))
    return status === 200
  })
}

/** The response to these bytes on a new connection, up to the end of its head. */
async function firstWords(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(head)
  let said = ''
  for await (const chunk of socket) {
    said += String(chunk)
    if (said.includes('\r\n\r\n')) break
  }
  return said
}
