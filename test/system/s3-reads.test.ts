// Tests of reads from a bucket: what a process without cached data requests, to show part of a dataset.
import assert from 'node:assert/strict'
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { bucketFlags } from '../support/bucket-place.ts'
import { Client } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { S3Proxy } from '../support/s3-proxy.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { csvText } from '../support/samples.ts'

const records = 800_000
const megabyte = 1_048_576
/** Room for the checksums and the headers of all responses. */
const smallBytes = 40_000
const recordOf = (i: number) => `${i},name ${i},${i / 8}`

test('a page of rows reads only its part, a range of the original only some blocks, and cached data nothing', {
  skip: noS3Server,
}, async () => {
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  await using proxy = await S3Proxy.to(s3.endpoint)
  const { key, secret } = newKey({ name: 'key', owner: 'anna', scopes })
  const keys = join(scratch.path, 'keys.json')
  writeFileSync(keys, formatKeys([key]))
  const as = (url: string) => new Client(url, { authorization: `Bearer ${secret}` })
  const store = ['--store', `s3://${s3.bucket}/reads`, '--s3-path-style', 'yes', '--keys', keys]
  const flags = (endpoint: string) => [...store, '--s3-endpoint', endpoint, '--segment-size', '8MB']
  await using writer = await RunningService.start(join(scratch.path, 'writer'), flags(s3.endpoint))
  const { id, file, parts } = await as(writer.url).upload(csvText('id,name,value', records, recordOf))
  await using reader = await RunningService.start(join(scratch.path, 'reader'), flags(proxy.endpoint))
  const client = as(reader.url)
  /** What a call reads of the files of the dataset: keys below files/, and bytes. */
  const reads = async (work: () => Promise<unknown>) => {
    proxy.carried.length = 0
    await work()
    const got = proxy.carried.filter(({ call, key }) => call === 'GetObject' && key.includes('/files/'))
    const bytes = got.reduce((sum, { responseBytes }) => sum + responseBytes, 0)
    return { names: [...new Set(got.map(({ key }) => key.replace(/^.*\/files\/[^/]*\//, '')))].toSorted(), bytes }
  }
  const rowsFrom = async (offset: number) => {
    const { rows } = JSON.parse((await client.get(`/qas/datasets/${id}/rows?offset=${offset}&limit=100`)).toString())
    const wanted = Array.from({ length: 100 }, (_, i) => recordOf(offset + i).split(','))
    assert.deepEqual(
      rows.map((row: readonly unknown[]) => row.map(String)),
      wanted,
    )
  }
  const dataOf = (names: readonly string[]) => names.filter((name) => name.startsWith('data/'))
  const [first, second] = parts
  assert.ok(first && second, 'several parts')
  // Several at once: they share what one of them reads.
  const pages = await reads(() => Promise.all([100, 200, 300].map((offset) => rowsFrom(first.records + offset))))
  assert.deepEqual(dataOf(pages.names), [second.file])
  assert.ok(pages.bytes < second.bytes + smallBytes, `${pages.bytes} bytes for a part of ${second.bytes}`)
  assert.deepEqual(await reads(() => rowsFrom(first.records + 400)), { names: [], bytes: 0 })
  assert.deepEqual(dataOf((await reads(() => rowsFrom(first.records - 50))).names), [first.file])
  const range = await reads(async () => {
    const { status, body } = await client.ask('GET', `/qas/datasets/${id}/original`, undefined, {
      range: 'bytes=5000000-5000099',
    })
    assert.deepEqual([status, body.length], [206, 100])
  })
  assert.ok(file.bytes > 8 * megabyte && range.bytes < 2 * megabyte, `${range.bytes} of ${file.bytes} bytes`)
})

test('a damaged copy in the cache is reported once, and then fetched again', { skip: noS3Server }, async () => {
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  await using service = await RunningService.start(join(scratch.path, 'data'), bucketFlags(s3, 'copies'))
  const client = new Client(service.url)
  const { id } = await client.upload(`${csvText('id,name', 1_000, (i) => `${i},name ${i}`)}too,many,fields\n`)
  const dir = join(scratch.path, 'data', 'cache')
  // As after a power loss: copies are not synced.
  const empty = (copy: string) => truncateSync(copy)
  const zeros = (copy: string) => writeFileSync(copy, Buffer.alloc(statSync(copy).size))
  for (const route of ['rows', 'data.ndjson', 'rejects.csv']) {
    const path = `/qas/datasets/${id}/${route}`
    const whole = await client.get(path)
    for (const damage of [empty, zeros]) {
      const copies = readdirSync(dir)
      assert.ok(copies.length > 0, 'nothing is cached')
      for (const name of copies) damage(join(dir, name))
      // What is made while it is sent may be cut off instead.
      await assert.rejects(client.get(path), route)
      assert.deepEqual(await client.get(path), whole, route)
    }
  }
})
