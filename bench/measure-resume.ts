// Measure resume: what broken connections cost, here and with tusd; what paused uploads and watchers of an upload cost.
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type Bench, scale } from './bench.ts'
import { eventually, freePort, run, start } from './peers/commands.ts'
import { cpuSeconds, descendants, peakMegabytes, resetPeak, residentMegabytes } from './processes.ts'
import { median, quantile } from './statistics.ts'
import { createByTus, patchByTus, sendByTus, type TusSent, write } from './tus-client.ts'

const breakCount = 20
const rounds = 3
const pausedUploads = Math.ceil(1_000 * scale)
const pausedBytes = 100_000
const watcherCount = 200

/** A server that accepts uploads by tus. */
interface TusServer {
  readonly endpoint: string
  readonly pid: number
  /** Removes the upload, so that the same file is new the next time. */
  remove(sent: TusSent): Promise<void>
}

/** Sends 1000 MB with 20 breaks and with none, in turns; the same through tusd, if it can be installed. */
export async function measureResume(bench: Bench) {
  const path = bench.file({ bytes: 1_036_000_000 })
  const ours: TusServer = {
    endpoint: `${bench.service.url}/qas/uploads`,
    pid: bench.service.pid,
    remove: async ({ url }) => {
      const answer = await fetch(url, { headers: { prefer: 'wait=60' } })
      const { datasetId } = (await answer.json()) as { readonly datasetId: string | null } // of a status
      await fetch(`${bench.service.url}/qas/datasets/${datasetId}`, { method: 'DELETE' })
    },
  }
  const figures = await measureBreaks(ours, path, bench.seed)
  return { bytes: statSync(path).size, breaks: breakCount, rounds, ...figures, tusd: await measureTusd(bench, path) }
}

async function measureBreaks(server: TusServer, path: string, seed: number) {
  const { size } = statSync(path)
  const whole: Turn[] = []
  const broken: Turn[] = []
  for (let round = 0; round < rounds; round++) {
    whole.push(await takeTurn(server, path, []))
    broken.push(await takeTurn(server, path, breaksOf(size, seed + round)))
  }
  const medianOf = (turns: readonly Turn[], what: 'ms' | 'cpuSeconds' | 'sentBytes') =>
    median(turns.map((turn) => turn[what]))
  const figuresOf = (turns: readonly Turn[]) => ({
    ms: Math.round(medianOf(turns, 'ms')),
    cpuSeconds: medianOf(turns, 'cpuSeconds'),
    sentBytes: medianOf(turns, 'sentBytes'),
  })
  const comeBackMs = broken.flatMap((turn) => turn.comeBackMs)
  return {
    whole: figuresOf(whole),
    broken: figuresOf(broken),
    bytesRatio: medianOf(broken, 'sentBytes') / size,
    cpuRatio: medianOf(broken, 'cpuSeconds') / medianOf(whole, 'cpuSeconds'),
    comeBackP50Ms: median(comeBackMs),
    comeBackP99Ms: quantile(comeBackMs, 0.99),
  }
}

interface Turn extends TusSent {
  /** CPU time of the server and its children. */
  readonly cpuSeconds: number
}

async function takeTurn(server: TusServer, path: string, breaks: readonly number[]): Promise<Turn> {
  const before = cpuOf(server.pid)
  const sent = await sendByTus(server.endpoint, path, breaks)
  const turn = { ...sent, cpuSeconds: Math.round((cpuOf(server.pid) - before) * 100) / 100 }
  await server.remove(sent)
  return turn
}

function cpuOf(pid: number): number {
  return [pid, ...descendants(pid)].reduce((sum, one) => sum + cpuSeconds(one), 0)
}

/** One break at a random offset in each of the equal pieces of the file. */
function breaksOf(bytes: number, seed: number): readonly number[] {
  const piece = bytes / (breakCount + 1)
  return Array.from({ length: breakCount }, (_, i) => {
    const chance = Math.abs(Math.sin((seed + 1) * 1_000 + i)) // repeatable for a seed
    return Math.max(1, Math.floor(piece * (i + chance)))
  })
}

