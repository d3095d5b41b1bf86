// Bench: the service, the client and the files that the measurements of a run share. Knows no measurement.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Batch, Reply } from './client.ts'
import { generateCsv } from './generate.ts'
import { LineProcess } from './processes.ts'
import { type RunningService, startService } from './service.ts'
import type { Shape } from './shapes.ts'

/** Describes a file; the same description gives the same file. */
export interface FileWish {
  readonly bytes: number
  /** Default: the seed of the run. */
  readonly seed?: number
  readonly shape?: Shape
}

/** Everything that a measurement works with. */
export interface Bench {
  readonly service: RunningService
  readonly client: LineProcess
  /** The data directory of the service. */
  readonly dataDir: string
  /** For the files of a measurement; kept between runs. */
  readonly directory: string
  readonly seed: number
  /** Returns the path of a file, which is created if it does not exist. */
  file(wish: FileWish): string
  /** Sends files, `atOnce` at a time, with the client of the run or another one. */
  upload(paths: readonly string[], atOnce: number, client?: LineProcess): Promise<Reply[]>
  /** Sends one file and deletes its dataset, so that it is not a duplicate the next time. */
  uploadOnce(path: string, schema?: string): Promise<Reply>
  remove(reply: Reply): Promise<void>
}

export const directory = join(import.meta.dirname, '..', '.bench')

/** The factor for sizes and counts: 0.01 tries all rows in a few minutes. Figures of such a trial mean nothing. */
export const scale = Number(process.env.SCALE ?? 1)

export function whereAndWhen() {
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  return { date: new Date().toISOString().slice(0, 10), machine }
}

/** The path of a file of a size, created once. */
export function benchFile({ bytes: wantedBytes, seed = 1, shape }: FileWish): string {
  const bytes = wantedBytes <= 1_000 ? wantedBytes : Math.ceil(wantedBytes * scale)
  mkdirSync(directory, { recursive: true })
  const shapeName = shape === undefined ? '' : `-${shape.name.replaceAll(/\W+/g, '-')}`
  const path = join(directory, `${bytes}-${seed}${shapeName}.csv`)
  if (!existsSync(path)) generateCsv({ path, bytes, seed, ...(shape && { shape }) })
  return path
}

/** Starts the service and its client. */
export async function openBench(seed: number): Promise<Bench & AsyncDisposable> {
  mkdirSync(directory, { recursive: true })
  const dataDir = join(directory, 'data')
  const service = await startService(dataDir)
  const client = new LineProcess('client.ts')
  const upload: Bench['upload'] = (paths, atOnce, sender = client) =>
    sender.ask<Reply[]>(JSON.stringify({ url: `${service.url}/qas/uploadCsv`, paths, atOnce } satisfies Batch))
  const remove: Bench['remove'] = async ({ datasetId }) => {
    await fetch(`${service.url}/qas/datasets/${datasetId}`, { method: 'DELETE' })
  }
  return {
    service,
    client,
    dataDir,
    directory,
    seed,
    file: (wish) => benchFile({ seed, ...wish }),
    upload,
    remove,
    async uploadOnce(path, schema) {
      const batch: Batch = { url: `${service.url}/qas/uploadCsv`, paths: [path], atOnce: 1, ...(schema && { schema }) }
      const [reply] = await client.ask<Reply[]>(JSON.stringify(batch))
      if (reply?.status !== 200 || reply.datasetId === null) throw new Error(`Cannot upload ${path}: ${reply?.body}`)
      await remove(reply)
      return reply
    },
    async [Symbol.asyncDispose]() {
      client.end()
      await service.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
