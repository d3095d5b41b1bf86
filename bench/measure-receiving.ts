// Measure receiving: the CPU time of the receiving thread compared with a bare server, and the memory of an idle service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Bench, whereAndWhen } from './bench.ts'
import type { Batch, Reply } from './client.ts'
import { cpuSecondsByThread, descendants, LineProcess, residentMegabytes } from './processes.ts'
import { median } from './statistics.ts'

const bytes = 4_200_000
/** The system counts CPU time in steps of 10 ms. */
const filesPerRound = 40
const rounds = 8
const warmUps = 2

/** A service and a server of Node that drops what it receives get the same files in turns, one file after another. */
export async function measureReceiving(bench: Bench) {
  const bare = new LineProcess('bare-server.ts')
  try {
    const { url } = await bare.ask<{ url: string }>('')
    const paths = Array.from({ length: filesPerRound }, (_, i) => bench.file({ bytes, seed: bench.seed + 500 + i }))
    const secondsOf = async (pid: number, target: string) => {
      const before = cpuSecondsByThread(pid).main
      const batch = { url: `${target}/qas/uploadCsv`, paths, atOnce: 1 } satisfies Batch
      const replies = await bench.client.ask<Reply[]>(JSON.stringify(batch))
      const seconds = (cpuSecondsByThread(pid).main - before) / paths.length
      if (target !== url) await Promise.all(replies.map(bench.remove))
      return seconds
    }
    const turns: { seconds: number; bareSeconds: number }[] = []
    for (let round = -warmUps; round < rounds; round++) {
      const seconds = await secondsOf(bench.service.pid, bench.service.url)
      const bareSeconds = await secondsOf(bare.pid, url)
      if (round >= 0) turns.push({ seconds, bareSeconds })
    }
    const ratios = turns.map((turn) => turn.seconds / turn.bareSeconds)
    return {
      ...whereAndWhen(),
      bytes,
      rounds,
      filesPerRound,
      seconds: median(turns.map((turn) => turn.seconds)),
      bareSeconds: median(turns.map((turn) => turn.bareSeconds)),
      ratio: median(ratios),
      ratioMin: Math.min(...ratios),
      ratioMax: Math.max(...ratios),
    }
  } finally {
    bare.end()
  }
}

const idleMs = 70_000
const idleUploads = 5

/** Resident memory of all processes that `npm start` leaves, after a few uploads and a minute without work. */
export async function measureIdle(bench: Bench) {
  const dataDir = join(bench.directory, 'data-idle')
  const launcher = join(import.meta.dirname, '..', 'scripts', 'run.mjs')
  const args = [launcher, 'serve', '--port', '0', '--data', dataDir, '--log-level', 'error']
  const service = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] })
  try {
    let url = ''
    for await (const line of createInterface({ input: service.stderr })) {
      url = /http:\/\/[^\s/]+/.exec(line)?.[0] ?? ''
      if (url !== '') break
    }
    const paths = Array.from({ length: idleUploads }, (_, i) => bench.file({ bytes, seed: bench.seed + 500 + i }))
    await bench.client.ask(JSON.stringify({ url: `${url}/qas/uploadCsv`, paths, atOnce: 1 } satisfies Batch))
    await sleep(idleMs)
    const pids = [service.pid ?? 0, ...descendants(service.pid ?? 0)]
    const megabytes = pids.reduce((sum, pid) => sum + residentMegabytes(pid), 0)
    return { ...whereAndWhen(), uploads: idleUploads, bytes, processes: pids.length, megabytes }
  } finally {
    service.kill('SIGTERM')
    await once(service, 'exit')
  }
}
