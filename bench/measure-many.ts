// Measure many: small files one after another, and clients all at once.
import { availableParallelism } from 'node:os'
import type { Bench } from './bench.ts'
import type { Reply } from './client.ts'
import { cpuByThread } from './measure-cores.ts'
import { cpuByProcess, cpuSince } from './measure-sizes.ts'
import { LineProcess } from './processes.ts'
import { median, quantile } from './statistics.ts'

/** Sends files of 1 KB one after another: the cost of durability and of other work per file. As many first warm up. */
export async function measureSmall(bench: Bench) {
  const count = 200
  const paths = Array.from({ length: 2 * count }, (_, i) => bench.file({ bytes: 1000, seed: bench.seed + 100 + i }))
  const warmUp = await bench.upload(paths.slice(0, count), 1)
  const cpuBefore = cpuByProcess(bench)
  const replies = await bench.upload(paths.slice(count), 1)
  const cpuSeconds = cpuSince(bench, cpuBefore, replies.length)
  for (const reply of [...warmUp, ...replies]) await bench.remove(reply)
  const times = replies.map((reply) => reply.ms)
  return { files: times.length, p50Ms: median(times), p99Ms: quantile(times, 0.99), cpuSeconds }
}

/**
 * 32 clients, each sending one file after another, in turns with DuckDB alone on the same files: as many processes as
 * there are cores, each with its share of the files. A first round of both warms up.
 */
export async function measureCrowd(bench: Bench) {
  const clients = 32
  const filesPerClient = 3
  const rounds = 3
  const seeds = Array.from({ length: clients * filesPerClient }, (_, i) => bench.seed + 1 + i)
  const paths = seeds.map((seed) => bench.file({ seed, bytes: 4_200_000 }))
  const duckdbs = Array.from({ length: availableParallelism() }, () => new LineProcess('duckdb-alone.ts'))
  const measured: Reply[] = []
  const turns: { uploadsPerSecond: number; duckdbPerSecond: number }[] = []
  const cpuSeconds = { receiving: 0, others: 0, client: 0 }
  try {
    for (let round = 0; round <= rounds; round++) {
      const duckdbPerSecond = paths.length / (await secondsOf(() => convertAll(duckdbs, paths)))
      const before = cpuByThread(bench.service.pid, bench.client.pid)
      let replies: readonly Reply[] = []
      const seconds = await secondsOf(async () => {
        replies = await bench.upload(paths, clients)
      })
      const after = cpuByThread(bench.service.pid, bench.client.pid)
      if (round > 0) {
        turns.push({ uploadsPerSecond: paths.length / seconds, duckdbPerSecond })
        measured.push(...replies)
        for (const who of ['receiving', 'others', 'client'] as const) {
          cpuSeconds[who] += (after[who] - before[who]) / paths.length / rounds
        }
      }
      await Promise.all(replies.map(bench.remove))
    }
  } finally {
    for (const duckdb of duckdbs) duckdb.end()
  }
  const times = measured.map((reply) => reply.ms)
  return {
    clients,
    rounds,
    filesPerClient,
    uploadsPerSecond: median(turns.map((turn) => turn.uploadsPerSecond)),
    duckdbPerSecond: median(turns.map((turn) => turn.duckdbPerSecond)),
    ratio: median(turns.map((turn) => turn.uploadsPerSecond / turn.duckdbPerSecond)),
    p50Ms: median(times),
    p99Ms: quantile(times, 0.99),
    errors: measured.filter((reply) => reply.status !== 200).length,
    cores: availableParallelism(),
    cpuSeconds,
  }
}

async function convertAll(duckdbs: readonly LineProcess[], paths: readonly string[]): Promise<void> {
  await Promise.all(
    duckdbs.map(async (duckdb, index) => {
      for (let at = index; at < paths.length; at += duckdbs.length) await duckdb.ask(paths[at] as string)
    }),
  )
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}
