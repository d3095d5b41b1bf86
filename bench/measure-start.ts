// Measure start: how long a service with a million datasets takes from its start to its first response.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, scale } from './bench.ts'
import { makeDatasets } from './many-datasets.ts'
import { peakMegabytes } from './processes.ts'
import { type RunningService, startService } from './service.ts'
import { median } from './statistics.ts'

const datasets = Math.ceil(1_000_000 * scale)
const rounds = 3

/** Measures starts after a stop, after a kill and, if there was no index yet, without an index. */
export async function measureStart({ directory }: Bench) {
  const dataDir = join(directory, scale === 1 ? 'many' : `many-${datasets}`)
  makeDatasets(dataDir, datasets)
  const hadIndex = existsSync(join(dataDir, 'index.sqlite'))
  const first = await started(dataDir)
  await first.service.stop()
  const closed: number[] = []
  const killed: number[] = []
  const listMs: number[] = []
  const nameMs: number[] = []
  let serverMegabytes = 0
  for (let round = 0; round < rounds; round++) {
    const afterStop = await started(dataDir)
    closed.push(afterStop.ms)
    listMs.push(await get(afterStop.service, 'limit=100'))
    nameMs.push(await get(afterStop.service, `limit=10&name=day+${datasets - 1}.csv`))
    serverMegabytes = Math.max(serverMegabytes, peakMegabytes(afterStop.service.pid))
    await afterStop.service.stop('SIGKILL')
    const afterKill = await started(dataDir)
    killed.push(afterKill.ms)
    await afterKill.service.stop()
  }
  return {
    datasets,
    rounds,
    startMs: median(closed),
    startAfterKillMs: median(killed),
    ...(!hadIndex && { startWithoutIndexMs: first.ms }),
    listMs: median(listMs),
    findByNameMs: median(nameMs),
    serverMegabytes,
  }
}

/** Starts the service and waits until it has listed the newest hundred datasets. */
async function started(dataDir: string): Promise<{ readonly service: RunningService; readonly ms: number }> {
  const startedMs = performance.now()
  const service = await startService(dataDir, { keepData: true, flags: ['--scrub-every', 'none'] })
  await get(service, 'limit=100')
  return { service, ms: performance.now() - startedMs }
}

async function get({ url }: RunningService, query: string): Promise<number> {
  const startedMs = performance.now()
  const answer = await fetch(`${url}/qas/datasets?${query}`)
  const { datasets: found } = (await answer.json()) as { datasets: readonly unknown[] } // of a list
  if (found.length === 0) throw new Error(`Cannot find datasets by ${query}`)
  return performance.now() - startedMs
}
