// Replicas: seeded schedules of three replicas over one bucket, each call held and released by itself; then kills of
// real processes over a real S3 server. Nothing acknowledged is lost, nothing deleted comes back, nothing is left.
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { checkReplicas } from '../test/support/replica-checks.ts'
import { type Options, playSchedule } from '../test/support/replica-schedule.ts'
import { patchGlobals } from '../test/support/replica-world.ts'
import { scratchDir } from '../test/support/running-service.ts'
import { surviveReplicaKills } from './replica-kills.ts'

interface Work {
  readonly from: number
  readonly count: number
  /** Wall clock, in epoch milliseconds: a thread ends then at the latest. */
  readonly endsAt: number
}

interface Totals {
  schedules: number
  steps: number
  operations: number
  kills: number
  pauses: number
}

if (!isMainThread) await playAll(workerData as Work) // run() below starts this file with it

/** Ends after a number of schedules and kills, or after `MINUTES` in the environment; there is no time limit by default. */
export async function run(scale: 'short' | 'long', seed: number): Promise<Readonly<Record<string, number | string>>> {
  const schedules = scale === 'long' ? 20_000 : 200
  // On a busy machine, more of them.
  const threads = Number(process.env.THREADS ?? availableParallelism())
  const each = Math.ceil(schedules / threads)
  const endsAt = Date.now() + Number(process.env.MINUTES ?? Number.POSITIVE_INFINITY) * 60_000
  const playing = Array.from({ length: threads }, (_, i) =>
    playInThread({ from: seed + i * each, count: each, endsAt }),
  )
  const [killed, ...totals] = await Promise.all([
    surviveReplicaKills(seed, scale === 'long' ? 100 : 3, endsAt),
    ...playing,
  ])
  const sum = (key: keyof Totals) => totals.reduce((total, one) => total + one[key], 0)
  return {
    schedules: sum('schedules'),
    'calls, operations': `${sum('steps')}, ${sum('operations')}`,
    'replicas paused, killed': `${sum('pauses')}, ${sum('kills')}`,
    'promises broken': 0,
    ...(await controls(seed)),
    'kills of real processes': killed.kills ?? 0,
    'requests to them, without a response': `${killed.requests}, ${killed.unanswered}`,
    'acknowledged but lost, deleted but back, left in the bucket': 0,
  }
}

/** Each takes one promise of the bucket or of the service back: the checks must fail then. */
async function controls(seed: number): Promise<Readonly<Record<string, string>>> {
  await using scratch = await scratchDir()
  using _ = patchGlobals()
  const found = async (control: Partial<Options>) => {
    for (let number = 0; number < 500; number += 1) {
      try {
        await playSchedule(seed + number, { dir: scratch.path, check: checkReplicas, ...control })
      } catch {
        return `fault found in schedule ${number + 1}`
      }
    }
    throw new Error(`no schedule has found the fault of the control ${Object.keys(control)}`)
  }
  return {
    'control: receipts are written and deleted whatever they are': await found({ ignores: /receipt\.json$/ }),
    'control: without sweeps': await found({ withoutSweeps: true }),
  }
}

async function playInThread(work: Work): Promise<Totals> {
  const worker = new Worker(new URL(import.meta.url), { workerData: work })
  let totals: Totals | null = null
  worker.on('message', (message: Totals | string) => {
    if (typeof message === 'string') process.stderr.write(message)
    else totals = message
  })
  await once(worker, 'exit')
  if (totals === null) throw new Error(`schedules from ${work.from} on have failed`)
  return totals
}

async function playAll({ from, count, endsAt }: Work): Promise<void> {
  const { parentPort } = await import('node:worker_threads')
  await using scratch = await scratchDir()
  using _ = patchGlobals()
  const totals: Totals = { schedules: 0, steps: 0, operations: 0, kills: 0, pauses: 0 }
  const check: Options['check'] = async (played) => {
    totals.schedules += 1
    totals.steps += played.world.log.length
    totals.operations += played.outcomes.length
    totals.kills += played.kills
    totals.pauses += played.pauses
    await checkReplicas(played)
  }
  const failures: string[] = []
  for (let number = 0; number < count && Date.now() < endsAt; number += 1) {
    await playSchedule(from + number, { dir: scratch.path, check }).catch((error) => failures.push(String(error)))
    if (number % 500 === 499) parentPort?.postMessage(`${number + 1} schedules from ${from} on\n`)
  }
  if (failures.length > 0) throw new Error(failures.join('\n\n'))
  parentPort?.postMessage(totals)
}
