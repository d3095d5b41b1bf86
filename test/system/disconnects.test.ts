// Tests of disconnects: a client that disconnects leaves nothing: no file, no child, no descriptor.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { bodyOf, contentType } from '../support/client.ts'
import { begin } from '../support/resumable.ts'
import { seesProcesses } from '../support/running-service.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const { service, client } = await ownService(['--segment-size', '256KB'])

// Types change at the end, so that some clients disconnect while columns are written again.
const usual = csvText('id,name,amount', 60_000, (i) => `${i},name ${i} and some more,${i}.50`)
const body = bodyOf({ content: `${usual}A17,the odd one,0.5\n` })
const headers = { 'content-type': contentType, 'content-length': body.length }

/** Waits, since the client has the complete response a moment before the service closes the connection. */
const noClient = () => until('no client is connected', () => service.connections() === 0)

/** Sends the beginning of an upload, or all of it, and disconnects after some turns of the event loop. */
async function goAway(bytes: number, turns: number, isReset: boolean): Promise<void> {
  const socket = await begin(service.url, 'POST', '/qas/uploadCsv', headers, Buffer.alloc(0))
  await new Promise<void>((resolve) => socket.write(body.subarray(0, bytes), () => resolve()))
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
  if (isReset) socket.resetAndDestroy()
  else socket.destroy()
}

test(`clients that disconnect at any point leave nothing behind (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const first = await client.upload('id,name\n1,Anna\n')
  await client.rows(first)
  // Enough at once to start each converter thread, since threads have descriptors.
  await Promise.all([1, 2, 3, 4].map((one) => client.upload(usual.replaceAll('name', `name ${one}`))))
  await noClient()
  const before = { children: service.children().length, descriptors: service.descriptors() }
  const random = createRandom(seed)
  for (let i = 0; i < 20; i++) {
    const bytes = i % 3 === 0 ? body.length : random(body.length)
    await goAway(bytes, random(400), i % 2 === 0)
  }
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  await until('there are as many children as before', () => service.children().length === before.children)
  await until('the descriptors are as before', () => isDeepStrictEqual(service.descriptors(), before.descriptors))
  // A client that disconnects after its last byte may be too late to stop its dataset, which is then complete.
  for (const id of await client.datasetIds()) await client.get(`/qas/datasets/${id}/rows?limit=1`)
  const receipt = await client.upload(usual)
  assert.equal(receipt.records.accepted, 60_000)
})

test('many clients that disconnect at once leave nothing behind', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const before = service.children().length
  const random = createRandom(seed + 1)
  await Promise.all(Array.from({ length: 12 }, () => goAway(random(body.length), random(100), true)))
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  await until('there are as many children as before', () => service.children().length === before)
  assert.equal((await client.upload('a,b\n1,2\n')).records.accepted, 1)
})

test('a client that disconnects during a download leaves nothing behind', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const { links } = await client.upload(usual)
  await noClient()
  const before = service.descriptors()
  for (const path of [links.original, links.csv, links.ndjson, links.parquet, links.rejectsCsv, links.rows]) {
    for (let i = 0; i < 3; i++) {
      const socket = await begin(service.url, 'GET', path, {}, Buffer.alloc(0))
      await once(socket, 'data')
      socket.resetAndDestroy()
    }
  }
  await until('the descriptors are as before', () => isDeepStrictEqual(service.descriptors(), before))
  await until('nothing unfinished is left', () => service.incoming().length === 0)
  assert.equal((await client.get(links.csv)).length, Buffer.byteLength(usual))
})
