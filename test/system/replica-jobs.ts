// Replica jobs: files sent to several processes on one bucket, of which one is killed and one is stopped and woken late; each file is committed once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { uploadStatusJson } from '../../src/http/exchange/upload-json.ts'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { Client, jsonOf } from '../support/client.ts'
import { RunningService } from '../support/running-service.ts'
import type { S3Server } from '../support/s3-server.ts'
import { csvText } from '../support/samples.ts'

export type Status = ReturnType<typeof uploadStatusJson>

/** Replicas on a place of their own in a bucket, and what lies there. */
export interface Replicas extends AsyncDisposable {
  readonly objects: S3Objects
  start(name: string): Promise<RunningService>
  /** Keys below a prefix. */
  keys(prefix: string): Promise<readonly string[]>
}

/** @param dir Where each replica has a directory. */
export function replicasOn({ endpoint, bucket }: S3Server, dir: string, flags: readonly string[] = []): Replicas {
  const prefix = `${randomUUID()}/`
  const objects = new S3Objects({ endpoint, bucket, prefix, pathStyle: true, region: null })
  const store = ['--store', `s3://${bucket}/${prefix}`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes']
  const started: RunningService[] = []
  return {
    objects,
    start: async (name) => {
      const service = await RunningService.start(join(dir, name), [...store, '--lease', '1s', ...flags])
      started.push(service)
      return service
    },
    keys: (of) => Array.fromAsync(objects.list(of), ({ key }) => key),
    [Symbol.asyncDispose]: async () => {
      for (const service of started) await service[Symbol.asyncDispose]()
      objects.close()
    },
  }
}

/** The status of an upload once it has ended, as one replica shows it. */
export async function endOf(client: Client, path: string): Promise<Status> {
  for (;;) {
    const answer = await client.ask('GET', path, undefined, { prefer: 'wait=20' })
    assert.equal(answer.status, 200, answer.body.toString())
    const status = jsonOf<Status>(answer)
    if (['done', 'failed', 'expired'].includes(status.phase)) return status
  }
}

/** How many of the jobs were on a process that was killed or stopped when they were answered 202. */
export async function runJobs(replicas: Replicas, count: number, processes: number): Promise<number> {
  const services = await Promise.all(Array.from({ length: processes }, (_, i) => replicas.start(`replica-${i}`)))
  const [killed, zombie, ...others] = services
  const contents = Array.from({ length: count }, (_, job) =>
    Buffer.from(csvText('id,name', 20_000, (i) => `${i},name ${i} of ${job}`)),
  )
  const headers = { 'content-type': 'text/csv', prefer: 'respond-async' }
  const send = async (service: RunningService, content: Buffer) => {
    const answer = await new Client(service.url).ask('POST', '/qas/uploads', content, headers)
    assert.equal(answer.status, 202, answer.body.toString())
    return answer.headers.location!
  }
  // All of them at work, and each of the two with its share when its time comes.
  const share = Math.floor(count / processes)
  const shares = services.map((service, i) => {
    const end = i === processes - 1 ? count : (i + 1) * share
    return Promise.all(contents.slice(i * share, end).map((content) => send(service, content)))
  })
  await shares[0]
  killed!.kill('SIGKILL')
  await shares[1]
  zombie!.kill('SIGSTOP')
  const paths = (await Promise.all(shares)).flat()
  const left = await Promise.all(
    paths.slice(0, 2 * share).map(async (path) => {
      const phase = jsonOf<Status>(await new Client(others[0]!.url).ask('GET', path)).phase
      return phase !== 'done'
    }),
  )
  const ends = await Promise.all(paths.map((path, i) => endOf(new Client(others[i % others.length]!.url), path)))
  for (const { phase, error } of ends) assert.equal(phase, 'done', JSON.stringify(error))
  zombie!.kill('SIGCONT')
  const client = new Client(zombie!.url)
  for (const [i, path] of paths.entries()) assert.deepEqual(await endOf(client, path), ends[i])
  await checkCommits(replicas, ends)
  return left.filter(Boolean).length
}

/** One dataset for each upload, with one record of it; nothing that anybody would still work on. */
async function checkCommits(replicas: Replicas, ends: readonly Status[]): Promise<void> {
  const keys = await replicas.keys('datasets/')
  const receipts = keys.filter((key) => key.endsWith('/receipt.json'))
  const records = keys.filter((key) => key.includes('/uploads/'))
  const datasets = ends.map(({ links }) => links.receipt?.split('/').at(-1))
  assert.deepEqual(
    receipts.map((key) => key.split('/')[1]),
    datasets.toSorted(),
  )
  const recorded = ends.map(({ id }, i) => `datasets/${datasets[i]}/uploads/${id}.json`)
  assert.deepEqual(records, recorded.toSorted())
  // A process that was woken may still be letting go of what it had.
  for (let tries = 0; (await replicas.keys('unfinished')).length > 0; tries += 1) {
    assert.ok(tries < 200, 'uploads that have ended leave objects')
    await sleep(50)
  }
}
