// Tests of deletion during a download: the download is complete, the deletion does not wait, and nothing is left.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { before, test } from 'node:test'
import { Client, type UploadResponse } from '../support/client.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { until } from '../support/until.ts'

const service = await ownService(['--segment-size', '1MB'])
const client = new Client(service.url)

// Each response is larger than the socket buffers, so that most of it is not yet produced when the dataset is deleted.
const filler = 'abcdefghijklmnopqrstuvwxyz'.repeat(40)
const records = csvText('id,name', 12_000, (i) => `${i},${(i * 2_654_435_761).toString(36)}${filler}`)
const rejected = csvText('', 12_000, (i) => `${i},2,${filler}`)
const content = Buffer.from(records + rejected.slice(1))
const downloads = ['original', 'data.csv', 'data.ndjson', 'data.parquet', 'rejects.csv', 'annotated.csv']
const whole = new Map<string, Buffer>()

before(async () => {
  const { links } = await client.upload(content)
  for (const path of downloads) whole.set(path, await client.get(`${links.self}/${path}`))
})

for (const path of downloads) {
  test(`${path} continues when its dataset is deleted`, async () => {
    const { links, id }: UploadResponse = await client.upload(content)
    const outgoing = request(new URL(`${links.self}/${path}`, service.url), { agent: false })
    outgoing.end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    assert.equal((await client.ask('DELETE', links.self)).status, 204)
    assert.ok(!service.datasetDirs().includes(id))
    assert.equal((await client.ask('GET', links.self)).status, 404)
    const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
    assert.ok(body.equals(whole.get(path)!), `${body.length} bytes`)
    await until('nothing unfinished is left', () => service.incoming().length === 0)
  })
}
