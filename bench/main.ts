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

async function measureSize({ name, bytes, rounds }: (typeof sizes)[number]) {
  const path = file({ seed, bytes })
  await duckdb.ask(path)
  await uploadOnce(path)
  const pids = () => ({ server: [service.pid], converters: descendants(service.pid), client: [client.pid] })
  const cpu = () =>
    Object.entries(pids()).map(([who, list]) => [who, list.reduce((sum, pid) => sum + cpuSeconds(pid), 0)])
  for (const pid of [service.pid, ...descendants(service.pid)]) resetPeak(pid)
  const cpuBefore = Object.fromEntries(cpu())
  const pairs: { uploadMs: number; duckdbMs: number; ratio: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { ms: duckdbMs } = await duckdb.ask<{ ms: number }>(path)
    const { ms: uploadMs } = await uploadOnce(path)
    pairs.push({ uploadMs, duckdbMs, ratio: uploadMs / duckdbMs })
  }
  const cpuAfter = Object.fromEntries(cpu())
  const result = {
    name,
    bytes,
    rounds,
    uploadMs: median(pairs.map((pair) => pair.uploadMs)),
    duckdbMs: median(pairs.map((pair) => pair.duckdbMs)),
    ratio: median(pairs.map((pair) => pair.ratio)),
    ratioMin: Math.min(...pairs.map((pair) => pair.ratio)),
    ratioMax: Math.max(...pairs.map((pair) => pair.ratio)),
    cpuSeconds: Object.fromEntries(
      Object.keys(cpuAfter).map((who) => [who, round3((cpuAfter[who] - cpuBefore[who]) / rounds)]),
    ),
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

/** Files of 1 KB one after another: what durability costs. */
async function measureSmall() {
  const paths = Array.from({ length: 200 }, (_, i) => file({ seed: seed + 100 + i, bytes: 1000 }))
  const replies = await upload(paths, 1)
  await Promise.all(replies.map(remove))
  const times = replies.slice(20).map((reply) => reply.ms)
  return { files: times.length, p50Ms: median(times), p99Ms: quantile(times, 0.99) }
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

function round3(value: number): number {
  return Math.round(value * 1000) / 1000
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
