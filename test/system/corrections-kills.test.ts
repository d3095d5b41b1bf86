// Tests of corrections under kill -9: the first dataset stays, and the corrected one is complete or absent.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { begin, textOf } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'
import { assertVerified } from '../support/verified.ts'

/** Every tenth record lacks a field. */
const isRejected = (i: number) => i % 10 === 9
const recordCount = 10_000
const content = csvText('id,name,value', recordCount, (i) => (isRejected(i) ? `${i},name ${i}` : `${i},name ${i},${i}`))
const rounds = 6

/** Corrects the rejects up to a record; each round gives another dataset. */
function corrections(round: number): Buffer {
  const lines = Array.from({ length: recordCount / 10 }, (_, n) => 10 * n + 9)
    .filter((_, n) => n % rounds <= round)
    .map((i) => `{"record":${i + 2},"text":"${i},name ${i},${i}"}\n`)
  return Buffer.from(lines.join(''))
}

test(`kill -9 at any moment of a correction loses nothing and leaves nothing incomplete (SEED=${seed})`, async (t) => {
  const random = createRandom(seed)
  await using scratch = await scratchDir()
  const start = () => RunningService.start(join(scratch.path, 'data'), ['--segment-size', '256KB'])
  let service = await start()
  try {
    const first = await new Client(service.url).upload(content)
    const [data, rejects] = await Promise.all(
      ['data.csv', 'rejects.csv'].map((name) => new Client(service.url).get(`${first.links.self}/${name}`)),
    )
    const path = `/qas/datasets/${first.id}/corrections`
    const type = { 'content-type': 'application/x-ndjson' }
    const known = [first.id]
    const seen = { answered: 0, made: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const sent = corrections(round)
      // Every third round sends half of the body, the others all of it.
      const bytes = round % 3 === 0 ? sent.length >> 1 : sent.length
      const headers = { ...type, 'content-length': sent.length }
      const socket = await begin(service.url, 'POST', path, headers, sent.subarray(0, bytes))
      const text = textOf(socket, '\r\n\r\n').catch(() => '')
      // The last rounds wait for the response, so that some complete.
      if (round >= rounds - 3 && round % 3 !== 0) await text
      else await sleep(random(250))
      await service[Symbol.asyncDispose]()
      const isAnswered = (await text).startsWith('HTTP/1.1 200')
      socket.destroy()
      service = await start()
      const client = new Client(service.url)
      assert.deepEqual(service.drafts(), [])
      const ids = await client.datasetIds()
      assert.deepEqual(service.datasetDirs().toSorted(), ids.toSorted())
      assert.ok(known.every((id) => ids.includes(id)))
      const made = ids.filter((id) => !known.includes(id))
      assert.ok(made.length <= (bytes === sent.length ? 1 : 0))
      if (isAnswered) assert.equal(made.length, 1, `round ${round} was acknowledged`)
      for (const id of [first.id, ...made]) await assertVerified(join(service.dataDir, 'datasets', id))
      assert.ok((await client.get(`${first.links.self}/data.csv`)).equals(data!))
      assert.ok((await client.get(`${first.links.self}/rejects.csv`)).equals(rejects!))
      const again = await client.ask('POST', path, sent, type)
      assert.equal(again.status, 200, again.body.toString())
      const { id, duplicate, records } = jsonOf<UploadResponse>(again)
      assert.equal(duplicate, made.length === 1)
      assert.equal(records.rejected, recordCount / 10 - sent.toString().split('\n').length + 1)
      if (made.length === 1) assert.equal(id, made[0])
      known.push(id)
      seen.answered += Number(isAnswered)
      seen.made += made.length
    }
    assert.ok(seen.answered >= 1)
    t.diagnostic(`${seen.made} of ${rounds} were made before the kill, ${seen.answered} answered`)
  } finally {
    await service[Symbol.asyncDispose]()
  }
})
