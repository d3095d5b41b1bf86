// Tests of copies by two processes on one bucket: a dataset that both are asked to copy is in the table once.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CopyStatus } from '../../src/core/copies/copy-status.ts'
import { Client } from '../support/client.ts'
import { openPostgres } from '../support/postgres-server.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { until } from '../support/until.ts'

test('two replicas copy a dataset once, and each shows the copies of the other', { skip: noS3Server }, async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  const store = ['--store', `s3://${s3.bucket}/copies`, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  const flags = [...store, '--copy-target', `pg=${database.url}?mode=append`]
  await using one = await RunningService.start(join(scratch.path, 'one'), flags)
  await using other = await RunningService.start(join(scratch.path, 'other'), flags)
  const clients = [new Client(one.url), new Client(other.url)]
  const { id } = await clients[0]!.upload({ content: 'id,name\n1,Ada\n2,\n', fileName: 'people.csv' })
  const path = `/qas/datasets/${id}/copies`
  const answers = await Promise.all(clients.map((client) => client.askJson(path, Buffer.from('{"to":"pg"}'))))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202],
  )
  for (const client of clients) {
    let copies: readonly CopyStatus[] = []
    await until('the copy is done', async () => {
      copies = JSON.parse((await client.get(path)).toString()).copies
      assert.notEqual(copies[0]?.state, 'failed', copies[0]?.problem ?? '')
      return copies[0]?.state === 'done' || copies
    })
    assert.deepEqual([copies.length, copies[0]?.records], [1, 2])
  }
  assert.deepEqual(await database.query('TABLE people'), [
    ['1', 'Ada'],
    ['2', null],
  ])
})
