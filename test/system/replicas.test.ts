// Tests of two replicas on one bucket: they share datasets, and an upload in progress belongs to the one that began it.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { bodyOf, Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { begin, create, offsetOf, patch, tus, tusBytes } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, type S3Server, startS3Server } from '../support/s3-server.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { shiftedBy } from '../support/shifted-clock.ts'
import { assertSwept } from '../support/swept-bucket.ts'

const content = Buffer.from(csvText('id,name,value', 400_000, (i) => `${i},name ${i},${i / 8}`))
const bytes = content.length

/** Replicas on their own prefix of a bucket. */
interface Replicas extends AsyncDisposable {
  /** Starts the replica of a directory, also after it was killed. */
  start(
    name: string,
    flags?: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<RunningService>
  /** All keys in the bucket, but for the progress of scrubs. */
  keys(): Promise<readonly string[]>
}

if (noS3Server !== undefined) test('replicas', { skip: noS3Server }, () => {})
else {
  const server = await startS3Server()
  const scratch = await scratchDir()
  after(async () => {
    await server[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  declareTests(scratch.path, () => replicasOn(server, join(scratch.path, randomUUID())))
}

function replicasOn({ endpoint, bucket }: S3Server, dir: string): Replicas {
  const prefix = `${randomUUID()}/`
  const objects = new S3Objects({ endpoint, bucket, prefix, pathStyle: true, region: null })
  const store = ['--store', `s3://${bucket}/${prefix}`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes']
  const started: RunningService[] = []
  return {
    start: async (name, flags = [], environment = {}) => {
      const service = await RunningService.start(join(dir, name), [...store, ...flags], environment)
      started.push(service)
      return service
    },
    keys: async () => {
      const keys = await Array.fromAsync(objects.list(''))
      return keys.filter((key) => !key.startsWith('state/'))
    },
    [Symbol.asyncDispose]: async () => {
      for (const service of started) await service[Symbol.asyncDispose]()
      await assertSwept(objects)
      objects.close()
    },
  }
}

async function startTwo(replicas: Replicas, flags: readonly string[] = []): Promise<readonly [Client, Client]> {
  const [one, other] = await Promise.all([replicas.start('one', flags), replicas.start('other', flags)])
  return [new Client(one.url), new Client(other.url)]
}

/** The status of an upload once it is done. */
async function whenDone(client: Client, path: string): Promise<{ readonly links: { readonly receipt: string } }> {
  const answer = await client.ask('GET', path, undefined, { prefer: 'wait=20' })
  const status = jsonOf<{ phase: string; links: { receipt: string } }>(answer)
  if (status.phase === 'done') return status
  assert.ok(['receiving', 'reading', 'writing'].includes(status.phase), answer.body.toString())
  return await whenDone(client, path)
}

function declareTests(dir: string, open: () => Replicas): void {
  test('a dataset sent to one replica is listed, read and deleted through the other', async () => {
    await using replicas = open()
    const [one, other] = await startTwo(replicas)
    const receipt = await one.upload('id,name\n1,Ada\n2,Bob\n')
    assert.deepEqual(await other.datasetIds(), [receipt.id])
    assert.deepEqual((await other.rows(receipt)).rows, [
      [1, 'Ada'],
      [2, 'Bob'],
    ])
    assert.equal((await other.get(receipt.links.original)).toString(), 'id,name\n1,Ada\n2,Bob\n')
    assert.equal((await other.ask('DELETE', `/qas/datasets/${receipt.id}`)).status, 204)
    assert.equal((await one.ask('GET', `/qas/datasets/${receipt.id}`)).status, 404)
    assert.deepEqual(await one.datasetIds(), [])
  })

  test('an upload begun at one replica is unknown to the other, and undisturbed by it', async () => {
    await using replicas = open()
    const [one, other] = await startTwo(replicas)
    const path = await create(one, bytes)
    assert.equal((await patch(one, path, 0, content.subarray(0, 3_000_000))).status, 204)
    assert.deepEqual(await replicas.keys(), [])
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      assert.equal((await other.ask(method, path, undefined, tus)).status, 404, method)
    }
    assert.equal((await patch(other, path, 3_000_000, content.subarray(3_000_000))).status, 404)
    assert.deepEqual(jsonOf<{ uploads: unknown[] }>(await other.ask('GET', '/qas/uploads')).uploads, [])
    // As tus clients do on 404: begin again. The first one then finds that its dataset exists.
    const retried = await create(other, bytes)
    const link = (await patch(other, retried, 0, content)).headers['content-location']
    const last = await patch(one, path, 3_000_000, content.subarray(3_000_000))
    assert.deepEqual([last.status, last.headers['content-location']], [204, link])
    assert.ok((await other.get(`${link}/original`)).equals(content))
    assert.equal((await whenDone(one, path)).links.receipt, link)
    assert.equal((await other.ask('GET', path)).status, 404)
  })

  test(`after kill -9, a replica goes on with its own uploads, keys and ends (SEED=${seed})`, async () => {
    await using replicas = open()
    const random = createRandom(seed)
    let service = await replicas.start('one')
    const sendKey = async () => {
      const body = bodyOf({ content: 'n\n1\n' })
      return await new Client(service.url).ask('POST', '/qas/uploadCsv', body, { 'idempotency-key': '"k1"' })
    }
    const first = await sendKey()
    const path = await create(new Client(service.url), bytes)
    let acknowledged = 0
    for (let round = 1; round <= 3; round += 1) {
      const offset = await offsetOf(new Client(service.url), path)
      assert.ok(offset >= acknowledged, `it is at ${offset}, and ${acknowledged} was acknowledged`)
      const end = offset + 1 + random((bytes - offset) >> 1)
      assert.equal((await patch(new Client(service.url), path, offset, content.subarray(offset, end))).status, 204)
      acknowledged = end
      const rest = { ...tusBytes, 'upload-offset': end, 'content-length': bytes - end }
      const broken = await begin(service.url, 'PATCH', path, rest, content.subarray(end, end + random(bytes - end)))
      service.kill('SIGKILL')
      broken.destroy()
      await service.ended
      service = await replicas.start('one')
    }
    const client = new Client(service.url)
    const offset = await offsetOf(client, path)
    assert.ok(offset >= acknowledged)
    const link = (await patch(client, path, offset, content.subarray(offset))).headers['content-location']
    assert.ok((await client.get(`${link}/original`)).equals(content))
    const answered = { 'content-type': 'text/csv', prefer: 'respond-async' }
    const job = await client.ask('POST', '/qas/uploads', Buffer.concat([content, Buffer.from('9,z,9\n')]), answered)
    assert.equal(job.status, 202, job.body.toString())
    await service[Symbol.asyncDispose]()
    service = await replicas.start('one')
    const again = await sendKey()
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.body.toString(), first.body.toString())
    assert.equal((await whenDone(new Client(service.url), path)).links.receipt, link)
    await whenDone(new Client(service.url), job.headers.location!)
    // At another replica it is a new key: the same bytes are a duplicate.
    service = await replicas.start('other')
    const elsewhere = await sendKey()
    assert.deepEqual([elsewhere.status, elsewhere.headers['idempotent-replayed']], [200, undefined])
    assert.equal(jsonOf<UploadResponse>(elsewhere).duplicate, true)
  })

  test('clocks twenty minutes apart hide no dataset, break no quota, and let none expire early', async () => {
    await using replicas = open()
    const flags = ['--quota-datasets', '4', '--keep-for', '10m']
    const minutes = [0, 20, -20]
    const clients = await Promise.all(
      minutes.map(async (minute) => {
        const path = join(dir, `clock${minute}`)
        await writeFile(path, String(minute * 60_000))
        const service = await replicas.start(`clock${minute}`, flags, shiftedBy(path))
        return new Client(service.url)
      }),
    )
    const all = new Set<string>()
    // In both orders: what the fastest clock has stamped comes before and after what the others publish.
    for (const [i, client] of [...clients, clients[0]!].entries()) {
      all.add((await client.upload(`n\n${i}\n`)).id)
      for (const one of clients) assert.deepEqual(new Set(await one.datasetIds()), all)
    }
    for (const client of clients) assert.equal((await client.send({ content: 'n\n9\n' })).status, 507)
    for (const client of clients) assert.equal((await client.datasetIds()).length, 4)
  })

  test('quotas count what any replica has published', async () => {
    await using replicas = open()
    const clients = await startTwo(replicas, ['--quota-datasets', '3'])
    for (let i = 0; i < 3; i += 1) await clients[i % 2]!.upload(`n\n${i}\n`)
    for (const client of clients) assert.equal((await client.send({ content: 'n\n9\n' })).status, 507)
    assert.equal((await clients[0].datasetIds()).length, 3)
  })
}
