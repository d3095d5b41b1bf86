// Measure query: the time of SQL queries over HTTP, in turns with the same statements in DuckDB in this process.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { quantile } from './statistics.ts'

export interface QueryFigures {
  readonly sql: string
  readonly rounds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly duckdbMs: number
  /** Bytes of the file. */
  readonly bytes: number
  /** Statements a second of one client that sends one after another. */
  readonly perSecond: number
  /** The time of a query beyond that of DuckDB. */
  readonly overheadMs: number
}

export interface QueryTarget {
  readonly url: string
  /** Of the service. */
  readonly dataDir: string
  readonly datasetId: string
  readonly bytes: number
}

/** In a row, in turns with as many in DuckDB. */
const inARow = 25
const rounds = 8

const statements = [
  'SELECT count(*) FROM data',
  'SELECT city, count(*), sum(amount) FROM data GROUP BY city',
  'SELECT * FROM data LIMIT 100',
  'SELECT COLUMNS(*)::VARCHAR FROM data ORDER BY 1 LIMIT 10',
]

/** Runs each statement through the service, after a first one over the dataset, and in DuckDB directly. */
export async function measureQuery({ url, dataDir, datasetId, bytes }: QueryTarget): Promise<readonly QueryFigures[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const dir = join(dataDir, 'datasets', datasetId, 'data')
  const parts = readdirSync(dir)
    .toSorted()
    .map((name) => `'${join(dir, name)}'`)
  await connection.run(`CREATE VIEW data AS FROM read_parquet([${parts.join(', ')}])`)
  const inProcess = async (sql: string) => void (await connection.runAndReadAll(sql)).getRowsJson()
  const overHttp = async (sql: string) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ sql }) }
    const response = await fetch(`${url}/qas/datasets/${datasetId}/query`, init)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`Cannot query: ${text}`)
  }
  const figures: QueryFigures[] = []
  for (const sql of statements) {
    const [alone, asked]: [number[], number[]] = [[], []]
    // The first round starts the process, and fills the caches of both: pages of files.
    for (let round = 0; round <= rounds; round++) {
      const [aloneMs, askedMs]: [number[], number[]] = [[], []]
      for (let i = 0; i < inARow; i++) aloneMs.push(await timed(() => inProcess(sql)))
      for (let i = 0; i < inARow; i++) askedMs.push(await timed(() => overHttp(sql)))
      if (round === 0) continue
      alone.push(...aloneMs)
      asked.push(...askedMs)
    }
    const [p50Ms, p99Ms, duckdbMs] = [quantile(asked, 0.5), quantile(asked, 0.99), quantile(alone, 0.5)]
    const perSecond = (1_000 * asked.length) / asked.reduce((sum, ms) => sum + ms, 0)
    figures.push({ sql, bytes, rounds: asked.length, p50Ms, p99Ms, duckdbMs, perSecond, overheadMs: p50Ms - duckdbMs })
  }
  connection.closeSync()
  instance.closeSync()
  return figures
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
