// Tests of copies of uploads over kills and a database that is away: a 200 means that the dataset will be in the table.
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from '../support/client.ts'
import { databaseFor } from '../support/postgres-server.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { until } from '../support/until.ts'

for (const [place, skip] of [
  ['a directory', undefined],
  ['a bucket', noS3Server],
] as const) {
  test(`an upload into ${place} is copied although the service was killed right after the 200`, {
    skip: skip ?? false,
  }, async (t) => {
    const database = await databaseFor(t)
    if (database === null) return
    await using started = new AsyncDisposableStack()
    const flags = ['--copy-target', `pg=${database.url}?table=events&mode=append`, '--copy-uploads-to', 'pg']
    if (place === 'a bucket') {
      const { bucket, endpoint } = started.use(await startS3Server())
      flags.push('--store', `s3://${bucket}/copies`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes')
    }
    const dataDir = join(started.use(await scratchDir()).path, 'data')
    const uploads = 3
    await database.kill()
    for (let i = 0; i < uploads; i += 1) {
      const service = await RunningService.start(dataDir, flags)
      await new Client(service.url).upload(`id\n${i}\n`)
      await service[Symbol.asyncDispose]()
    }
    await database.start()
    await using _ = await RunningService.start(dataDir, flags)
    await until('all are in the table', async () => {
      // No copy has made the table yet.
      const [[found = null] = []] = await database.query('SELECT count(DISTINCT id) FROM events').catch(() => [['0']])
      return Number(found) === uploads || found
    })
  })
}
