// Bench: measures what the service promises, everything in one run, and writes bench/figures.json. Never a test.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Batch, Reply } from './client.ts'
import { type GenerateOptions, generateCsv } from './generate.ts'
import { measureQuery } from './measure-query.ts'
import { measureShapes } from './measure-shapes.ts'
import { measureUse } from './measure-use.ts'
import { cpuSeconds, descendants, LineProcess, peakMegabytes, resetPeak } from './processes.ts'
import { startService } from './service.ts'
import { median, quantile } from './statistics.ts'

const directory = join(import.meta.dirname, '..', '.bench')
const sizes = [
  { name: '4.2 MB', bytes: 4_200_000, rounds: 15 },
  { name: '100 MB', bytes: 100_000_000, rounds: 5 },
  // The request, multipart delimiters included, stays within the limit of 1000MB = 1,048,576,000 bytes.
  { name: '1000 MB', bytes: 1_036_000_000, rounds: 5 },
]
const seed = Number(process.env.SEED ?? 1)

mkdirSync(directory, { recursive: true })
const file = (options: Omit<GenerateOptions, 'path'>): string => {
  const shapeName = options.shape === undefined ? '' : `-${options.shape.name.replaceAll(/\W+/g, '-')}`
  const path = join(directory, `${options.bytes}-${options.seed}${shapeName}.csv`)
  if (!existsSync(path)) generateCsv({ ...options, path })
  return path
}

const service = await startService(join(directory, 'data'))
const client = new LineProcess('client.ts')
const duckdb = new LineProcess('duckdb-alone.ts')
const upload = (paths: readonly string[], atOnce: number): Promise<Reply[]> =>
  client.ask<Reply[]>(JSON.stringify({ url: `${service.url}/qas/uploadCsv`, paths, atOnce } satisfies Batch))

/** Sends one file and deletes what came of it, so that the next time it is no duplicate. */
async function uploadOnce(path: string): Promise<Reply> {
  const [reply] = await upload([path], 1)
  if (reply?.status !== 200 || reply.datasetId === null) throw new Error(`Cannot upload ${path}: ${reply?.body}`)
  await remove(reply)
  return reply
}

async function remove({ datasetId }: Reply): Promise<void> {
  await fetch(`${service.url}/qas/datasets/${datasetId}`, { method: 'DELETE' })
}

/** Seconds so far. A converter that ended meanwhile is missing. */
function cpuByProcess(): Record<string, number> {
  const pids = { server: [service.pid], converters: descendants(service.pid), client: [client.pid] }
  return Object.fromEntries(
    Object.entries(pids).map(([who, list]) => [who, list.reduce((sum, pid) => sum + cpuSeconds(pid), 0)]),
  )
}

/** The mean of one upload, of so many since `before`. */
function cpuSince(before: Record<string, number>, uploads: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(cpuByProcess()).map(([who, seconds]) => [who, round4((seconds - (before[who] ?? 0)) / uploads)]),
  )
}

async function measureSize({ name, bytes, rounds }: (typeof sizes)[number]) {
  const path = file({ seed, bytes })
  await duckdb.ask(path)
  await uploadOnce(path)
  for (const pid of [service.pid, ...descendants(service.pid)]) resetPeak(pid)
  const cpuBefore = cpuByProcess()
  const pairs: { uploadMs: number; duckdbMs: number; ratio: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { ms: duckdbMs } = await duckdb.ask<{ ms: number }>(path)
    const { ms: uploadMs } = await uploadOnce(path)
    pairs.push({ uploadMs, duckdbMs, ratio: uploadMs / duckdbMs })
  }
  const cpuSeconds = cpuSince(cpuBefore, rounds)
  const result = {
    name,
    bytes,
    rounds,
    uploadMs: median(pairs.map((pair) => pair.uploadMs)),
    duckdbMs: median(pairs.map((pair) => pair.duckdbMs)),
    ratio: median(pairs.map((pair) => pair.ratio)),
    ratioMin: Math.min(...pairs.map((pair) => pair.ratio)),
    ratioMax: Math.max(...pairs.map((pair) => pair.ratio)),
    cpuSeconds,
    peakMegabytes: {
      server: peakMegabytes(service.pid),
      converters: descendants(service.pid).map(peakMegabytes),
    },
  }
  console.error(JSON.stringify(result))
  return result
}

/** 32 clients, each with files of its own, all at once. */
async function measureCrowd() {
  const clients = 32
  const rounds = 3
  const paths = Array.from({ length: clients }, (_, i) => file({ seed: seed + 1 + i, bytes: 4_200_000 }))
  const all: number[] = []
  let seconds = 0
  let errors = 0
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    const replies = await upload(paths, clients)
    seconds += (performance.now() - started) / 1000
    errors += replies.filter((reply) => reply.status !== 200).length
    all.push(...replies.map((reply) => reply.ms))
    await Promise.all(replies.map(remove))
  }
  return {
    clients,
    rounds,
    uploadsPerSecond: (clients * rounds) / seconds,
    p50Ms: median(all),
    p99Ms: quantile(all, 0.99),
    errors,
  }
}

/** Files of 1 KB one after another: what durability costs, and what is done once a file. The first ones warm up. */
async function measureSmall() {
  const paths = Array.from({ length: 220 }, (_, i) => file({ seed: seed + 100 + i, bytes: 1000 }))
  const warmUp = await upload(paths.slice(0, 20), 1)
  const cpuBefore = cpuByProcess()
  const replies = await upload(paths.slice(20), 1)
  const cpuSeconds = cpuSince(cpuBefore, replies.length)
  await Promise.all([...warmUp, ...replies].map(remove))
  const times = replies.map((reply) => reply.ms)
  return { files: times.length, p50Ms: median(times), p99Ms: quantile(times, 0.99), cpuSeconds }
}

/** Uploads a file, measures what can be done with it, and deletes it. */
async function withDataset<Figures>(
  bytes: number,
  measure: (target: { url: string; dataDir: string; datasetId: string; rounds: number }) => Promise<Figures>,
): Promise<Figures> {
  const [reply] = await upload([file({ seed, bytes })], 1)
  if (!reply?.datasetId) throw new Error(`Cannot upload what is to be used: ${reply?.body}`)
  const target = { url: service.url, dataDir: join(directory, 'data'), datasetId: reply.datasetId, rounds: 20 }
  const figures = await measure(target)
  console.error(JSON.stringify(figures))
  await remove(reply)
  return figures
}

function round4(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

const shapes = { bytes: 64_000_000, rounds: 5 }
const measured = []
for (const size of sizes) measured.push(await measureSize(size))
const figures = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  seed,
  sizes: measured,
  small: await measureSmall(),
  shapes: {
    ...shapes,
    files: await measureShapes({
      rounds: shapes.rounds,
      file: (shape) => file({ seed, bytes: shapes.bytes, shape }),
      upload: uploadOnce,
    }),
  },
  queries: await withDataset(100_000_000, measureQuery),
  use: await withDataset(1_036_000_000, measureUse),
  // Last, because a process keeps for a while what it once had, and the memory of one upload is measured above.
  crowd: await measureCrowd(),
}
client.end()
duckdb.end()
await service.stop()
rmSync(join(directory, 'data'), { recursive: true, force: true })
writeFileSync(join(import.meta.dirname, 'figures.json'), `${JSON.stringify(figures, null, 2)}\n`)
console.log(JSON.stringify(figures, null, 2))
