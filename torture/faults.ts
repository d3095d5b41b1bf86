// Faults: the faults of the system tests, hundreds of times.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writePart } from '../src/columns/converter.testing.ts'
import { isServiceError } from '../src/core/errors.ts'
import { ReaderPool } from '../src/engine/readers/reader-pool.ts'
import { scratchDir } from '../test/support/running-service.ts'
import { createRandom } from '../test/support/samples.ts'
import { fillDisks, healthWhileConverting, sendAtOnce } from '../test/system/faults.ts'
import { stopUnderLoad } from '../test/system/shutdown.ts'

const counts = {
  short: { diskSizes: 6, roundsAtOnce: 3, stops: 3, jobs: 200, uploads: 2 },
  long: { diskSizes: 100, roundsAtOnce: 150, stops: 51, jobs: 5_000, uploads: 20 },
} as const

/** Free space on the largest of the filled disks: more than the upload needs. */
const leftBytesMax = 4_500_000
/** Maximum 99th percentile of `/healthz` while files are converted. Milliseconds. */
const healthMsMax = 250

export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const { diskSizes, roundsAtOnce, stops, jobs, uploads } = counts[scale]
  await using scratch = await scratchDir()
  const place = (name: string) => join(scratch.path, name)
  const left = Array.from({ length: diskSizes }, (_, i) => Math.round((leftBytesMax * i) / (diskSizes - 1)))
  const disks = await fillDisks(left)
  const atOnce = await sendAtOnce(place('at-once'), { seed, rounds: roundsAtOnce, kills: true })
  const stopped = await stopUnderLoad(place('stopped'), { seed, rounds: stops })
  const killed = await killReaders(seed, jobs)
  const health = await healthWhileConverting(place('health'), uploads)
  if (scale === 'long' && health.p99Ms > healthMsMax) throw new Error(`/healthz took ${health.p99Ms} ms`)
  return {
    'disks filled': disks === null ? 'none: mounting requires root' : disks.kept + disks.refused,
    'uploads refused': disks?.refused ?? 0,
    'concurrent uploads of the same bytes': atOnce.uploads,
    'services killed meanwhile': atOnce.kills,
    'services stopped under load, by one signal or two': stopped.stops,
    'uploads while stopping': stopped.kept + stopped.refused + stopped.unanswered,
    'reader jobs': jobs,
    'readers killed': killed.kills,
    'jobs that lost two readers': killed.failed,
    '/healthz while converting, 99th percentile': `${Math.round(health.p99Ms)} ms`,
    'promises broken': 0,
  }
}

/** Thousands of small jobs, some of them aborted, while readers are killed at random: each must end in time. */
async function killReaders(seed: number, jobs: number): Promise<{ kills: number; failed: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'csv-upload-torture-'))
  const random = createRandom(seed)
  const late: string[] = []
  const warn = (_fields: object, message: string) => void (message.includes('late') && late.push(message))
  const pool = new ReaderPool({ size: 3, jobMsMax: 60_000, logger: { warn } })
  const did = { kills: 0, failed: 0 }
  let left = jobs
  let isOver = false
  const path = writePart(dir, 'a\n'.repeat(2_000))
  const work = async () => {
    while (left-- > 0) {
      const abort = new AbortController()
      if (random(20) === 0) setTimeout(() => abort.abort(new Error('gone')), random(30))
      try {
        const windows = [{ offset: 0, limit: 2 + random(8) * 200 }]
        await pool.run('rows', { paths: [path], windows, columns: ['column 0'] }, abort.signal)
      } catch (error) {
        if (abort.signal.aborted) continue
        if (!isServiceError(error, 'CONVERSION_FAILED') || !/SIGKILL/.test(String(error.cause))) throw error
        did.failed += 1
      }
    }
  }
  const kill = async () => {
    while (!isOver) {
      await sleep(random(400))
      const children = childIds()
      const child = children[random(children.length || 1)]
      if (child !== undefined && process.kill(child, 'SIGKILL')) did.kills += 1
    }
  }
  try {
    const killing = kill()
    await Promise.all(Array.from({ length: 8 }, work))
    isOver = true
    await killing
    if (late.length > 0) throw new Error(`${late.length} jobs did not end in time`)
    return did
  } finally {
    isOver = true
    await pool.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Process ids of the readers: the children of this process. */
function childIds(): readonly number[] {
  // Ended children disappear from the list once Node has reaped them.
  const tasks = readdirSync(`/proc/${process.pid}/task`)
  return tasks.flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
}
