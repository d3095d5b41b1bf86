// Tests of reads from a bucket: what a process without cached data requests, to show part of a dataset.
import assert from 'node:assert/strict'
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { Client } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { S3Proxy } from '../support/s3-proxy.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { csvText } from '../support/samples.ts'

const records = 800_000
const megabyte = 1_048_576
/** At most. */
const rowGroupRecords = 61_440
/** Reads are of whole blocks: one more than the row groups need, and two with the footer. */
const blockBytes = 65_536
/** Room for the checksums and the headers of all responses. */
const smallBytes = 40_000
const recordOf = (i: number) => `${i},name ${i},${i / 8}`

test('a page of rows reads only its row groups, a range of the original only some blocks, and cached data nothing', {
  skip: noS3Server,
}, async () => {
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  await using proxy = await S3Proxy.to(s3.endpoint)
  const { key, secret } = newKey({ name: 'key', owner: 'anna', scopes })
  const keys = join(scratch.path, 'keys.json')
  writeFileSync(keys, formatKeys([key]))
  const as = (url: string) => new Client(url, { authorization: `Bearer ${secret}` })
  const flags = (endpoint: string) => [
    '--store',
    `s3://${s3.bucket}/reads`,
    '--s3-endpoint',
    endpoint,
    '--s3-path-style',
    'yes',
    '--segment-size',
    '8MB',
    '--keys',
    keys,
  ]
  await using writer = await RunningService.start(join(scratch.path, 'writer'), flags(s3.endpoint))
  const receipt = await as(writer.url).upload(csvText('id,name,value', records, recordOf))
  const { id, file, parts } = receipt
  assert.ok(parts.length > 1, `${parts.length} parts`)
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
  const rowsFrom = async (offset: number, limit = 100) => {
    const { rows } = JSON.parse(
      (await client.get(`/qas/datasets/${id}/rows?offset=${offset}&limit=${limit}`)).toString(),
    )
    const wanted = Array.from({ length: limit }, (_, i) => recordOf(offset + i).split(','))
    assert.deepEqual(
      rows.map((row: readonly unknown[]) => row.map(String)),
      wanted,
    )
  }
  const page = (offset: number) => () => rowsFrom(offset)
  // The first part is smaller than the others.
  const at = parts.findLastIndex(({ bytes }) => bytes === Math.max(...parts.map((one) => one.bytes)))
  const [previous, second] = [parts[at - 1]!, parts[at]!]
  const before = parts.slice(0, at).reduce((sum, part) => sum + part.records, 0)
  /** Bound for one row group: those of a part are about equally large; a quarter more allows for variation. */
  const pageBytesMax = ({ bytes, records: all }: typeof second) =>
    (1.25 * rowGroupRecords * bytes) / all + 4 * blockBytes + smallBytes
  const dataOf = (names: readonly string[]) => names.filter((name) => name.startsWith('data/'))
  // Several at once: they share what one of them reads.
  const first = await reads(() => Promise.all([80_000, 80_100, 80_200].map((offset) => rowsFrom(before + offset))))
  assert.deepEqual(dataOf(first.names), [second.file])
  const bound = pageBytesMax(second)
  assert.ok(bound < second.bytes / 2, `${bound} of ${second.bytes} bytes`)
  assert.ok(first.bytes < bound, `${first.bytes} bytes for a part of ${second.bytes}, at most ${bound}`)
  // From the same row group.
  assert.deepEqual(await reads(page(before + 80_300)), { names: [], bytes: 0 })
  // From two parts: the last row group of one and the first of the other.
  const edge = await reads(page(before - 50))
  assert.deepEqual(dataOf(edge.names), [previous.file, second.file])
  assert.ok(edge.bytes < pageBytesMax(previous) + pageBytesMax(second), `${edge.bytes} bytes`)
  // Sequential reads get the whole part after half of it was read in slices with a footer each; all values are right.
  const all = await reads(async () => {
    for (let offset = before; offset + 10_000 < before + second.records; offset += 10_000)
      await rowsFrom(offset, 10_000)
  })
  assert.ok(all.bytes < 2 * second.bytes, `${all.bytes} bytes for a part of ${second.bytes}`)
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
  const flags = ['--store', `s3://${s3.bucket}/copies`, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  await using service = await RunningService.start(join(scratch.path, 'data'), flags)
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
