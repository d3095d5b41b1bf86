// Measure use: how fast a large dataset can be viewed, profiled and downloaded, compared with DuckDB and `cat`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DuckDBInstance } from '@duckdb/node-api'
import { median } from './statistics.ts'

export interface UseFigures {
  readonly records: number
  readonly columns: number
  /** Time of 100 rows, at the beginning and at the end of the dataset. */
  readonly firstPageMs: number
  readonly lastPageMs: number
  readonly profileMs: number
  /** `SUMMARIZE` over the same Parquet, with as many threads as there are cores. */
  readonly summarizeMs: number
  readonly downloads: readonly DownloadFigures[]
}

export interface DownloadFigures {
  readonly name: string
  readonly bytes: number
  /** Million bytes per second. */
  readonly megabytesPerSecond: number
  /** The same for `cat` on a file of these bytes, read by the same client. */
  readonly catMegabytesPerSecond: number
}

export interface UseTarget {
  readonly url: string
  /** Peak memory of the service. */
  readonly dataDir: string
  readonly datasetId: string
  readonly rounds: number
}

interface Counts {
  readonly records: { readonly accepted: number }
  readonly columns: readonly unknown[]
}

/** Measures one dataset. Its profile must not have been requested before. */
export async function measureUse({ url, dataDir, datasetId, rounds }: UseTarget): Promise<UseFigures> {
  const self = `${url}/qas/datasets/${datasetId}`
  const dir = join(dataDir, 'datasets', datasetId)
  const { records, columns } = (await (await fetch(self)).json()) as Counts // a receipt
  const page = (offset: number) => () => drainResponse(`${self}/rows?limit=100&offset=${offset}`)
  // The first read of a part verifies its hash; that happens once, not for each page.
  await page(0)()
  await page(records.accepted - 100)()
  const firstPageMs = await medianMs(rounds, page(0))
  const lastPageMs = await medianMs(rounds, page(records.accepted - 100))
  const summarizeMs = await medianMs(1, () => summarize(join(dir, 'data')))
  const profileMs = await medianMs(1, () => drainResponse(`${self}/profile`))
  const original = join(dir, 'original')
  const downloads = [
    await measureDownload('original', `${self}/original`, original),
    await measureDownload('data.csv', `${self}/data.csv`, original),
  ]
  return {
    records: records.accepted,
    columns: columns.length,
    firstPageMs,
    lastPageMs,
    profileMs,
    summarizeMs,
    downloads,
  }
}

const downloadTurns = 9

/** Takes turns with `cat`, because disk cache and other processes could favour one of them. */
async function measureDownload(name: string, url: string, samePath: string): Promise<DownloadFigures> {
  const [sent, cat]: [number[], number[]] = [[], []]
  let bytes = 0
  for (let turn = 0; turn < downloadTurns; turn++) {
    cat.push(await rate(() => drain(spawn('cat', [samePath], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout)))
    sent.push(
      await rate(async () => {
        bytes = await drainResponse(url)
        return bytes
      }),
    )
  }
  return { name, bytes, megabytesPerSecond: median(sent), catMegabytesPerSecond: median(cat) }
}

async function summarize(dir: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const parts = readdirSync(dir).map((name) => `'${join(dir, name)}'`)
  await connection.runAndReadAll(`SUMMARIZE FROM read_parquet([${parts.join(', ')}])`)
  connection.closeSync()
  instance.closeSync()
}

async function drainResponse(url: string): Promise<number> {
  const request = get(url)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`Cannot get ${url}: ${answer.statusCode}`)
  return drain(answer)
}

async function drain(stream: Readable): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += (chunk as Uint8Array).length
  return bytes
}

async function rate(work: () => Promise<number>): Promise<number> {
  const startedMs = performance.now()
  const bytes = await work()
  return bytes / 1000 / (performance.now() - startedMs)
}

async function medianMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    await work()
    times.push(performance.now() - startedMs)
  }
  return median(times)
}
