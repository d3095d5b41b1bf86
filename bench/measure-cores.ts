// Measure cores: uploads of 1000 MB to a service limited to one core or two, and a model of four cores.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { OwnDigest } from '../src/io/hashing/file-digest.ts'
import type { Bench } from './bench.ts'
import type { Batch, Reply } from './client.ts'
import { cpuSecondsByThread, LineProcess } from './processes.ts'
import { startService } from './service.ts'
import { median } from './statistics.ts'

const bytes = 1_036_000_000
const rounds = 3
/** The service hashes in batches of this size. */
const batchBytes = 262_144

export interface CoreFigures {
  readonly cores: number
  /** False for modelled figures. */
  readonly isMeasured: boolean
  readonly uploadMs: number
  /** For one upload: the receiving thread, all other threads of the service, and the client. */
  readonly cpuSeconds: { readonly receiving: number; readonly others: number; readonly client: number }
}

/** The client uses the same cores as the service. */
export async function measureCores(bench: Bench): Promise<CoreFigures[]> {
  const figures: CoreFigures[] = []
  for (const cores of [1, 2]) if (cores <= availableParallelism()) figures.push(await onCores(bench, cores))
  const last = figures.at(-1)
  if (last !== undefined) figures.push(onFour(last, digestSeconds()))
  for (const one of figures) console.error(JSON.stringify(one))
  return figures
}

async function onCores(bench: Bench, cores: number): Promise<CoreFigures> {
  const list = cores === 1 ? '0' : `0-${cores - 1}`
  const dataDir = join(bench.directory, 'data-cores')
  const service = await startService(dataDir, { cores: list, flags: ['--converters', String(cores)] })
  const client = new LineProcess('client.ts', ['taskset', '-c', list])
  const path = bench.file({ bytes })
  const url = `${service.url}/qas/uploadCsv`
  try {
    const times: number[] = []
    let before = cpuByThread(service.pid, client.pid)
    for (let round = 0; round <= rounds; round++) {
      const [reply] = await client.ask<Reply[]>(JSON.stringify({ url, paths: [path], atOnce: 1 } satisfies Batch))
      if (reply?.status !== 200) throw new Error(`Cannot upload: ${reply?.body}`)
      await fetch(`${service.url}/qas/datasets/${reply.datasetId}`, { method: 'DELETE' })
      // The first upload warms up.
      if (round === 0) before = cpuByThread(service.pid, client.pid)
      else times.push(reply.ms)
    }
    const after = cpuByThread(service.pid, client.pid)
    const mean = (who: keyof typeof before) => (after[who] - before[who]) / rounds
    const cpuSeconds = { receiving: mean('receiving'), others: mean('others'), client: mean('client') }
    return { cores, isMeasured: true, uploadMs: median(times), cpuSeconds }
  } finally {
    client.end()
    await service.stop()
  }
}

/** CPU seconds so far: of the receiving thread, of all other threads of the service, and of the client. */
export function cpuByThread(servicePid: number, clientPid: number) {
  const sum = (values: readonly number[]) => values.reduce((total, one) => total + one, 0)
  const { main, others } = cpuSecondsByThread(servicePid)
  const client = cpuSecondsByThread(clientPid)
  return { receiving: main, others: sum(others), client: client.main + sum(client.others) }
}

/** CPU time of hashing the file. Hashes one batch repeatedly, since bytes just received are in the cache, too. */
function digestSeconds(): number {
  const batch = Buffer.alloc(batchBytes, 'some content\n')
  const runs = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    const digest = new OwnDigest()
    for (let done = 0; done < bytes; done += batchBytes) digest.add(batch)
    digest.end()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  })
  return Math.min(...runs)
}

/**
 * With four cores, another thread hashes. The upload then takes as long as its busiest share: the receiving thread, the
 * client, or a quarter of all work. Time that the measured upload took beyond its busiest share is added unchanged.
 */
function onFour({ cores, uploadMs, cpuSeconds }: CoreFigures, hashing: number): CoreFigures {
  const { receiving, others, client } = cpuSeconds
  const all = (receiving + others + client) * 1000
  const share = Math.max((receiving - hashing) * 1000, client * 1000, all / 4)
  const beyond = uploadMs - Math.max(receiving * 1000, client * 1000, all / cores)
  const cpuOnFour = { receiving: receiving - hashing, others: others + hashing, client }
  return { cores: 4, isMeasured: false, uploadMs: share + Math.max(0, beyond), cpuSeconds: cpuOnFour }
}
