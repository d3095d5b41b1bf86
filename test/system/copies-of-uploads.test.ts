// Tests of copies of uploads over kills and a database that is away: a 200 means that the dataset will be in the table.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../support/client.ts'
import { openPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'

function flagsOf({ url }: PostgresServer): readonly string[] {
  return ['--copy-target', `pg=${url}?table=events&mode=append`, '--copy-uploads-to', 'pg']
}

/** Resolves when all are in the table; fails when nothing has moved for a minute. */
async function arrived({ query }: PostgresServer, count: number): Promise<void> {
  let [last, movedAt] = ['', Date.now()]
  for (;;) {
    // No copy has made the table yet.
    const [[found = null] = []] = await query('SELECT count(DISTINCT id) FROM events').catch(() => [['0']])
    if (Number(found) === count) return
    if (found !== last) [last, movedAt] = [found ?? '', Date.now()]
    assert.ok(Date.now() - movedAt < 60_000, `${found} of ${count} copied, and no more for a minute`)
    await sleep(50)
  }
}

async function survivesKills(database: PostgresServer, dataDir: string, flags: readonly string[]): Promise<void> {
  const uploads = 3
  await database.kill()
  for (let i = 0; i < uploads; i += 1) {
    const service = await RunningService.start(dataDir, flags)
    await new Client(service.url).upload(`id\n${i}\n`)
    await service[Symbol.asyncDispose]()
  }
  await database.start()
  await using _ = await RunningService.start(dataDir, flags)
  await arrived(database, uploads)
}

test('an upload is copied although the service was killed right after the 200', async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  await using scratch = await scratchDir()
  await survivesKills(database, join(scratch.path, 'data'), flagsOf(database))
})

test('the same with a bucket', { skip: noS3Server }, async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  await using s3 = await startS3Server()
  await using scratch = await scratchDir()
  const store = ['--store', `s3://${s3.bucket}/copies`, '--s3-endpoint', s3.endpoint, '--s3-path-style', 'yes']
  await survivesKills(database, join(scratch.path, 'data'), [...store, ...flagsOf(database)])
})

// It ends early when nothing moves.
const patient = { timeout: 1_800_000 }

test('1,100 uploads while the database is away are copied when it is back', patient, async (t) => {
  const database = await openPostgres(t)
  if (database === null) return
  await using scratch = await scratchDir()
  const count = 1_100
  await database.kill()
  const service = await RunningService.start(join(scratch.path, 'data'), flagsOf(database))
  const client = new Client(service.url)
  let next = 0
  const sendOthers = async () => {
    while (next < count) {
      next += 1
      await client.upload(`id\n${next}\n`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, sendOthers))
  // A try that is due again in hours is due immediately after a start.
  await service[Symbol.asyncDispose]()
  await database.start()
  await using _ = await RunningService.start(join(scratch.path, 'data'), flagsOf(database))
  await arrived(database, count)
})
