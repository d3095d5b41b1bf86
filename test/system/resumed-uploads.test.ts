// Tests of resumed uploads: broken or stalled connections and kills of the service, at random moments of one upload,
// lose nothing acknowledged.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../support/client.ts'
import { begin, create, offsetOf, patch, tusBytes } from '../support/resumable.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { createRandom, csvText, seed } from '../support/samples.ts'

const content = Buffer.from(csvText('id,name,value', 300_000, (i) => `${i},name ${i},${i / 8}`))

for (const [title, mayKill, rounds] of [
  ['connections that break and stall', false, 25],
  ['kill -9 at any moment of a request', true, 6],
] as const) {
  test(`${title}: acknowledged bytes are kept, and the dataset is that of one request (SEED=${seed})`, async (t) => {
    const random = createRandom(seed)
    await using scratch = await scratchDir()
    const start = () => RunningService.start(join(scratch.path, 'data'))
    let service = await start()
    const stalled: Socket[] = []
    try {
      const path = await create(new Client(service.url), content.length)
      let acknowledged = 0
      let breaks = 0
      for (let round = 0; round < rounds; round += 1) {
        const offset = await offsetOf(new Client(service.url), path)
        assert.ok(offset >= acknowledged, `it is at ${offset}, and ${acknowledged} was acknowledged`)
        acknowledged = offset
        const sentBytes = 1 + random(content.length >> 4)
        const end = Math.min(content.length - 1, offset + sentBytes)
        if (end <= offset) break
        const headers = { ...tusBytes, 'upload-offset': offset, 'content-length': content.length - offset }
        const socket = await begin(service.url, 'PATCH', path, headers, content.subarray(offset, end))
        await sleep(random(60))
        breaks += 1
        if (mayKill && random(3) === 0) {
          await service[Symbol.asyncDispose]()
          service = await start()
        } else if (random(3) === 0) stalled.push(socket)
        else socket.destroy()
      }
      const client = new Client(service.url)
      const offset = await offsetOf(client, path)
      assert.ok(offset >= acknowledged)
      const last = await patch(client, path, offset, content.subarray(offset))
      assert.equal(last.status, 204, last.body.toString())
      const link = last.headers['content-location']!
      assert.ok((await client.get(`${link}/original`)).equals(content))
      assert.equal((await client.upload(content)).links.self, link)
      assert.deepEqual(service.drafts(), [])
      t.diagnostic(`${breaks} breaks, ${acknowledged} bytes acknowledged before the last request`)
    } finally {
      for (const socket of stalled) socket.destroy()
      await service[Symbol.asyncDispose]()
    }
  })
}
