// Figures: the benchmark table of the README, from bench/figures.json.
import { type Figures, readFigures } from '../../bench/figures.ts'
import { time } from './bench-targets.ts'

/** CPU time by process and the spread of the ratios, as Markdown. */
export function cpuTable(): string {
  const figures = readFigures()
  return [
    `${figures.machine}, ${figures.date}.`,
    '',
    '| File | Turns | Ratio: median (lowest to highest) | CPU s: server | readers | client |',
    '| --- | --- | --- | --- | --- | --- |',
    ...figures.sizes.map(
      ({ name, rounds, ratio, ratioMin, ratioMax, cpuSeconds: { server, converters, client } }) =>
        `| ${name} | ${rounds} | ${ratio.toFixed(2)} (${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}) | ${server.toFixed(2)} | ${converters.toFixed(2)} | ${client.toFixed(2)} |`,
    ),
    ...smallLine(figures.small),
    ...crowdLine(figures.crowd),
  ].join('\n')
}

function smallLine({ files, p50Ms, cpuSeconds }: Figures['small']): readonly string[] {
  const { server, converters } = cpuSeconds
  return [
    '',
    `Files of 1 KB, ${files} one after another: median ${time(p50Ms)}; CPU time of the server ${time(server * 1000)}, of readers ${time(converters * 1000)} each.`,
  ]
}

/** What bounds the uploads of many clients: how much CPU time each takes. */
function crowdLine({ clients, uploadsPerSecond, duckdbPerSecond, ratio, cores, cpuSeconds }: Figures['crowd']) {
  // Absent in older figures.
  if (cpuSeconds === undefined) return []
  const { receiving, others, client } = cpuSeconds
  const possible = cores / (receiving + others + client)
  return [
    '',
    `${clients} clients at once with files of 4.2 MB: ${uploadsPerSecond.toFixed(1)} uploads per second. DuckDB alone converts ${duckdbPerSecond.toFixed(1)} of these files per second, in ${cores} processes that share them and sync nothing: the ratio is ${ratio.toFixed(2)}. CPU time per upload: receiving thread ${time(receiving * 1000)}, other threads of the server ${time(others * 1000)}, client ${time(client * 1000)}; ${cores} cores that are never idle would allow ${possible.toFixed(1)} per second.`,
  ]
}

/** Files that are harder to read, compared with a clean file of the same size, as Markdown. */
export function shapesTable(): string {
  const { machine, date, shapes } = readFigures()
  return [
    `Files of ${shapes.bytes / 1_000_000} MB, ${shapes.rounds} turns; ${machine}, ${date}.`,
    '',
    '| File | Upload | Ratio to a clean file: median (lowest to highest) | Accepted | Rejected |',
    '| --- | --- | --- | --- | --- |',
    ...shapes.files.map(
      ({ name, uploadMs, ratio, ratioMin, ratioMax, accepted, rejected }) =>
        `| ${name} | ${time(uploadMs)} | ${ratio.toFixed(2)} (${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}) | ${accepted} | ${rejected} |`,
    ),
  ].join('\n')
}

/** Files with a schema, compared with the same file without one, as Markdown. */
export function declaredTable(): string {
  const { machine, date, bytes, rounds, cases } = readFigures().declared
  return [
    `Files of ${bytes / 1_000_000} MB, ${rounds} turns; ${machine}, ${date}.`,
    '',
    '| Declared | Target | Ratio: median (lowest to highest) | CPU s | without a schema |',
    '| --- | --- | --- | --- | --- |',
    ...cases.map(
      ({ name, target, ratio, ratioMin, ratioMax, declaredCpu, plainCpu }) =>
        `| ${name} | ≤ ${target} | ${ratio.toFixed(2)} (${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}) | ${declaredCpu.toFixed(2)} | ${plainCpu.toFixed(2)} |`,
    ),
  ].join('\n')
}

