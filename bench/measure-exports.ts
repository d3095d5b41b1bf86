// Measure exports: the CPU time of downloads that are made, in turns with DuckDB's COPY of the same parts in this process.
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type Bench, whereAndWhen } from './bench.ts'
import { cpuSeconds, cpuSecondsByThread, descendants } from './processes.ts'
import { median } from './statistics.ts'

/** Each export of the first size is read once before, so that the processes and pages of both are there. */
const sizes = [
  { bytes: 87_000_000, unmeasured: 1, rounds: 5 },
  { bytes: 1_036_000_000, unmeasured: 0, rounds: 2 },
]

const exports = [
  { name: 'data.csv?spreadsheet=true', format: 'csv' },
  { name: 'data.csv?typed=true', format: 'csv' },
  { name: 'data.ndjson', format: 'json' },
]

export async function measureExports(bench: Bench) {
  const figures = []
  for (const { bytes, unmeasured, rounds } of sizes) {
    const [reply] = await bench.upload([bench.file({ bytes })], 1)
    if (!reply?.datasetId) throw new Error(`Cannot upload the file to measure: ${reply?.body}`)
    const dir = join(bench.dataDir, 'datasets', reply.datasetId, 'data')
    const copy = await openCopy(dir, join(bench.dataDir, 'copy'))
    for (const { name, format } of exports) {
      const turns: { duckdb: number; service: number; receiving: number }[] = []
      for (let round = 0; round < unmeasured + rounds; round++) {
        const duckdb = await copy.seconds(format)
        const turn = { duckdb, ...(await downloadSeconds(bench, `${reply.datasetId}/${name}`)) }
        if (round >= unmeasured) turns.push(turn)
      }
      const ratios = turns.map(({ service, duckdb }) => service / duckdb)
      const figure = {
        name,
        bytes,
        rounds,
        duckdbCpu: median(turns.map(({ duckdb }) => duckdb)),
        serviceCpu: median(turns.map(({ service }) => service)),
        receivingCpu: median(turns.map(({ receiving }) => receiving)),
        ratio: median(ratios),
        ratioMin: Math.min(...ratios),
        ratioMax: Math.max(...ratios),
      }
      console.error(JSON.stringify(figure))
      figures.push(figure)
    }
    copy.close()
    await bench.remove(reply)
  }
  return { ...whereAndWhen(), exports: figures }
}

/** User and system time of the service with its children, and of its first thread. */
async function downloadSeconds({ service }: Bench, path: string) {
  const tree = () => [service.pid, ...descendants(service.pid)].reduce((sum, one) => sum + cpuSeconds(one), 0)
  const before = { service: tree(), receiving: cpuSecondsByThread(service.pid).main }
  const request = get(`${service.url}/qas/datasets/${path}`)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`Cannot get ${path}: ${response.statusCode}`)
  for await (const _ of response);
  return {
    service: tree() - before.service,
    receiving: cpuSecondsByThread(service.pid).main - before.receiving,
  }
}

async function openCopy(dir: string, target: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const names = readdirSync(dir).toSorted()
  await connection.run(
    `CREATE VIEW data AS FROM read_parquet([${names.map((one) => `'${join(dir, one)}'`).join(', ')}])`,
  )
  return {
    async seconds(format: string): Promise<number> {
      const before = process.cpuUsage()
      await connection.run(`COPY data TO '${target}' (FORMAT ${format})`)
      const { user, system } = process.cpuUsage(before)
      rmSync(target)
      return (user + system) / 1e6
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
