// Reads from a bucket: what a process that has nothing of a dataset asks it for, to show some of it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { S3Proxy } from '../support/s3-proxy.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { csvText } from '../support/samples.ts'

const records = 400_000
const megabyte = 1_048_576
const recordOf = (i: number) => `${i},name ${i},${i / 8}`

test('a page of rows needs the parts that it touches, a range of the original some blocks, and what was read before nothing', {
  skip: noS3Server,
}, async () => {
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  await using proxy = await S3Proxy.to(s3.endpoint)
  const flags = (endpoint: string) => [
    '--store',
    `s3://${s3.bucket}/reads`,
    '--s3-endpoint',
    endpoint,
    '--s3-path-style',
    'yes',
    '--segment-size',
    '1MB',
  ]
  await using writer = await RunningService.start(join(scratch.path, 'writer'), flags(s3.endpoint))
  const receipt = await new Client(writer.url).upload(csvText('id,name,value', records, recordOf))
  const { id, file, parts } = receipt
  assert.ok(parts.length > 5, `${parts.length} parts`)
  await using reader = await RunningService.start(join(scratch.path, 'reader'), flags(proxy.endpoint))
  const client = new Client(reader.url)
  /** What is read of the files of the dataset meanwhile: keys below files/, and bytes. */
  const reads = async (work: () => Promise<unknown>) => {
    proxy.carried.length = 0
    await work()
    const got = proxy.carried.filter(({ call, key }) => call === 'GetObject' && key.includes('/files/'))
    const bytes = got.reduce((sum, { answerBytes }) => sum + answerBytes, 0)
    return { names: [...new Set(got.map(({ key }) => key.replace(/^.*\/files\/[^/]*\//, '')))].toSorted(), bytes }
  }
  const page = (offset: number) => async () => {
    const { rows } = JSON.parse((await client.get(`/qas/datasets/${id}/rows?offset=${offset}&limit=2`)).toString())
    assert.deepEqual(rows[0].map(String), recordOf(offset).split(','))
  }
  const third = parts[2]!
  const before = parts[0]!.records + parts[1]!.records
  const first = await reads(page(before + 5))
  assert.deepEqual(
    [first.names.includes(third.file), first.names.filter((name) => name.startsWith('data/')).length],
    [true, 1],
  )
  assert.ok(
    first.bytes >= third.bytes && first.bytes < third.bytes + megabyte,
    `${first.bytes} bytes for ${third.bytes}`,
  )
  assert.deepEqual(await reads(page(before + 300)), { names: [], bytes: 0 })
  const edge = await reads(page(before - 1))
  assert.deepEqual(
    edge.names.filter((name) => name.startsWith('data/')),
    [parts[1]!.file],
  )
  const range = await reads(async () => {
    const { status, body } = await client.ask('GET', `/qas/datasets/${id}/original`, undefined, {
      range: 'bytes=5000000-5000099',
    })
    assert.deepEqual([status, body.length], [206, 100])
  })
  assert.ok(file.bytes > 8 * megabyte && range.bytes < 2 * megabyte, `${range.bytes} of ${file.bytes} bytes`)
})
