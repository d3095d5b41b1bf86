// Bench targets: benchmark figures beside their targets, and other tools, as Markdown.
import { type Figures, readFigures } from '../../bench/figures.ts'

type Row = readonly [what: string, goal: string, figure: string]

/** Each figure and its target. */
export function targetsTable(): string {
  const figures = readFigures()
  const rows = [...uploadRows(figures), ...useRows(figures), ...pageRows(figures), ...serviceRows(figures)]
  return [
    `${figures.machine}, ${figures.date}.`,
    '',
    '| Measurement | Target | Result |',
    '| --- | --- | --- |',
    ...rows.map(([what, goal, figure]) => `| ${what} | ${goal} | ${figure} |`),
    ...plot('ratios', 'Time of uploads as a multiple of DuckDB alone'),
    ...plot('beside', 'Time of files of 1 KB beside large uploads'),
  ].join('\n')
}

/** When and where a row was measured, if not with all others. */
function measured({ date, machine }: { readonly date: string; readonly machine: string }): string {
  return `${date}, ${machine}`
}

function uploadRows(figures: Figures): readonly Row[] {
  const { sizes, mixes, small, crowd, receiving, shapes, 'type-mismatch': typeMismatch } = figures
  const of = (name: string) => [...sizes, ...mixes].find((one) => one.name === name)!
  const ratio = (name: string) => of(name).ratio.toFixed(2)
  const others = shapes.files.filter(({ name }) => name !== '500 columns')
  return [
    ['1000 MB, ratio to DuckDB alone', '≤ 0.75', ratio('1000 MB')],
    ['400 MB of numbers, ratio to DuckDB alone', '≤ 0.75', ratio('400 MB of numbers')],
    ['400 MB of texts, ratio to DuckDB alone', '≤ 0.95', ratio('400 MB of texts')],
    ['64 MB of 500 columns, ratio to DuckDB alone', '≤ 1.0', ratio('64 MB of 500 columns')],
    ['4.2 MB, ratio to DuckDB alone', '≤ 0.7', ratio('4.2 MB')],
    ['1 KB, median, everything synced', '≤ 5 ms', time(small.p50Ms)],
    ['32 clients of 4.2 MB', '≥ 50 per second', `${crowd.uploadsPerSecond.toFixed(1)} per second`],
    [
      'CPU time of the receiving thread for 4.2 MB, ratio to a bare Node server; its time',
      '≤ 6.5',
      `${receiving.ratio.toFixed(1)}; ${time(receiving.seconds * 1_000)} (${measured(receiving)})`,
    ],
    ['From last byte to response, 1000 MB', '≤ 100 ms', time(of('1000 MB').afterLastByteMs)],
    [
      '1000 MB with a text in the last record of a number column, ratio to the clean file',
      '≤ 1.6',
      typeMismatch.ratio.toFixed(2),
    ],
    ['Slowest malformed file, ratio to a clean one', '≤ 1.5', Math.max(...others.map((one) => one.ratio)).toFixed(2)],
  ]
}

function useRows({ use, queries }: Figures): readonly Row[] {
  const [original, csv] = use.downloads
  const counting = queries.find(({ sql, bytes }) => sql.startsWith('SELECT count(*)') && bytes < 10_000_000)!
  const grouping = queries.find(({ sql, bytes }) => sql.includes('GROUP BY') && bytes > 10_000_000)!
  return [
    [
      'SQL `count(*)` over 4.2 MB by one client, median; per second',
      '≤ 5 ms; ≥ 200',
      `${time(counting.p50Ms)}; ${Math.round(counting.perSecond)}`,
    ],
    ['SQL `GROUP BY` over 87 MB, median', '≤ 30 ms', time(grouping.p50Ms)],
    [
      'Profile of 10.8 million records, uncached, ratio to `SUMMARIZE`',
      '≤ 1.0',
      (use.profileMs / use.summarizeMs).toFixed(2),
    ],
    [
      'Download of `original`, ratio to `cat` through the same client',
      '≥ 0.5',
      (original!.megabytesPerSecond / original!.catMegabytesPerSecond).toFixed(2),
    ],
    ['Download of `data.csv`', '≥ 600 MB/s', `${Math.round(csv!.megabytesPerSecond)} MB/s`],
  ]
}

