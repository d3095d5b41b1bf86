// Tests of profiles: computed once on request, stored, and refused if the parts they are made of are damaged.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Profile } from '../../src/service/service.ts'
import { Client, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { csvText } from '../support/samples.ts'
import { sharedService, smallSegments } from '../support/shared-service.ts'

const service = await sharedService(smallSegments)
const client = new Client(service.url)

const content = csvText('id,colour,price,when,is', 40_000, (i) => {
  return `${i},${['red', 'green', ''][i % 3]},${i % 100}.25,2024-01-${10 + (i % 20)},${i % 2 === 0}`
})
const profileOf = async ({ links }: UploadResponse) =>
  JSON.parse((await client.get(links.profile)).toString()) as Profile
const keptPath = ({ id }: UploadResponse) => join(service.dataDir, 'datasets', id, 'derived', 'profile-2.json')

test('a profile covers every column, and is the same when read from disk', async () => {
  const receipt = await client.upload(content)
  const both = await Promise.all([profileOf(receipt), profileOf(receipt)])
  assert.deepEqual(both[0], both[1])
  const [profile] = both
  assert.deepEqual([profile.num_examples, profile.partial], [40_000, false])
  assert.deepEqual(
    profile.statistics.map(({ column_name, column_type }) => `${column_name} ${column_type}`),
    ['id int', 'colour string_label', 'price float', 'when datetime', 'is bool'],
  )
  assert.deepEqual(profile.statistics[1]?.column_statistics, {
    nan_count: 13_333,
    nan_proportion: 13_333 / 40_000,
    no_label_count: 0,
    no_label_proportion: 0,
    n_unique: 2,
    frequencies: { red: 13_334, green: 13_333 },
  })
  assert.ok(existsSync(keptPath(receipt)))
  assert.deepEqual(await profileOf(receipt), profile)
  const { headers } = await client.ask('HEAD', receipt.links.profile)
  assert.equal(headers['content-type'], 'application/json;charset=UTF-8')
})

test('a stored profile that was damaged is computed again', async () => {
  const receipt = await client.upload(content)
  const profile = await profileOf(receipt)
  const bytes = readFileSync(keptPath(receipt))
  bytes[bytes.length - 9]! ^= 1
  writeFileSync(keptPath(receipt), bytes)
  assert.deepEqual(await profileOf(receipt), profile)
  assert.notDeepEqual(readFileSync(keptPath(receipt)), bytes)
})

test('no profile is computed from damaged parts', async () => {
  const receipt = await client.upload(content)
  rmSync(keptPath(receipt), { force: true })
  const part = join(service.dataDir, 'datasets', receipt.id, receipt.parts[1]!.file)
  const bytes = readFileSync(part)
  const other = Buffer.from(bytes)
  other[9]! ^= 1
  writeFileSync(part, other)
  assert.match(refusalOf(await client.ask('GET', receipt.links.profile)).exception, /DatasetDamaged/)
  writeFileSync(part, bytes)
  assert.equal((await profileOf(receipt)).num_examples, 40_000)
})

test('a dataset without rows has a profile, and a deleted one has none', async () => {
  const receipt = await client.upload('a,b\n')
  assert.deepEqual((await profileOf(receipt)).num_examples, 0)
  assert.equal((await profileOf(receipt)).statistics.length, receipt.columns.length)
  await client.ask('DELETE', receipt.links.self)
  const answer = await client.ask('GET', receipt.links.profile)
  assert.match(refusalOf(answer).exception, /DatasetNotFound/)
  assert.equal(jsonOf<{ status: number }>(answer).status, 404)
})
