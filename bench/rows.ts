// Rows: everything that the benchmark measures, in order.
import type { Bench } from './bench.ts'
import { measureBeside } from './measure-beside.ts'
import { measureCores } from './measure-cores.ts'
import { measureDeclared } from './measure-declared.ts'
import { measureExports } from './measure-exports.ts'
import { measureCrowd, measureSmall } from './measure-many.ts'
import { measurePage } from './measure-page.ts'
import { measurePeers } from './measure-peers.ts'
import { measureQuery } from './measure-query.ts'
import { measureIdle, measureReceiving } from './measure-receiving.ts'
import { measureReplicas } from './measure-replicas.ts'
import { measurePaused, measureResume, measureWatchers } from './measure-resume.ts'
import { measureShapes } from './measure-shapes.ts'
import { measureMixes, measureSizes } from './measure-sizes.ts'
import { measureStart } from './measure-start.ts'
import { measureTypeMismatch } from './measure-type-mismatch.ts'
import { measureUse } from './measure-use.ts'
import { measureWaits } from './measure-waits.ts'

export interface BenchRow {
  /** Key of its figures, and value for `--only`. */
  readonly name: string
  readonly what: string
  /** False for rows that are measured only on request. */
  readonly isUsual: boolean
  measure(bench: Bench): Promise<unknown>
}

const shapeBytes = 64_000_000
const shapeRounds = 15

const usual = [
  { name: 'sizes', what: 'files of 4.2, 100 and 1000 MB, compared with DuckDB; memory', measure: measureSizes },
  { name: 'mixes', what: 'files of numbers, of texts, of 500 columns, compared with DuckDB', measure: measureMixes },
  { name: 'small', what: 'files of 1 KB one after another', measure: measureSmall },
  { name: 'receiving', what: 'files of 4.2 MB, CPU time compared with a bare server', measure: measureReceiving },
  { name: 'idle', what: 'memory after a few uploads and a minute without work', measure: measureIdle },
  { name: 'beside', what: 'files of 1 KB beside one, and three, of 1000 MB', measure: measureBeside },
  { name: 'declared', what: 'files of 87 MB with a schema, CPU time compared with none', measure: measureDeclared },
  {
    name: 'type-mismatch',
    what: 'a text in the last record of a column of numbers, 1000 MB',
    measure: measureTypeMismatch,
  },
  {
    name: 'shapes',
    what: 'files with rejects, odd records, quotes, other encodings, compared with clean ones',
    measure: async (bench: Bench) => ({
      bytes: shapeBytes,
      rounds: shapeRounds,
      files: await measureShapes({
        rounds: shapeRounds,
        file: (shape) => bench.file({ bytes: shapeBytes, shape }),
        upload: bench.uploadOnce,
      }),
    }),
  },
  {
    name: 'queries',
    what: 'SQL over 4.2 and 87 MB, one statement after another, compared with DuckDB',
    measure: async (bench: Bench) => [
      ...(await withDataset(bench, 4_200_000, measureQuery)),
      ...(await withDataset(bench, 87_000_000, measureQuery)),
    ],
  },
  {
    name: 'use',
    what: 'rows, profile and downloads of 1000 MB',
    measure: (bench: Bench) => withDataset(bench, 1_036_000_000, measureUse),
  },
  { name: 'exports', what: 'downloads that are made, CPU time compared with COPY', measure: measureExports },
  { name: 'page', what: 'the page in a browser: first load, first row of 1000 MB, scrolling', measure: measurePage },
  { name: 'waits', what: 'the page on a slow device, live, and while it checks 300 MB', measure: measureWaits },
  { name: 'cores', what: 'files of 1000 MB on one core and on two, and a model of four', measure: measureCores },
  { name: 'start', what: 'a start with a million datasets', measure: measureStart },
  { name: 'resume', what: '1000 MB with 20 breaks and with none, and the same through tusd', measure: measureResume },
  { name: 'paused', what: 'memory of a thousand paused uploads', measure: measurePaused },
  { name: 'watchers', what: '1000 MB with 200 watchers and with none', measure: measureWatchers },
  { name: 'replicas', what: 'files of 100 MB to one, two and four services on a bucket', measure: measureReplicas },
  // Last, because a process keeps memory for a while, and the memory of a single upload is measured above.
  { name: 'crowd', what: '32 clients at once with one file of 4.2 MB after another', measure: measureCrowd },
] as const satisfies readonly Omit<BenchRow, 'isUsual'>[]

export const rows = [
  ...usual.map((row) => ({ ...row, isUsual: true })),
  { name: 'peers', what: 'the same files through other tools', isUsual: false, measure: measurePeers } as const,
] satisfies readonly BenchRow[]

/** Uploads a file, measures what can be done with it, and deletes it. */
async function withDataset<Figures>(
  bench: Bench,
  bytes: number,
  measure: (target: {
    url: string
    dataDir: string
    datasetId: string
    bytes: number
    rounds: number
  }) => Promise<Figures>,
): Promise<Figures> {
  const [reply] = await bench.upload([bench.file({ bytes })], 1)
  if (!reply?.datasetId) throw new Error(`Cannot upload the file to measure: ${reply?.body}`)
  const { datasetId } = reply
  try {
    return await measure({ url: bench.service.url, dataDir: bench.dataDir, datasetId, bytes, rounds: 20 })
  } finally {
    await bench.remove(reply)
  }
}
