// Bench targets: benchmark figures beside their targets, and other tools, as Markdown.
import { existsSync, readFileSync } from 'node:fs'

/** When and where a row was measured, if not with all others. */
interface Measured {
  readonly date: string
  readonly machine: string
}

const measured = ({ date, machine }: Measured) => `${date}, ${machine}`

/** Rows of bench/figures.json; each is absent until it is measured. */
interface Figures {
  readonly date: string
  readonly machine: string
  readonly sizes?: readonly SizeFigures[]
  readonly mixes?: readonly SizeFigures[]
  readonly small?: { readonly p50Ms: number }
  readonly crowd?: { readonly uploadsPerSecond: number }
  readonly receiving?: Measured & { readonly seconds: number; readonly ratio: number }
  readonly idle?: Measured & { readonly megabytes: number }
  readonly typeMismatch?: { readonly ratio: number }
  readonly use?: {
    readonly profileMs: number
    readonly summarizeMs: number
    readonly downloads: readonly {
      readonly name: string
      readonly megabytesPerSecond: number
      readonly catMegabytesPerSecond: number
    }[]
  }
  readonly queries?: readonly {
    readonly sql: string
    readonly bytes: number
    readonly p50Ms: number
    readonly perSecond: number
  }[]
  readonly beside?: readonly { readonly large: number; readonly p50Ms: number; readonly p99Ms: number }[]
  readonly start?: {
    readonly startMs: number
    readonly startAfterKillMs: number
    /** Only if there was no index yet. */
    readonly startWithoutIndexMs?: number
    readonly listMs: number
    readonly serverMegabytes: number
  }
  readonly page?: {
    readonly firstLoadGzipBytes: number
    readonly interactiveMs: number
    readonly previewMs: number
    readonly scroll: { readonly framesPerSecond: number; readonly longestFrameMs: number }
  }
  readonly waits?: Measured & {
    readonly usableMs: number
    readonly usableUnslowedMs: number
    readonly liveMs: number
    readonly liveMsMax: number
    readonly keyUncheckedMs: number
    readonly keyMs: number
    readonly keyMsMax: number
  }
  readonly shapes?: { readonly files: readonly { readonly name: string; readonly ratio: number }[] }
  readonly cores?: readonly {
    readonly cores: number
    readonly isMeasured: boolean
    readonly uploadMs: number
    readonly cpuSeconds: { readonly receiving: number; readonly others: number; readonly client: number }
  }[]
  readonly replicas?: {
    readonly problem?: string
    readonly alone?: BucketFigures
    readonly replicas?: readonly (BucketFigures & { readonly replicas: number })[]
    readonly requests?: readonly { readonly bytes: number; readonly calls: Readonly<Record<string, number>> }[]
  }
  readonly peers?: readonly {
    readonly name: string
    readonly how: string
    readonly keeps: string
    readonly hashes: string
    readonly syncs: string
    readonly problem?: string
    readonly times: readonly { readonly file: string; readonly ms: number; readonly uploadMs: number }[]
  }[]
}

interface BucketFigures {
  readonly megabytesPerSecond: number
  readonly cpuSeconds: { readonly services: number; readonly s3Server: number }
}

interface SizeFigures {
  readonly name: string
  readonly ratio: number
  readonly afterLastByteMs?: number
  readonly peakMegabytes: { readonly server: number; readonly converters: readonly number[] }
}

type Row = readonly [what: string, goal: string, figure: string | undefined]

const notYet = 'Not measured yet.'

function readFigures(): Figures | null {
  const url = new URL('../../bench/figures.json', import.meta.url)
  return existsSync(url) ? (JSON.parse(readFileSync(url, 'utf8')) as Figures) : null // written by bench/main.ts
}

/** Each figure and its target. */
export function targetsTable(): string {
  const figures = readFigures()
  if (figures === null) return notYet
  const rows = [...uploadRows(figures), ...useRows(figures), ...pageRows(figures), ...serviceRows(figures)]
  return [
    `${figures.machine}, ${figures.date}.`,
    '',
    '| Measurement | Target | Result |',
    '| --- | --- | --- |',
    ...rows.map(([what, goal, figure]) => `| ${what} | ${goal} | ${figure ?? 'not measured yet'} |`),
    ...plot('ratios', 'Time of uploads as a multiple of DuckDB alone', figures.sizes),
    ...plot('beside', 'Time of files of 1 KB beside large uploads', figures.beside),
  ].join('\n')
}

