// Measure sizes: uploads, in turns with DuckDB alone on the same local file: elapsed time, CPU time, memory.
import type { Bench } from './bench.ts'
import { cpuSeconds, descendants, LineProcess, peakMegabytes, resetPeak } from './processes.ts'
import { numbers, type Shape, texts, wide } from './shapes.ts'
import { median } from './statistics.ts'

export interface SizeWish {
  readonly name: string
  readonly bytes: number
  readonly rounds: number
  readonly shape?: Shape
  /** Uploads before the measured ones. Default 1. */
  readonly warmUps?: number
}

const sizes: readonly SizeWish[] = [
  // The first uploads of a process take longer, because V8 still compiles their code. Large files are not affected.
  { name: '4.2 MB, right after a start', bytes: 4_200_000, rounds: 15 },
  { name: '4.2 MB', bytes: 4_200_000, rounds: 15, warmUps: 60 },
  { name: '100 MB', bytes: 100_000_000, rounds: 5 },
  // The request, multipart delimiters included, stays within the limit of 1000MB = 1,048,576,000 bytes.
  { name: '1000 MB', bytes: 1_036_000_000, rounds: 5 },
]

const mixes: readonly SizeWish[] = [
  { name: '400 MB of numbers', bytes: 400_000_000, rounds: 9, shape: numbers },
  { name: '400 MB of texts', bytes: 400_000_000, rounds: 9, shape: texts },
  { name: '64 MB of 500 columns', bytes: 64_000_000, rounds: 9, shape: wide },
]

/** Measures files of mixed columns. */
export async function measureSizes(bench: Bench) {
  return await measureAll(bench, sizes)
}

/** Measures files that are all numbers, all texts, or very wide. */
export async function measureMixes(bench: Bench) {
  return await measureAll(bench, mixes)
}

async function measureAll(bench: Bench, wishes: readonly SizeWish[]) {
  const duckdb = new LineProcess('duckdb-alone.ts')
  try {
    const figures: Awaited<ReturnType<typeof measureSize>>[] = []
    for (const wish of wishes) figures.push(await measureSize(bench, duckdb, wish))
    return figures
  } finally {
    duckdb.end()
  }
}

async function measureSize(bench: Bench, duckdb: LineProcess, wish: SizeWish) {
  const { name, bytes, rounds, shape, warmUps = 1 } = wish
  const path = bench.file({ bytes, ...(shape && { shape }) })
  await duckdb.ask(path)
  for (let count = 0; count < warmUps; count++) await bench.uploadOnce(path)
  const { pid } = bench.service
  for (const one of [pid, ...descendants(pid)]) resetPeak(one)
  const cpuBefore = cpuByProcess(bench)
  const turns: { uploadMs: number; afterLastByteMs: number; duckdbMs: number; ratio: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { ms: duckdbMs } = await duckdb.ask<{ ms: number }>(path)
    const { ms: uploadMs, afterLastByteMs } = await bench.uploadOnce(path)
    turns.push({ uploadMs, afterLastByteMs, duckdbMs, ratio: uploadMs / duckdbMs })
  }
  const result = {
    name,
    bytes,
    rounds,
    uploadMs: median(turns.map((turn) => turn.uploadMs)),
    afterLastByteMs: median(turns.map((turn) => turn.afterLastByteMs)),
    duckdbMs: median(turns.map((turn) => turn.duckdbMs)),
    ratio: median(turns.map((turn) => turn.ratio)),
    ratioMin: Math.min(...turns.map((turn) => turn.ratio)),
    ratioMax: Math.max(...turns.map((turn) => turn.ratio)),
    cpuSeconds: cpuSince(bench, cpuBefore, rounds),
    peakMegabytes: { server: peakMegabytes(pid), converters: descendants(pid).map(peakMegabytes) },
  }
  console.error(JSON.stringify(result))
  return result
}

/** CPU seconds so far. Excludes readers that have ended. */
export function cpuByProcess({ service, client }: Bench) {
  const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + cpuSeconds(pid), 0)
  return { server: sum([service.pid]), converters: sum(descendants(service.pid)), client: sum([client.pid]) }
}

/** The mean per upload since `before`. */
export function cpuSince(bench: Bench, before: ReturnType<typeof cpuByProcess>, uploads: number) {
  const now = cpuByProcess(bench)
  const mean = (who: keyof typeof now) => Math.round(((now[who] - before[who]) / uploads) * 10_000) / 10_000
  return { server: mean('server'), converters: mean('converters'), client: mean('client') }
}
