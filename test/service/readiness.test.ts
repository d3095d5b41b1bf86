// Tests of readiness: /readyz says when no child can be started, and when it can again.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client, refusalOf } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

test('a service whose children have no work directory is not ready until they have one', async () => {
  await using service = await RunningService.start(scratch.path)
  const client = new Client(service.url)
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  const workDirs = join(service.dataDir, 'work')
  await rm(workDirs, { recursive: true })
  await writeFile(workDirs, 'in the way')
  const refusal = refusalOf(await client.ask('GET', '/readyz'))
  assert.equal(refusal.status, 503)
  assert.match(refusal.message, /no (reader|query) starts/)
  await rm(workDirs)
  assert.equal((await client.ask('GET', '/readyz')).status, 200)
  // The service works again.
  const { links } = await client.upload('a,b\n1,2\n')
  assert.deepEqual(JSON.parse((await client.get(links.rows)).toString()).rows, [[1, 2]])
  const answer = await client.askJson(links.query, Buffer.from('{"sql":"SELECT count(*) FROM data"}'))
  assert.equal(answer.status, 200)
})
