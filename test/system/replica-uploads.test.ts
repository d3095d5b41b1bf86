// Tests of uploads across replicas: begun at one process, resumed at another, read by any live one, visible at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, jsonOf } from '../support/client.ts'
import { begin, create, offsetOf, patch, textOf, tus, tusBytes } from '../support/resumable.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { declareOnReplicas, endOf, type Replicas, runJobs, type Status } from './replica-jobs.ts'

const content = Buffer.from(csvText('id,name,value', 400_000, (i) => `${i},name ${i},${i / 8}`))
const bytes = content.length

await declareOnReplicas('uploads over replicas', declareTests)

function declareTests(open: () => Replicas): void {
  const replicaTest = (title: string, body: (replicas: Replicas) => Promise<unknown>) =>
    test(title, async () => {
      await using replicas = open()
      await body(replicas)
    })

  replicaTest(`after kill -9 of its process another one goes on with an upload (SEED=${seed})`, async (replicas) => {
    const random = createRandom(seed)
    let service = await replicas.start('0')
    const path = await create(new Client(service.url), bytes)
    let acknowledged = 0
    for (let round = 1; round <= 2; round += 1) {
      const offset = await offsetOf(new Client(service.url), path)
      assert.ok(offset >= acknowledged, `it is at ${offset}, and ${acknowledged} was acknowledged`)
      // Acknowledged bytes are kept; others may be.
      const end = offset + 1 + random((bytes - offset) >> 1)
      assert.equal((await patch(new Client(service.url), path, offset, content.subarray(offset, end))).status, 204)
      acknowledged = end
      const headers = { ...tusBytes, 'upload-offset': end, 'content-length': bytes - end }
      const broken = await begin(service.url, 'PATCH', path, headers, content.subarray(end, end + random(bytes - end)))
      service.kill('SIGKILL')
      broken.destroy()
      await service.ended
      service = await replicas.start(`${round}`)
    }
    const client = new Client(service.url)
    const offset = await offsetOf(client, path)
    assert.ok(offset >= acknowledged)
    const last = await patch(client, path, offset, content.subarray(offset))
    assert.equal(last.status, 204, last.body.toString())
    const link = last.headers['content-location']!
    assert.ok((await client.get(`${link}/original`)).equals(content))
    assert.equal((await endOf(client, path)).links.receipt, link)
    await isTidy(replicas)
  })

  replicaTest('two replicas have uploads in common', async (replicas) => {
    const services = await Promise.all([replicas.start('0'), replicas.start('1')])
    await shareAnUpload(services.map(({ url }) => url) as [string, string])
    await followAnUpload(new Client(services[0].url), new Client(services[1].url))
    await seeUploads(new Client(services[0].url), new Client(services[1].url), replicas)
  })

  replicaTest('an upload whose process is gone is read by another one', async (replicas) => {
    const id = await replicas.leaveComplete(Buffer.from('id,name\n1,Ada\n'))
    const client = new Client((await replicas.start('0')).url)
    const { phase, fileName, links } = await endOf(client, `/qas/uploads/${id}`)
    assert.deepEqual([phase, fileName], ['done', 'left.csv'])
    assert.equal((await client.get(`${links.receipt}/original`)).toString(), 'id,name\n1,Ada\n')
    await isTidy(replicas)
  })

  replicaTest('jobs of a process that is killed, and of one that wakes late, are committed once', (replicas) =>
    runJobs(replicas, 12, 3),
  )
}

/** Resolves when nothing is left of ended uploads. */
async function isTidy(replicas: Replicas): Promise<void> {
  while ((await replicas.keys('unfinished')).length > 0) await sleep(20)
}

/** The newest request takes over an upload, at whichever replica, and no byte is stored twice. */
async function shareAnUpload(urls: readonly [string, string]): Promise<void> {
  const clients = urls.map((url) => new Client(url))
  const [one, other] = clients as [Client, Client]
  const path = await create(one, bytes)
  assert.equal((await patch(one, path, 0, content.subarray(0, 1_000))).status, 204)
  const headers = { ...tusBytes, 'upload-offset': 1_000, 'content-length': bytes - 1_000 }
  const stalled = await begin(urls[0], 'PATCH', path, headers, content.subarray(1_000, 2_000_000))
  const answer = textOf(stalled)
  while (jsonOf<Status>(await one.ask('GET', path)).bytes.received < 2_000_000) await sleep(20)
  assert.equal((await patch(other, path, 1_000, content.subarray(1_000, 3_000))).status, 204)
  assert.match(await answer, /^HTTP\/1.1 400 [\s\S]*UploadTakenOver/)
  assert.equal(await offsetOf(one, path), 3_000)
  // At the same moment, from the same offset: bytes that one adds are not added again by the other.
  const part = content.subarray(3_000, 9_000)
  const both = await Promise.all(clients.map((client) => patch(client, path, 3_000, part)))
  const statuses = both.map(({ status }) => status).toSorted()
  assert.equal(statuses[0], 204, `${statuses}`)
  assert.ok([400, 409].includes(statuses[1]!), `${statuses}`)
  assert.equal(await offsetOf(other, path), 9_000)
  const last = await patch(one, path, 9_000, content.subarray(9_000))
  assert.ok((await other.get(`${last.headers['content-location']}/original`)).equals(content))
}

/** The replica at which an upload was begun immediately shows its progress at another one. */
async function followAnUpload(one: Client, other: Client): Promise<void> {
  const path = await create(one, bytes)
  assert.equal((await patch(one, path, 0, content.subarray(0, 1_000))).status, 204)
  assert.equal((await patch(other, path, 1_000, content.subarray(1_000, 2_000))).status, 204)
  for (const client of [one, other]) {
    assert.equal(jsonOf<Status>(await client.ask('GET', path)).bytes.received, 2_000)
    const { uploads } = jsonOf<{ uploads: readonly Status[] }>(await client.ask('GET', '/qas/uploads'))
    assert.equal(uploads[0]?.bytes.received, 2_000)
  }
  assert.equal((await patch(one, path, 2_000, content.subarray(2_000))).status, 204)
  for (const client of [other, one]) assert.equal((await endOf(client, path)).phase, 'done')
}

/** Any replica shows, lists, and cancels an upload at another one. */
async function seeUploads(one: Client, other: Client, replicas: Replicas): Promise<void> {
  const path = await create(one, bytes)
  await patch(one, path, 0, content.subarray(0, 3_000_000))
  const seen = jsonOf<Status>(await other.ask('GET', path))
  assert.deepEqual(
    [seen.phase, seen.fileName, seen.bytes],
    ['receiving', 'sample.csv', { received: 3_000_000, expected: bytes }],
  )
  const listed = jsonOf<{ uploads: readonly Status[] }>(await other.ask('GET', '/qas/uploads'))
  assert.deepEqual(listed.uploads.map(({ id }) => id).slice(0, 1), [seen.id])
  assert.equal((await other.ask('DELETE', path, undefined, tus)).status, 204)
  assert.deepEqual(
    (await replicas.keys('unfinished')).filter((key) => key.includes(seen.id)),
    [],
  )
  for (const client of [one, other]) {
    assert.equal((await client.ask('HEAD', path, undefined, tus)).status, 410)
    assert.equal((await endOf(client, path)).phase, 'failed')
  }
  const plain = await one.upload('a,b\n1,2\n')
  assert.equal((await endOf(other, `/qas/uploads/${plain.upload.id}`)).phase, 'done')
  await other.ask('DELETE', path)
  assert.equal((await one.ask('GET', path)).status, 404)
}
