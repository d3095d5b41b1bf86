// Tests of processes that stay for the next query: what ends them, and that no query sees what has gone since.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { Client, type UploadResponse } from '../support/client.ts'
import { queryRows } from '../support/queries.ts'
import { isAlive, RunningService, scratchDir, seesProcesses } from '../support/running-service.ts'
import { csvText } from '../support/samples.ts'
import { until } from '../support/until.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

/** Deletes a dataset, and sends the same bytes again. */
async function sendAgain(client: Client, { links }: UploadResponse, file: string): Promise<UploadResponse> {
  assert.equal((await client.ask('DELETE', links.self)).status, 204)
  return await client.upload(file)
}

test('the process of a dataset ends with it, and one sent again gets another', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'deleted'))
  const client = new Client(service.url)
  const file = csvText('id,name', 3, (i) => `${i},n`)
  const first = await client.upload(file)
  const rows = () => queryRows(service.url, first.id, 'SELECT count(*) FROM data')
  assert.deepEqual(await rows(), [[3]])
  const kept = await theProcess(service)
  assert.deepEqual(await rows(), [[3]])
  assert.deepEqual(service.queries(), [kept])
  const second = await sendAgain(client, first, file)
  assert.equal(second.id, first.id)
  await until('it has ended', () => !isAlive(kept))
  assert.deepEqual(await rows(), [[3]])
  assert.notEqual(await theProcess(service), kept)
})

test('a query over a dataset that is deleted and sent again meanwhile finishes, and its process ends', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'meanwhile'))
  const client = new Client(service.url)
  const file = csvText('id,name', 5, (i) => `${i},n`)
  const sent = await client.upload(file)
  await queryRows(service.url, sent.id, 'SELECT 1')
  const kept = await theProcess(service)
  const headers = { 'content-type': 'application/json' }
  // More than buffers hold, so that it runs until its result is read.
  const body = JSON.stringify({
    sql: "SELECT repeat('x', 1000) AS x, (SELECT count(*) FROM data) AS n FROM range(20000)",
  })
  const answer = await fetch(`${service.url}${sent.links.query}`, { method: 'POST', headers, body })
  await sendAgain(client, sent, file)
  assert.deepEqual(await queryRows(service.url, sent.id, 'SELECT count(*) FROM data'), [[5]])
  assert.ok(isAlive(kept))
  assert.match(await answer.text(), /^.*\["x+",5\]\],"truncated":false\}\n$/s)
  await until('it has ended', () => !isAlive(kept))
})

test('the process of a damaged dataset ends with its repair', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using service = await RunningService.start(join(scratch.path, 'repaired'))
  const client = new Client(service.url)
  const file = csvText('id,name', 4, (i) => `${i},n`)
  const sent = await client.upload(file)
  await queryRows(service.url, sent.id, 'FROM data')
  const kept = await theProcess(service)
  writeFileSync(join(service.dataDir, 'datasets', sent.id, 'original'), 'damaged')
  assert.equal((await client.upload(file)).duplicate, true)
  await until('it has ended', () => !isAlive(kept))
  assert.deepEqual(await queryRows(service.url, sent.id, 'SELECT count(*) FROM data'), [[4]])
})

test('the processes of an owner end when a key is revoked', async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  const [anna, bob] = ['anna', 'bob'].map((owner) => newKey({ name: owner, owner, scopes })) as [Made, Made]
  const file = join(scratch.path, 'keys.json')
  writeFileSync(file, formatKeys([anna.key, bob.key]), { mode: 0o600 })
  await using service = await RunningService.start(join(scratch.path, 'keys'), ['--keys', file])
  const [annas, bobs] = [anna, bob].map(
    ({ secret }) => new Client(service.url, { authorization: `Bearer ${secret}` }),
  ) as [Client, Client]
  const { links } = await annas.upload('a,b\n1,2\n')
  const query = (client: Client, path: string) => client.askJson(path, Buffer.from('{"sql":"SELECT * FROM data"}'))
  assert.equal((await query(annas, links.query)).status, 200)
  const kept = await theProcess(service)
  // Not even over a dataset of the same bytes.
  const other = await bobs.upload('a,b\n1,2\n')
  assert.equal((await query(bobs, other.links.query)).status, 200)
  assert.equal(service.queries().length, 2)
  writeFileSync(file, formatKeys([bob.key]))
  await until('it has ended', () => !isAlive(kept))
  assert.equal((await query(annas, links.query)).status, 401)
  assert.equal((await query(bobs, other.links.query)).status, 200)
})

type Made = ReturnType<typeof newKey>

/** The one process for queries that a service has. */
async function theProcess(service: RunningService): Promise<number> {
  await until('there is one', () => service.queries().length === 1)
  return service.queries()[0]!
}