function pageRows({ page, waits }: Figures): readonly Row[] {
  return [
    ['First load of the page, gzipped', '≤ 60 kB', `${(page.firstLoadGzipBytes / 1_000).toFixed(1)} kB`],
    ['The page accepts files after', '≤ 500 ms', time(page.interactiveMs)],
    ['First row of a chosen file of 1000 MB, before it is sent', '≤ 1 s', time(page.previewMs)],
    [
      'Scrolling 10.8 million rows on the page, frames per second; longest frame',
      '≥ 50; ≤ 100 ms',
      `${page.scroll.framesPerSecond.toFixed(0)}; ${time(page.scroll.longestFrameMs)}`,
    ],
    [
      'The page is usable with a quarter of the CPU, 1.6 Mbit/s and 150 ms; with all of them',
      '≤ 1.5 s',
      `${time(waits.usableMs)}; ${time(waits.usableUnslowedMs)} (${measured(waits)})`,
    ],
    [
      'What curl sends shows on an open page after, median; longest',
      '≤ 2 s',
      `${time(waits.liveMs)}; ${time(waits.liveMsMax)} (${measured(waits)})`,
    ],
    [
      'From a key press to its frame, median; while 300 MB are checked, median; longest',
      '≤ 50 ms',
      `${time(waits.keyUncheckedMs)}; ${time(waits.keyMs)}; ${time(waits.keyMsMax)} (${measured(waits)})`,
    ],
  ]
}

function serviceRows({ beside, start, sizes, idle }: Figures): readonly Row[] {
  const small = (large: number): string => {
    const one = beside.find((figure) => figure.large === large)!
    return `${time(one.p50Ms)}; ${time(one.p99Ms)}`
  }
  const anew = start.startWithoutIndexMs
  const after = `${time(start.startAfterKillMs)} after a kill${anew ? `, ${time(anew)} without an index` : ''}`
  const peakOf = (peaks: readonly number[]) => `${Math.round(Math.max(...peaks))} MB`
  return [
    ['1 KB beside one upload of 1000 MB, median; 99th percentile', '≤ 40 ms; ≤ 200 ms', small(1)],
    ['1 KB beside three, median; 99th percentile', '≤ 40 ms; ≤ 200 ms', small(3)],
    ['Start with 1,000,000 datasets', '≤ 3 s', `${time(start.startMs)} (${after})`],
    [
      'Peak memory of the server, including its two column threads',
      '≤ 150 MB + 2 × 130 MB',
      peakOf(sizes.map(({ peakMegabytes }) => peakMegabytes.server)),
    ],
    ['Memory of an idle service, all processes', '≤ 200 MB', `${Math.round(idle.megabytes)} MB (${measured(idle)})`],
    ['Peak memory of a reader', '≤ 130 MB', peakOf(sizes.flatMap(({ peakMegabytes }) => peakMegabytes.converters))],
  ]
}

/** Uploads to several services on a bucket, and the requests to the bucket per upload. */
export function replicasTable(): string {
  const { alone, replicas, requests } = readFigures().replicas
  if (alone === undefined || replicas === undefined || requests === undefined) return 'Not measured yet.'
  const line = (name: string, { megabytesPerSecond, cpuSeconds: { services, s3Server } }: NonNullable<typeof alone>) =>
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
  const { cores } = readFigures()
  return [
    '| Cores | 1000 MB | CPU s: receiving thread | other threads | client |',
    '| --- | --- | --- | --- | --- |',
    ...cores.map(({ cores: count, isMeasured, uploadMs, cpuSeconds: { receiving, others, client } }) => {
      const name = isMeasured ? `${count}` : `${count}, modelled`
      return `| ${name} | ${time(uploadMs)} | ${receiving.toFixed(2)} | ${others.toFixed(2)} | ${client.toFixed(2)} |`
    }),
    ...plot('cores', 'Time of an upload of 1000 MB by cores'),
  ].join('\n')
}

/** The same files through other tools. */
export function peersTable(): string {
  const { peers } = readFigures()
  const files = ['4.2 MB', '100 MB', '1000 MB']
  const timeOf = (one: Figures['peers'][number], file: string): string => {
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
    ...plot('peers', 'Time of a file of 100 MB through each tool'),
  ].join('\n')
}

/** Plots that bench/plots.ts draws from the same figures. */
function plot(name: string, description: string): readonly string[] {
  return ['', `![${description}](plots/${name}.svg)`]
}

/** As the docs print it. */
export function time(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`
}