/** tusd 2 with its file store, on the same machine. */
async function measureTusd(bench: Bench, path: string) {
  const directory = join(bench.directory, 'tusd')
  const data = join(directory, 'data')
  try {
    const program = await installTusd(directory)
    rmSync(data, { recursive: true, force: true })
    mkdirSync(data, { recursive: true })
    const port = await freePort()
    const args = ['-host', '127.0.0.1', '-port', String(port), '-base-path', '/files/', '-upload-dir', data]
    await using running = start(program, args)
    const endpoint = `http://127.0.0.1:${port}/files/`
    await eventually(() => fetch(endpoint, { method: 'OPTIONS' }))
    const remove = async ({ url }: TusSent) => {
      await fetch(url, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } })
    }
    return await measureBreaks({ endpoint, pid: running.child.pid ?? 0, remove }, path, bench.seed)
  } catch (error) {
    console.error(error)
    return { problem: 'Cannot build or run tusd' }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** Finds the program on the PATH, or builds it with Go. */
async function installTusd(directory: string): Promise<string> {
  const found = await run('tusd', ['-version']).catch(() => null)
  if (found !== null) return 'tusd'
  const bin = join(directory, 'bin')
  mkdirSync(bin, { recursive: true })
  await run('env', [`GOBIN=${bin}`, 'go', 'install', 'github.com/tus/tusd/v2/cmd/tusd@latest'])
  return join(bin, 'tusd')
}

/** Measures the memory for a thousand unfinished uploads whose clients have disconnected. */
export async function measurePaused({ service }: Bench) {
  const bytes = Buffer.alloc(pausedBytes, 'id,name\n')
  const pause = async () => {
    const url = await createByTus(`${service.url}/qas/uploads`, pausedBytes * 2)
    const socket = await patchByTus(url, 0, pausedBytes * 2)
    await write(socket, bytes)
    while ((await receivedOf(url)) < pausedBytes);
    socket.destroy()
    return url
  }
  const warmUp = await Promise.all(Array.from({ length: 10 }, pause))
  const beforeMegabytes = residentMegabytes(service.pid)
  const urls: string[] = []
  while (urls.length < pausedUploads) urls.push(await pause())
  const afterMegabytes = residentMegabytes(service.pid)
  for (const url of [...warmUp, ...urls]) await fetch(url, { method: 'DELETE' })
  return { uploads: pausedUploads, bytesEach: pausedBytes, beforeMegabytes, afterMegabytes }
}

async function receivedOf(url: string): Promise<number> {
  const { bytes } = (await (await fetch(url)).json()) as { readonly bytes: { readonly received: number } } // of a status
  return bytes.received
}

/** Sends 1000 MB without watchers and with 200: the events they get, and their cost. */
export async function measureWatchers(bench: Bench) {
  const path = bench.file({ bytes: 1_036_000_000 })
  const { pid } = bench.service
  // The first upload warms up.
  await watchedTurn(bench, path, 0)
  const alone = await watchedTurn(bench, path, 0)
  const beforeMegabytes = residentMegabytes(pid)
  const watched = await watchedTurn(bench, path, watcherCount)
  return {
    watchers: watcherCount,
    events: watched.events,
    eventsPerSecond: Math.round(watched.events / watched.seconds),
    cpuSecondsAlone: alone.cpuSeconds,
    cpuSeconds: watched.cpuSeconds,
    beforeMegabytes,
    peakMegabytes: watched.peakMegabytes,
  }
}

async function watchedTurn({ service }: Bench, path: string, watchers: number) {
  const { size } = statSync(path)
  const url = await createByTus(`${service.url}/qas/uploads`, size)
  let events = 0
  const watching = await Promise.all(
    Array.from({ length: watchers }, async () => {
      const answer = await new Promise<IncomingMessage>((resolve) => get(`${url}/events`, { agent: false }, resolve))
      answer.on('data', (chunk: Buffer) => (events += chunk.toString('latin1').split('\ndata:').length - 1))
      return { ended: new Promise((resolve) => answer.once('end', resolve)) }
    }),
  )
  resetPeak(service.pid)
  const before = cpuOf(service.pid)
  const startedMs = performance.now()
  const sent = await sendByTus(`${service.url}/qas/uploads`, path, [], url)
  const seconds = (performance.now() - startedMs) / 1_000
  await Promise.all(watching.map(({ ended }) => ended))
  const cpuSeconds = Math.round((cpuOf(service.pid) - before) * 100) / 100
  const { datasetId } = (await (await fetch(sent.url)).json()) as { readonly datasetId: string | null } // of a status
  await fetch(`${service.url}/qas/datasets/${datasetId}`, { method: 'DELETE' })
  return { events, seconds, cpuSeconds, peakMegabytes: peakMegabytes(service.pid) }
}
