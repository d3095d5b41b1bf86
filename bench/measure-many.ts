// Measure many: small files one after another, and clients all at once.
import type { Bench } from './bench.ts'
import type { Reply } from './client.ts'
import { cpuByProcess, cpuSince } from './measure-sizes.ts'
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

/** 32 clients, each sending one file after another. A first round warms up. */
export async function measureCrowd(bench: Bench) {
  const clients = 32
  const filesPerClient = 3
  const rounds = 2
  const seeds = Array.from({ length: clients * filesPerClient }, (_, i) => bench.seed + 1 + i)
  const paths = seeds.map((seed) => bench.file({ seed, bytes: 4_200_000 }))
  const measured: Reply[] = []
  let seconds = 0
  for (let round = 0; round <= rounds; round++) {
    const started = performance.now()
    const replies = await bench.upload(paths, clients)
    if (round > 0) {
      seconds += (performance.now() - started) / 1000
      measured.push(...replies)
    }
    await Promise.all(replies.map(bench.remove))
  }
  const times = measured.map((reply) => reply.ms)
  const errors = measured.filter((reply) => reply.status !== 200).length
  const uploadsPerSecond = measured.length / seconds
  return {
    clients,
    rounds,
    filesPerClient,
    uploadsPerSecond,
    p50Ms: median(times),
    p99Ms: quantile(times, 0.99),
    errors,
  }
}