function uploadRows({
  sizes = [],
  mixes = [],
  small,
  crowd,
  receiving,
  typeMismatch,
  shapes,
}: Figures): readonly Row[] {
  const ratio = (name: string) => [...sizes, ...mixes].find((one) => one.name === name)?.ratio.toFixed(2)
  const last = sizes.find(({ name }) => name === '1000 MB')?.afterLastByteMs
  const others = shapes?.files.filter(({ name }) => name !== '500 columns') ?? []
  return [
    ['1000 MB, ratio to DuckDB alone', '≤ 0.75', ratio('1000 MB')],
    ['400 MB of numbers, ratio to DuckDB alone', '≤ 0.75', ratio('400 MB of numbers')],
    ['400 MB of texts, ratio to DuckDB alone', '≤ 0.95', ratio('400 MB of texts')],
    ['64 MB of 500 columns, ratio to DuckDB alone', '≤ 1.0', ratio('64 MB of 500 columns')],
    ['4.2 MB, ratio to DuckDB alone', '≤ 0.7', ratio('4.2 MB')],
    ['1 KB, median, everything synced', '≤ 5 ms', small && time(small.p50Ms)],
    ['32 clients of 4.2 MB', '≥ 50 per second', crowd && `${crowd.uploadsPerSecond.toFixed(1)} per second`],
    [
      'CPU time of the receiving thread for 4.2 MB, ratio to a bare Node server; its time',
      '≤ 6.5',
      receiving && `${receiving.ratio.toFixed(1)}; ${time(receiving.seconds * 1000)} (${measured(receiving)})`,
    ],
    ['From last byte to response, 1000 MB', '≤ 100 ms', last === undefined ? undefined : time(last)],
    [
      '1000 MB with a text in the last record of a number column, ratio to the clean file',
      '≤ 1.6',
      typeMismatch?.ratio.toFixed(2),
    ],
    [
      'Slowest malformed file, ratio to a clean one',
      '≤ 1.5',
      others.length === 0 ? undefined : Math.max(...others.map((one) => one.ratio)).toFixed(2),
    ],
  ]
}

function useRows({ use, queries = [] }: Figures): readonly Row[] {
  const [original, csv] = use?.downloads ?? []
  const counting = queries.find(({ sql, bytes }) => sql.startsWith('SELECT count(*)') && bytes < 10_000_000)
  const grouping = queries.find(({ sql, bytes }) => sql.includes('GROUP BY') && bytes > 10_000_000)
  return [
    [
      'SQL `count(*)` over 4.2 MB by one client, median; per second',
      '≤ 5 ms; ≥ 200',
      counting && `${time(counting.p50Ms)}; ${Math.round(counting.perSecond)}`,
    ],
    ['SQL `GROUP BY` over 87 MB, median', '≤ 30 ms', grouping && time(grouping.p50Ms)],
    [
      'Profile of 10.8 million records, uncached, ratio to `SUMMARIZE`',
      '≤ 1.0',
      use && (use.profileMs / use.summarizeMs).toFixed(2),
    ],
    [
      'Download of `original`, ratio to `cat` through the same client',
      '≥ 0.5',
      original && (original.megabytesPerSecond / original.catMegabytesPerSecond).toFixed(2),
    ],
    ['Download of `data.csv`', '≥ 600 MB/s', csv && `${Math.round(csv.megabytesPerSecond)} MB/s`],
  ]
}

function pageRows({ page, waits }: Figures): readonly Row[] {
  return [
    ['First load of the page, gzipped', '≤ 60 kB', page && `${(page.firstLoadGzipBytes / 1_000).toFixed(1)} kB`],
    ['The page accepts files after', '≤ 500 ms', page && time(page.interactiveMs)],
    ['First row of a chosen file of 1000 MB, before it is sent', '≤ 1 s', page && time(page.previewMs)],
    [
      'Scrolling 10.8 million rows on the page, frames per second; longest frame',
      '≥ 50; ≤ 100 ms',
      page && `${page.scroll.framesPerSecond.toFixed(0)}; ${time(page.scroll.longestFrameMs)}`,
    ],
    [
      'The page is usable with a quarter of the CPU, 1.6 Mbit/s and 150 ms; with all of them',
      '≤ 1.5 s',
      waits && `${time(waits.usableMs)}; ${time(waits.usableUnslowedMs)} (${measured(waits)})`,
    ],
    [
      'What curl sends shows on an open page after, median; longest',
      '≤ 2 s',
      waits && `${time(waits.liveMs)}; ${time(waits.liveMsMax)} (${measured(waits)})`,
    ],
    [
      'From a key press to its frame, median; while 300 MB are checked, median; longest',
      '≤ 50 ms',
      waits && `${time(waits.keyUncheckedMs)}; ${time(waits.keyMs)}; ${time(waits.keyMsMax)} (${measured(waits)})`,
    ],
  ]
}

