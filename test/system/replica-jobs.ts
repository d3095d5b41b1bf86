// Replica jobs: sends files to several processes on one bucket, kills one of them, and stops and later continues
// another; each file must be committed once.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { uuidV7 } from '../../src/core/ids.ts'
import type { uploadStatusJson } from '../../src/http/exchange/upload-json.ts'
import type { UploadDetails } from '../../src/service/resumable/resumable-upload.ts'
import { S3Objects } from '../../src/store/s3/s3-objects.ts'
import { createS3Store } from '../../src/store/s3/s3-store.ts'
import type { Store } from '../../src/store/store.ts'
import { Client, jsonOf } from '../support/client.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { noS3Server, type S3Server, startS3Server } from '../support/s3-server.ts'
import { csvText } from '../support/samples.ts'

export type Status = ReturnType<typeof uploadStatusJson>

/** Replicas on their own prefix of a bucket. */
export interface Replicas extends AsyncDisposable {
  readonly objects: S3Objects
  start(name: string, flags?: readonly string[]): Promise<RunningService>
  /** Keys below a prefix. */
  keys(prefix: string): Promise<readonly string[]>
  /** Leaves an upload as a process does that dies right after its last byte has arrived. Returns its id. */
  leaveComplete(content: Buffer): Promise<string>
}

/** Starts an S3 server for the tests that `declare` declares; without one, a test with the title is skipped. */
export async function declareOnReplicas(title: string, declare: (open: () => Replicas) => void): Promise<void> {
  if (noS3Server !== undefined) {
    test(title, { skip: noS3Server }, () => {})
    return
  }
  const server = await startS3Server()
  const scratch = await scratchDir()
  after(async () => {
    await server[Symbol.asyncDispose]()
    await scratch[Symbol.asyncDispose]()
  })
  declare(() => replicasOn(server, join(scratch.path, randomUUID())))
}

/**
 * @param dir Contains a directory for each replica.
 * @param lease Longer than any process waits for a core.
 */
export function replicasOn({ endpoint, bucket }: S3Server, dir: string, lease = '5s'): Replicas {
  const prefix = `${randomUUID()}/`
  const place = { endpoint, bucket, prefix, pathStyle: true, region: null }
  const objects = new S3Objects(place)
  const store = ['--store', `s3://${bucket}/${prefix}`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes']
  const started: RunningService[] = []
  return {
    objects,
    start: async (name, flags = []) => {
      const service = await RunningService.start(join(dir, name), [...store, '--lease', lease, ...flags])
      started.push(service)
      return service
    },
    leaveComplete: async (content) => {
      // Does not renew its lease, like a dead process.
      const local = { dir: join(dir, 'gone'), cacheBytesMax: 0, leaseMs: 3_600_000 }
      await using store = asDisposable(await createS3Store({ ...place, ...local }))
      const facts = { id: uuidV7(Date.now()), owner: '', createdAt: Date.now(), details }
      const spool = await store.of.spools.create(facts, content.length)
      await using writer = await spool.open()
      await writer.write([content])
      await writer.commit({ isComplete: true })
      return facts.id
    },
    keys: (of) => Array.fromAsync(objects.list(of), ({ key }) => key),
    [Symbol.asyncDispose]: async () => {
      for (const service of started) await service[Symbol.asyncDispose]()
      objects.close()
    },
  }
}

const details: UploadDetails = {
  form: null,
  fileName: 'left.csv',
  fileType: 'text/csv',
  declared: {},
  remark: null,
  idempotencyKey: null,
  isOneRequest: true,
  client: '',
}

function asDisposable(of: Store): { readonly of: Store } & AsyncDisposable {
  return { of, [Symbol.asyncDispose]: () => of.close() }
}

/** The status of an ended upload, as one replica shows it. */
export async function endOf(client: Client, path: string): Promise<Status> {
  for (;;) {
    const answer = await client.ask('GET', path, undefined, { prefer: 'wait=20' })
    // Other replicas see the end of an upload in one request a moment after its response.
    if (answer.status === 404) continue
    assert.equal(answer.status, 200, answer.body.toString())
    const status = jsonOf<Status>(answer)
    if (['done', 'failed', 'expired'].includes(status.phase)) return status
  }
}

/**
 * Sends files to all processes at once. After they have returned 202 for their share, the first is killed and the
 * second is stopped, until all jobs have ended. Returns how many uploads the others had to continue.
 */
export async function runJobs(replicas: Replicas, count: number, processes: number): Promise<number> {
  const services = await Promise.all(Array.from({ length: processes }, (_, i) => replicas.start(`replica-${i}`)))
  const [, zombie, ...others] = services
  const headers = { 'content-type': 'text/csv', prefer: 'respond-async' }
  const send = async (job: number): Promise<string> => {
    const content = Buffer.from(csvText('id,name', 20_000, (i) => `${i},name ${i} of ${job}`))
    const client = new Client(services[job % processes]!.url)
    const answer = await client.ask('POST', '/qas/uploads', content, headers)
    assert.equal(answer.status, 202, answer.body.toString())
    return answer.headers.location!
  }
  const sent = Array.from({ length: count }, (_, job) => send(job))
  const shareOf = (process: number) => sent.filter((_, job) => job % processes === process)
  const leftBy = async (process: number, signal: NodeJS.Signals): Promise<number> => {
    const ids = (await Promise.all(shareOf(process))).map((path) => path.split('/').at(-1))
    services[process]!.kill(signal)
    const unfinished = await replicas.keys('unfinished/')
    return unfinished.filter((key) => ids.includes(key.split('/')[1])).length
  }
  const left = await Promise.all([leftBy(0, 'SIGKILL'), leftBy(1, 'SIGSTOP')])
  const paths = await Promise.all(sent)
  const ends = await Promise.all(paths.map((path, i) => endOf(new Client(others[i % others.length]!.url), path)))
  for (const { phase, error } of ends) assert.equal(phase, 'done', JSON.stringify(error))
  zombie!.kill('SIGCONT')
  const woken = new Client(zombie!.url)
  for (const [i, path] of paths.entries()) {
    assert.equal((await endOf(woken, path)).links.receipt, ends[i]!.links.receipt)
  }
  await checkCommits(replicas, ends)
  return left[0]! + left[1]!
}

/** Asserts that each upload has one dataset with one record, and that no work is left. */
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
  // A continued process may still be releasing its uploads, and others those of the killed one.
  while ((await replicas.keys('unfinished')).length > 0) await sleep(50)
}
