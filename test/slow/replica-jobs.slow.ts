// Tests of two hundred jobs at four processes on one bucket, one of which is killed and one stopped and later
// continued.
import { test } from 'node:test'
import { scratchDir } from '../support/running-service.ts'
import { noS3Server, startS3Server } from '../support/s3-server.ts'
import { replicasOn, runJobs } from '../system/replica-jobs.ts'

test('200 jobs over 4 replicas with a kill and a zombie are committed once each', { skip: noS3Server }, async (t) => {
  await using server = await startS3Server()
  await using scratch = await scratchDir()
  await using replicas = replicasOn(server, scratch.path)
  t.diagnostic(`${await runJobs(replicas, 200, 4)} jobs were gone on with by others`)
})