function serviceRows({ beside = [], start, sizes = [], idle }: Figures): readonly Row[] {
  const small = (large: number): string | undefined => {
    const one = beside.find((figure) => figure.large === large)
    return one && `${time(one.p50Ms)}; ${time(one.p99Ms)}`
  }
  const anew = start?.startWithoutIndexMs
  const after = start && `${time(start.startAfterKillMs)} after a kill${anew ? `, ${time(anew)} without an index` : ''}`
  const peakOf = (peaks: readonly number[]) => (peaks.length === 0 ? undefined : `${Math.round(Math.max(...peaks))} MB`)
  return [
    ['1 KB beside one upload of 1000 MB, median; 99th percentile', '≤ 40 ms; ≤ 200 ms', small(1)],
    ['1 KB beside three, median; 99th percentile', '≤ 40 ms; ≤ 200 ms', small(3)],
    ['Start with 1,000,000 datasets', '≤ 3 s', start && `${time(start.startMs)} (${after})`],
    [
      'Peak memory of the server, including its two column threads',
      '≤ 150 MB + 2 × 130 MB',
      peakOf(sizes.map(({ peakMegabytes }) => peakMegabytes.server)),
    ],
    [
      'Memory of an idle service, all processes',
      '≤ 200 MB',
      idle && `${Math.round(idle.megabytes)} MB (${measured(idle)})`,
    ],
    ['Peak memory of a reader', '≤ 130 MB', peakOf(sizes.flatMap(({ peakMegabytes }) => peakMegabytes.converters))],
  ]
}

/** Uploads to several services on a bucket, and the requests to the bucket per upload. */
export function replicasTable(): string {
  const { alone, replicas, requests } = readFigures()?.replicas ?? {}
  if (alone === undefined || replicas === undefined || requests === undefined) return notYet
  const line = (name: string, { megabytesPerSecond, cpuSeconds: { services, s3Server } }: BucketFigures) =>
    `| ${name} | ${Math.round(megabytesPerSecond)} MB/s | ${services.toFixed(1)} s | ${s3Server.toFixed(1)} s |`
  const callsOf = (calls: Readonly<Record<string, number>>) =>
    Object.entries(calls)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([call, count]) => `${count} ${call}`)
      .join(', ')
  const size = (bytes: number) => (bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${Math.round(bytes / 1e6)} MB`)
  return [
    '| Services | Throughput | CPU time: services | S3 server |',
    '| --- | --- | --- | --- |',
    line('none: the S3 server alone', alone),
    ...replicas.map((one) => line(`${one.replicas}`, one)),
    '',
    ...requests.map(({ bytes, calls }) => `- Requests of an upload of ${size(bytes)}: ${callsOf(calls)}.`),
  ].join('\n')
}

/** Uploads by cores, and the time of each part of the work. */
export function coresTable(): string {
  const cores = readFigures()?.cores
  if (cores === undefined) return notYet
  return [
    '| Cores | 1000 MB | CPU s: receiving thread | other threads | client |',
    '| --- | --- | --- | --- | --- |',
    ...cores.map(({ cores: count, isMeasured, uploadMs, cpuSeconds: { receiving, others, client } }) => {
      const name = isMeasured ? `${count}` : `${count}, modelled`
      return `| ${name} | ${time(uploadMs)} | ${receiving.toFixed(2)} | ${others.toFixed(2)} | ${client.toFixed(2)} |`
    }),
    ...plot('cores', 'Time of an upload of 1000 MB by cores', cores),
  ].join('\n')
}

/** The same files through other tools. */
export function peersTable(): string {
  const peers = readFigures()?.peers
  if (peers === undefined) return notYet
  const files = ['4.2 MB', '100 MB', '1000 MB']
  const timeOf = (one: NonNullable<Figures['peers']>[number], file: string): string => {
    const found = one.times.find((each) => each.file === file)
    return found === undefined ? '–' : `${time(found.ms)} (${(found.ms / found.uploadMs).toFixed(2)})`
  }
  return [
    `| Tool | ${files.join(' | ')} | Keeps | Hashes | Syncs |`,
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...peers.map((one) => {
      const times = one.problem === undefined ? files.map((file) => timeOf(one, file)) : ['not available here', '', '']
      return `| **${one.name}**: ${one.how} | ${times.join(' | ')} | ${one.keeps} | ${one.hashes} | ${one.syncs} |`
    }),
    ...plot('peers', 'Time of a file of 100 MB through each tool', peers),
  ].join('\n')
}

/** Plots that bench/plots.ts draws from the same figures. */
function plot(name: string, description: string, figures: unknown): readonly string[] {
  return figures === undefined ? [] : ['', `![${description}](plots/${name}.svg)`]
}

/** As the docs print it. */
export function time(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`
}
