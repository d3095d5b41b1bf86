// Measure replicas: uploads to one, two and four services on a bucket on the same machine, and to its S3 server alone;
// and the number of bucket requests per upload.
import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { S3Objects } from '../src/store/s3/s3-objects.ts'
import { S3Proxy } from '../test/support/s3-proxy.ts'
import { noS3Server, type S3Server, startS3Server } from '../test/support/s3-server.ts'
import { type Bench, scale } from './bench.ts'
import type { Batch, Reply } from './client.ts'
import { cpuSeconds, descendants, LineProcess } from './processes.ts'
import { type RunningService, startService } from './service.ts'

const fileBytes = 100_000_000
const files = 8
/** Concurrent uploads. The same for all numbers of replicas. */
const atOnce = 4
const counts = [1, 2, 4] as const
const partBytes = 8_388_608

export interface ReplicaFigures {
  readonly problem?: string
  readonly fileBytes?: number
  readonly files?: number
  readonly atOnce?: number
  /** For the same files, put into the bucket without a service, in parts of 8 MB. */
  readonly alone?: Throughput
  readonly replicas?: readonly (Throughput & { readonly replicas: number })[]
  /** Requests of one upload, by operation. */
  readonly requests?: readonly { readonly bytes: number; readonly calls: Readonly<Record<string, number>> }[]
}

interface Throughput {
  readonly megabytesPerSecond: number
  /** CPU time for all files: of the services with their children, and of the S3 server. */
  readonly cpuSeconds: { readonly services: number; readonly s3Server: number }
}

export async function measureReplicas(bench: Bench): Promise<ReplicaFigures> {
  if (noS3Server !== undefined) return { problem: noS3Server }
  await using server = await startS3Server()
  const s3Pid = descendants(process.pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(server.root),
  )
  if (s3Pid === undefined) throw new Error('Cannot find the process of the S3 server')
  const paths = Array.from({ length: files }, (_, i) => bench.file({ bytes: fileBytes, seed: bench.seed + 300 + i }))
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  const measured = async (services: () => readonly number[], work: () => Promise<unknown>): Promise<Throughput> => {
    const before = [cpuOf(services()), cpuSeconds(s3Pid)] as const
    const startedMs = performance.now()
    await work()
    const seconds = (performance.now() - startedMs) / 1_000
    const used = { services: cpuOf(services()) - before[0], s3Server: cpuSeconds(s3Pid) - before[1] }
    return { megabytesPerSecond: bytes / seconds / 1e6, cpuSeconds: used }
  }
  const alone = await measured(
    () => [],
    () => putAll(server, paths),
  )
  const replicas: (Throughput & { readonly replicas: number })[] = []
  for (const count of counts) {
    await using running = await startReplicas(bench, server, count)
    const pids = () => running.services.map(({ pid }) => pid)
    replicas.push({ replicas: count, ...(await measured(pids, () => running.sendAll(paths))) })
  }
  const requests = [await countRequests(bench, server, 1_000), await countRequests(bench, server, fileBytes)]
  return { fileBytes: fileBytes * scale, files, atOnce, alone, replicas, requests }
}

function cpuOf(pids: readonly number[]): number {
  return pids.flatMap((pid) => [pid, ...descendants(pid)]).reduce((sum, pid) => sum + cpuSeconds(pid), 0)
}

/** Puts the files as the service does, and nothing else: the maximum that S3 server and disk allow. */
async function putAll({ endpoint, bucket }: S3Server, paths: readonly string[]): Promise<void> {
  const objects = new S3Objects({ endpoint, bucket, prefix: `${randomUUID()}/`, pathStyle: true, region: null })
  const left = [...paths]
  const never = new AbortController().signal
  const writer = async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      await using file = await open(path)
      const target = await objects.multipart(`${left.length}`)
      const part = Buffer.alloc(partBytes)
      for (let number = 1; ; number += 1) {
        const { bytesRead } = await file.read(part, 0, partBytes)
        if (bytesRead === 0) break
        await target.add(number, part.subarray(0, bytesRead), never)
      }
      await target.complete()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, writer))
  objects.close()
}

interface Replicas extends AsyncDisposable {
  readonly services: readonly RunningService[]
  /** Sends all files, spread over the replicas. */
  sendAll(paths: readonly string[]): Promise<void>
}

/** Starts replicas on a prefix of their own in the bucket. */
async function startReplicas(
  bench: Bench,
  { endpoint, bucket }: Pick<S3Server, 'endpoint' | 'bucket'>,
  count: number,
): Promise<Replicas> {
  const flags = ['--store', `s3://${bucket}/${randomUUID()}`, '--s3-endpoint', endpoint, '--s3-path-style', 'yes']
  await using started = new AsyncDisposableStack()
  const services: RunningService[] = []
  for (let i = 0; i < count; i += 1) {
    const dataDir = join(bench.directory, `data-replica-${i}`)
    started.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    const service = await startService(dataDir, { flags })
    started.defer(() => service.stop())
    services.push(service)
  }
  const clients = services.map(() => {
    const client = new LineProcess('client.ts')
    started.defer(() => client.end())
    return client
  })
  const running = started.move()
  return {
    services,
    sendAll: async (paths) => {
      const batches = services.map(({ url }, i) => {
        const share = paths.filter((_, file) => file % count === i)
        const batch: Batch = { url: `${url}/qas/uploadCsv`, paths: share, atOnce: Math.ceil(atOnce / count) }
        return clients[i]!.ask<Reply[]>(JSON.stringify(batch))
      })
      const failed = (await Promise.all(batches)).flat().find(({ status }) => status !== 200)
      if (failed !== undefined) throw new Error(`Cannot upload: ${failed.body}`)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function countRequests(bench: Bench, server: S3Server, bytes: number) {
  await using proxy = await S3Proxy.to(server.endpoint)
  await using running = await startReplicas(bench, { endpoint: proxy.endpoint, bucket: server.bucket }, 1)
  proxy.carried.length = 0
  const path = bench.file({ bytes, seed: bench.seed + 400 })
  await running.sendAll([path])
  const calls: Record<string, number> = {}
  for (const { call } of proxy.carried) calls[call] = (calls[call] ?? 0) + 1
  return { bytes: statSync(path).size, calls }
}
