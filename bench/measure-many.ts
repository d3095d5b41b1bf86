// Measure many: small files one after another, and clients all at once.
import type { Bench } from './bench.ts'
import { cpuByProcess, cpuSince } from './measure-sizes.ts'
import { median, quantile } from './statistics.ts'

/** Files of 1 KB one after another: what durability costs, and what is done once a file. The first ones warm up. */
export async function measureSmall(bench: Bench) {
  const paths = Array.from({ length: 220 }, (_, i) => bench.file({ bytes: 1000, seed: bench.seed + 100 + i }))
  const warmUp = await bench.upload(paths.slice(0, 20), 1)
  const cpuBefore = cpuByProcess(bench)
  const replies = await bench.upload(paths.slice(20), 1)
  const cpuSeconds = cpuSince(bench, cpuBefore, replies.length)
  for (const reply of [...warmUp, ...replies]) await bench.remove(reply)
  const times = replies.map((reply) => reply.ms)
  return { files: times.length, p50Ms: median(times), p99Ms: quantile(times, 0.99), cpuSeconds }
}

/** 32 clients, each with files of its own, all at once. */
export async function measureCrowd(bench: Bench) {
  const clients = 32
  const rounds = 3
  const paths = Array.from({ length: clients }, (_, i) => bench.file({ seed: bench.seed + 1 + i, bytes: 4_200_000 }))
  const all: number[] = []
  let seconds = 0
  let errors = 0
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    const replies = await bench.upload(paths, clients)
    seconds += (performance.now() - started) / 1000
    errors += replies.filter((reply) => reply.status !== 200).length
    all.push(...replies.map((reply) => reply.ms))
    await Promise.all(replies.map(bench.remove))
  }
  const uploadsPerSecond = (clients * rounds) / seconds
  return { clients, rounds, uploadsPerSecond, p50Ms: median(all), p99Ms: quantile(all, 0.99), errors }
}
