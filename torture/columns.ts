// Columns: generates tables of nasty values; ingesting them must give the same results as DuckDB.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ColumnOracle, type ComparisonCounts } from '../test/support/column-oracle/column-oracle.ts'
import type { Run, Scale } from './modules.ts'

const tableCounts: Readonly<Record<Scale, number>> = { short: 5_000, long: 1_000_000 }
/** Tables that are compared by one statement: larger batches are not faster per table. */
const batchTables = 2_000
const reportMs = 60_000

/** The progress of a run. */
interface Progress extends ComparisonCounts {
  readonly cpuSeconds: number
  /** Index of the next table. */
  readonly from: number
  /** Differences found in the tables before it. */
  readonly differences: readonly string[]
}

/** A run ends after this many differences. */
const differencesMax = 20

export const run: Run = async (scale, seed) => {
  const path = join(tmpdir(), `csv-upload-columns-${scale}-${seed}.json`)
  const before: Progress = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8')) // written below
    : { tables: 0, columns: 0, values: 0, types: {}, cpuSeconds: 0, from: 0, differences: [] }
  if (before.from > 0) report('continues', before)
  await using oracle = await ColumnOracle.open(seed, before)
  const differences = [...before.differences]
  const progress = (from: number): Progress => {
    const { user, system } = process.cpuUsage()
    return { ...oracle.compared, cpuSeconds: before.cpuSeconds + (user + system) / 1_000_000, from, differences }
  }
  let nextReport = performance.now() + reportMs
  for (let from = before.from; from < tableCounts[scale] && differences.length < differencesMax; ) {
    const count = Math.min(batchTables, tableCounts[scale] - from)
    const found = await oracle.differences(from, count)
    for (const one of found) process.stderr.write(`differs: ${one}\n`)
    differences.push(...found)
    from += count
    writeFileSync(path, JSON.stringify(progress(from)))
    if (performance.now() < nextReport) continue
    report('compared', progress(from))
    nextReport = performance.now() + reportMs
  }
  rmSync(path, { force: true })
  if (differences.length > 0) throw new Error(`Tables differ:\n${differences.join('\n')}`)
  const { tables, columns, values, types, cpuSeconds } = progress(0)
  return { tables, columns, values, types: Object.keys(types).length, 'CPU time, s': Math.round(cpuSeconds) }
}

function report(what: string, { tables, columns, values, types, cpuSeconds, differences }: Progress): void {
  const counts = `${tables} tables, ${columns} columns of ${Object.keys(types).length} types, ${values} values`
  const found = `${differences.length} differences, ${Math.round(cpuSeconds)} s of CPU time`
  process.stderr.write(`${new Date().toISOString()} ${what}: ${counts}, ${found}\n`)
}