/** Downloads that are made, compared with DuckDB's COPY, as Markdown. */
export function exportsTable(): string {
  const measured = readFigures().exports
  return [
    `${measured.machine}, ${measured.date}.`,
    '',
    '| Download | File | Turns | Target | Ratio: median (lowest to highest) | CPU s | receiving thread | DuckDB |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...measured.exports.map(
      ({ name, bytes, rounds, ratio, ratioMin, ratioMax, serviceCpu, receivingCpu, duckdbCpu }) =>
        `| \`${name}\` | ${bytes / 1_000_000} MB | ${rounds} | ≤ 1.0 | ${ratio.toFixed(2)} (${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}) | ${serviceCpu.toFixed(2)} | ${receivingCpu.toFixed(2)} | ${duckdbCpu.toFixed(2)} |`,
    ),
  ].join('\n')
}

function declaredLine({ date, cases }: Figures['declared']): string {
  const shown = cases.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`)
  return `CPU time with a [schema](docs/schema.md), as a multiple of the same file without one (${date}): ${shown.join('; ')}.`
}

/** The figures as Markdown. */
export function figuresTable(): string {
  const { date, machine, small, crowd, sizes, queries, use, declared } = readFigures()
  return [
    `Client, service and disk on one machine: ${machine}, ${date}. Times are medians from the first byte sent to the response read, with everything synced to disk. *DuckDB alone* converts the same local file to Parquet.`,
    '',
    '| File | Upload | DuckDB alone | Ratio | Peak memory of the server, of a reader |',
    '| --- | --- | --- | --- | --- |',
    ...sizes.map(
      ({ name, uploadMs, duckdbMs, ratio, peakMegabytes }) =>
        `| ${name} | ${time(uploadMs)} | ${time(duckdbMs)} | ${ratio.toFixed(2)} | ${Math.round(peakMegabytes.server)} MB, ${Math.round(Math.max(...peakMegabytes.converters))} MB |`,
    ),
    '',
    `${crowd.clients} clients at once, each sending files of 4.2 MB one after another: ${crowd.uploadsPerSecond.toFixed(1)} uploads per second, median ${time(crowd.p50Ms)}, 99th percentile ${time(crowd.p99Ms)}, ${crowd.errors} errors. Files of 1 KB, one after another: median ${time(small.p50Ms)}, 99th percentile ${time(small.p99Ms)}.`,
    '',
    queryLine(queries),
    '',
    useLine(use),
    '',
    declaredLine(declared),
  ].join('\n')
}

function queryLine(queries: Figures['queries']): string {
  const small = Math.min(...queries.map(({ bytes }) => bytes))
  // The cheapest statement over a small file, and the one that groups a large one.
  const shown = queries
    .filter(({ sql, bytes }) => (bytes === small ? /^SELECT count/.test(sql) : /GROUP BY/.test(sql)))
    .map(
      ({ sql, bytes, p50Ms, duckdbMs, perSecond }) =>
        `\`${sql}\`, ${bytes / 1e6} MB: ${time(p50Ms)} (${time(duckdbMs)}), ${Math.round(perSecond)} per second`,
    )
  return `SQL over HTTP by one client, one statement after another, median (DuckDB alone, in one process): ${shown.join('; ')}.`
}

function useLine({ records, columns, downloads, ...ms }: Figures['use']): string {
  const rates = downloads.map(
    ({ name, megabytesPerSecond, catMegabytesPerSecond }) =>
      `\`${name}\` ${Math.round(megabytesPerSecond)} MB/s (\`cat\` through the same client ${Math.round(catMegabytesPerSecond)} MB/s)`,
  )
  const size = `${(records / 1e6).toFixed(1)} million records and ${columns} columns`
  return `A dataset of ${size}: first 100 rows ${time(ms.firstPageMs)}, last 100 rows ${time(ms.lastPageMs)}, profile ${time(ms.profileMs)} (DuckDB's \`SUMMARIZE\` ${time(ms.summarizeMs)}), download of ${rates.join(', of ')}.`
}
