// Tests of repairs: sending a file again restores its damaged dataset, and the response says so.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client, jsonOf, type UploadResponse } from '../support/client.ts'
import { csvText } from '../support/samples.ts'
import { ownService } from '../support/shared-service.ts'
import { assertVerified } from '../support/verified.ts'

const service = await ownService(['--segment-size', '64KB'])
const client = new Client(service.url)

const content = csvText('id,name', 40_000, (i) => (i % 1_000 === 7 ? `${i}` : `${i},name ${i} ${'x'.repeat(30)}`))
/** Routes of a dataset, and whether their bytes are always the same for the same file: compression may vary. */
const routes = {
  '/rows': true,
  '/data.csv': true,
  '/data.ndjson': true,
  '/rejects': true,
  '/rejects.csv': true,
  '/original': true,
  '/parts/1.parquet': false,
  '': false,
}

const damages: Readonly<Record<string, (path: string) => void>> = {
  deleted: (path) => rmSync(path),
  truncated: (path) => truncateSync(path, 10),
  'changed in one bit': (path) => {
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
    // Longer than the resolution of file times.
    utimesSync(path, 1, 1)
  },
}

const files = [
  'original',
  'data/part-00000.parquet',
  'data/part-00001.parquet',
  'rejects/part-00000.parquet',
  'receipt.json',
]

/** SHA-256 of all invariable data that can be read of a dataset. */
async function everythingOf({ links, id }: UploadResponse): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = {}
  for (const [route, isSame] of Object.entries(routes)) {
    const answer = await client.ask('GET', links.self + route)
    assert.equal(answer.status, 200, `${route}: ${answer.body}`)
    if (isSame) answers[route] = hash('sha256', answer.body)
  }
  await assertVerified(join(service.dataDir, 'datasets', id))
  return answers
}

const first = await client.upload(content)
const expected = await everythingOf(first)

test('the same bytes sent again are a duplicate while the stored files are intact', async () => {
  const again = await client.upload(content)
  assert.deepEqual([again.id, again.duplicate, again.upload.outcome], [first.id, true, 'duplicate'])
})

for (const file of files) {
  for (const [how, damage] of Object.entries(damages)) {
    test(`an upload of a dataset whose ${file} is ${how} repairs it`, async () => {
      damage(join(service.dataDir, 'datasets', first.id, file))
      const repaired = await client.upload(content)
      assert.deepEqual([repaired.id, repaired.duplicate, repaired.upload.outcome], [first.id, true, 'repaired'])
      assert.deepEqual(await everythingOf(repaired), expected)
      const again = await client.upload(content)
      assert.equal(again.upload.outcome, 'duplicate')
      assert.deepEqual(again.parts, repaired.parts)
      assert.deepEqual(await client.datasetIds(), [first.id])
      assert.deepEqual(service.incoming(), [])
    })
  }
}

test('a repaired dataset keeps its age', async () => {
  assert.ok(first.createdAt <= Date.now() - 1)
  rmSync(join(service.dataDir, 'datasets', first.id, 'original'))
  const before = jsonOf<UploadResponse>(await client.ask('GET', first.links.self)).createdAt
  assert.equal((await client.upload(content)).createdAt, before)
})

test('eight concurrent uploads of a damaged dataset leave it intact', async () => {
  rmSync(join(service.dataDir, 'datasets', first.id, 'data/part-00000.parquet'))
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.upload(content)))
  assert.ok(answers.some(({ upload }) => upload.outcome === 'repaired'))
  await everythingOf(first)
})

test('a reading with damaged files is made again from the original', async () => {
  const read = async () =>
    jsonOf<UploadResponse>(await client.askJson(first.links.readings, Buffer.from('{"dialect":{"header":false}}')))
  const reading = await read()
  assert.equal(reading.upload.outcome, 'new')
  assert.equal((await read()).upload.outcome, 'duplicate')
  for (const file of ['data/part-00000.parquet', 'receipt.json', 'original']) {
    rmSync(join(service.dataDir, 'datasets', reading.id, file))
    const again = await read()
    assert.deepEqual([again.id, again.upload.outcome], [reading.id, 'repaired'], file)
    await everythingOf(again)
  }
})
