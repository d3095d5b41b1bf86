// Reader main: the program of a reader child. It does one job at a time and keeps nothing between jobs.
import { readFileSync } from 'node:fs'
import { type JS, openDuckDb } from '../duckdb/duckdb.ts'
import { listenToParent, readyText, sendToParent, spentText } from '../sandbox/frames.ts'
import {
  describeSql,
  differenceSql,
  linesSql,
  matchingRowsSql,
  numberName,
  type PartColumn,
  type PartWindow,
  rowsSql,
} from '../sql/rows-sql.ts'
import { measure } from '../statistics/column-statistics.ts'
import { responseBytesMax } from './parse-result.ts'
import type { JobKind, JobMessage, Jobs, ResponseMessage } from './reader-job.ts'

type Work = {
  readonly [Kind in JobKind]: (job: Jobs[Kind]['job']) => Promise<Jobs[Kind]['answer'] | JsonText>
}

/** An answer that is already JSON. */
class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * A child that exceeds one of these after a job should be replaced. Resident and reserved bytes, and seconds of CPU time.
 */
const residentBytesMax = 320_000_000
const dataBytesMax = 2_000_000_000
const cpuSecondsUsual = 3_600

/** For the log. */
const problemCharactersMax = 500

/** Memory for DuckDB, at least and per column: measured for 1,000 to 10,000 columns. */
const memoryKilobytesUsual = 256_000
const memoryKilobytesPerColumn = 300
let memoryKilobytes = memoryKilobytesUsual

// DuckDB does not spill: what does not fit in memory fails.
const opening = openDuckDb({ memory_limit: `${memoryKilobytesUsual}KB`, temp_directory: '' })

const work: Work = {
  async rows({ paths, windows, columns }) {
    const wanted = await wantedColumns(paths[0] ?? '', columns)
    const rows: string[] = []
    for (const [i, window] of windows.entries()) {
      for (const [row] of await select(rowsSql({ paths: paths.slice(i, i + 1), window, ...wanted })))
        rows.push(String(row))
    }
    return new JsonText(`[${rows.join(',')}]`)
  },

  async matchingRows({ paths, columns, match, offset, limit }) {
    const wanted = await wantedColumns(paths[0] ?? '', columns)
    const rows = await select(matchingRowsSql({ paths, columns: wanted.columns, match, offset, limit }))
    return new JsonText(`[${rows.map(([row]) => String(row)).join(',')}]`)
  },

  async lines({ paths, window, columns, ...form }) {
    const wanted = await wantedColumns(paths[0] ?? '', columns)
    await select(linesSql({ paths, window, ...wanted }, form))
    return null
  },

  async measure({ paths, columns, records }) {
    // Only some columns of a wide table at a time: describing all of them each time took longer than measuring these.
    const typeOf = await columnTypes(paths[0] ?? '', columns)
    await planFor(false)
    return measure(select, paths, typed(columns, typeOf), records)
  },

  async difference(job) {
    const [typeOf, wanted] = [await columnTypes(job.paths[0] ?? ''), await columnTypes(job.paths[1] ?? '')]
    const other = job.columns.findIndex((name) => typeOf.get(name) !== wanted.get(name))
    if (other >= 0) return other
    await planFor(true)
    await allowMemoryFor(job.columns.length)
    const [row] = await select(differenceSql(job))
    return row?.[0] == null ? null : Number(row[0])
  },
}

listenToParent((message) => {
  const job = message as JobMessage // of the service, which is of the same version
  // Each kind names the work for its own job; the compiler cannot follow that through the index.
  const run = work[job.kind] as (job: JobMessage) => Promise<unknown>
  run(job)
    .then((answer) => responseText(answer, responseBytesMax(job)))
    .catch((error: unknown) =>
      JSON.stringify({
        kind: 'failure',
        isDiskFull: isDiskFull(error),
        problem: String(error).slice(0, problemCharactersMax),
      } satisfies ResponseMessage),
    )
    .then((response) => {
      sendToParent(response)
      sendToParent(isSpent() ? spentText : readyText)
    })
})

// If the engine does not open, the unhandled rejection ends this process.
void opening.then(() => sendToParent(readyText))

/** As `ResponseMessage` says. */
function responseText(answer: unknown, bytesMax: number): string {
  const json = answer instanceof JsonText ? answer.text : JSON.stringify(answer)
  const text = `{"kind":"answer","answer":${json}}`
  const bytes = Buffer.byteLength(text)
  if (bytes > bytesMax) throw new Error(`Cannot answer: it takes ${bytes} bytes, expected at most ${bytesMax}`)
  return text
}

/** Freed memory stays reserved if it is fragmented; jobs with many columns leave the most. */
function isSpent(): boolean {
  if (process.memoryUsage.rss() > residentBytesMax) return true
  const { user, system } = process.cpuUsage() // microseconds
  if (user + system > cpuSecondsUsual * 1_000_000) return true
  if (process.platform !== 'linux') return false
  const pages = readFileSync('/proc/self/statm', 'latin1').split(' ')
  // The sixth number is what RLIMIT_DATA counts, and the stack: proc(5). A page is 4 KiB or more.
  return Number(pages[5]) * 4_096 > dataBytesMax
}

async function select(sql: string): Promise<JS[][]> {
  const connection = await opening
  const reader = await connection.runAndReadAll(sql)
  return reader.getRowsJS()
}

/** All parts of a dataset have the same columns. */
async function wantedColumns(
  path: string,
  names: readonly string[],
): Promise<Pick<PartWindow, 'columns' | 'hasNumbers'>> {
  const typeOf = await columnTypes(path)
  await planFor(true)
  return {
    columns: typed(names, typeOf),
    hasNumbers: ![...typeOf.keys()].some((name) => String(name).toLowerCase() === numberName),
  }
}

function typed(names: readonly string[], typeOf: ReadonlyMap<JS, JS>): readonly PartColumn[] {
  return names.map((name) => ({ name, type: String(typeOf.get(name)) }))
}

/** @param names Only these columns; null for all. */
async function columnTypes(path: string, names: readonly string[] | null = null): Promise<ReadonlyMap<JS, JS>> {
  const rows = await select(describeSql(path, names))
  await allowMemoryFor(rows.length)
  return new Map(rows.map(([name, type]) => [name ?? null, type ?? null]))
}

let isPlannedForLong = false

/**
 * For many or long expressions, DuckDB's search for common parts takes quadratic time and worse: a page of 4,000
 * integers took more than two minutes with it, and 0.9 s without (DuckDB 1.5.6, 2026-11).
 */
async function planFor(hasLong: boolean): Promise<void> {
  if (hasLong === isPlannedForLong) return
  await select(`SET disabled_optimizers = '${hasLong ? 'common_subexpressions' : ''}'`)
  isPlannedForLong = hasLong
}

/**
 * DuckDB works on 2,048 records at once and keeps several copies of them, which takes much memory if records are wide.
 */
async function allowMemoryFor(columns: number): Promise<void> {
  const kilobytes = Math.max(memoryKilobytesUsual, columns * memoryKilobytesPerColumn)
  if (kilobytes === memoryKilobytes) return
  await select(`SET memory_limit = '${kilobytes}KB'`)
  memoryKilobytes = kilobytes
}

/** DuckDB has no codes, but passes on the system's text for ENOSPC; Node's messages contain the name of the code. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/.test(error.message)
}
