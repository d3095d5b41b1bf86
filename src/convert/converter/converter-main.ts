// Converter main: the program of a converter child. It does one job at a time and keeps nothing between jobs.
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { type JS, openDuckDb } from '../../duckdb/duckdb.ts'
import { readyText } from '../../sandbox/frames.ts'
import { listenToParent, sendToParent } from '../../sandbox/parent-channel.ts'
import type { Segment, TargetColumn } from '../convert.ts'
import { compareSql } from '../sql/compare-sql.ts'
import { convertSql, misfitMessage } from '../sql/convert-sql.ts'
import { describedType } from '../sql/lossless-sql.ts'
import {
  describeSql,
  differenceSql,
  linesSql,
  matchingRowsSql,
  mergeSql,
  numberName,
  type PartColumn,
  type PartWindow,
  rowsSql,
} from '../sql/rows-sql.ts'
import { identifier, isOtherWidth, literal, type ReadMode, readModes, withoutValues } from '../sql/segment-sql.ts'
import { violationsSql } from '../sql/violations-sql.ts'
import { measure } from '../statistics/column-statistics.ts'
import type { AnswerMessage, JobKind, JobMessage, Jobs, PartSlice } from './converter-job.ts'
import { answerBytesMax } from './parse-answer.ts'
import { withReadable } from './readable-segment.ts'

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
 * A child that exceeds one of these after a job asks to be replaced. Resident and reserved bytes, and seconds of CPU
 * time.
 */
const residentBytesMax = 320_000_000
const dataBytesMax = 2_000_000_000
const cpuSecondsUsual = 3_600

/** Where to put a copy of the input, if one is needed. Default: beside it. */
const copyPath = process.argv[2]

/** Memory for DuckDB, at least and per column: measured for 1,000 to 10,000 columns. */
const memoryKilobytesUsual = 256_000
const memoryKilobytesPerColumn = 300
let memoryKilobytes = memoryKilobytesUsual

// DuckDB does not spill: what does not fit in memory fails.
const opening = openDuckDb({ memory_limit: `${memoryKilobytesUsual}KB`, temp_directory: '' })

const work: Work = {
  async convert({ segment, columns, toPath }) {
    try {
      const nulls = await withSegment(segment, (readable) =>
        inSomeMode(readable, async (mode) => {
          const [row] = await select(convertSql(readable, columns, toPath, mode))
          wantRecords(segment, Number(row?.[1]))
          return nullsOf(row, columns)
        }),
      )
      return { part: { ...fingerprint(toPath), records: segment.records }, nulls }
    } catch (error) {
      if (isMisfit(error)) return null
      throw error
    }
  },

  async violations({ segment, columns, toPath }) {
    return withSegment(segment, (readable) =>
      inSomeMode(readable, async (mode) => {
        const [row] = await select(violationsSql(readable, columns, toPath, mode))
        return Number(row?.[0])
      }),
    )
  },

  async patterns({ patterns }) {
    const problems: (string | null)[] = []
    for (const pattern of patterns) problems.push(await patternProblem(pattern))
    return problems
  },

  async rows({ slices, columns }) {
    const first = slices[0]
    if (first === undefined) return []
    const wanted = await wantedColumns(first.path, columns)
    const rows: string[] = []
    for (const slice of slices) {
      for (const [row] of await select(rowsSql({ ...slice, ...wanted }))) rows.push(String(row))
    }
    return new JsonText(`[${rows.join(',')}]`)
  },

  async matchingRows({ paths, columns, match, offset, limit }) {
    const first = paths[0]
    if (first === undefined) return []
    const wanted = await wantedColumns(first, columns)
    const rows = await select(matchingRowsSql({ paths, columns: wanted.columns, match, offset, limit }))
    return new JsonText(`[${rows.map(([row]) => String(row)).join(',')}]`)
  },

  async lines({ slice, columns, ...form }) {
    const wanted = { ...slice, ...(await wantedColumns(slice.path, columns)) }
    await select(linesSql(wanted, form))
    return null
  },

  async measure({ paths, columns, records }) {
    // Only some columns of a wide table at a time: describing all of them each time took longer than measuring these.
    const typeOf = await columnTypes(paths[0] ?? '', columns)
    await planFor(false)
    return measure(select, paths, typed(columns, typeOf), records)
  },

  async compare({ segment, columns, ...parts }) {
    const typeOf = await columnTypes(parts.paths[0] ?? '')
    const other = columns.findIndex(({ name, type }) => typeOf.get(name) !== describedType(type))
    if (other >= 0) return [0, other]
    return withSegment(segment, (readable) =>
      inSomeMode(readable, async (mode) => {
        const [row] = await select(compareSql(readable, columns, parts, mode))
        return [Number(row?.[0]), row?.[1] == null ? null : Number(row[1])] as const
      }),
    )
  },

  async difference(job) {
    const [typeOf, wanted] = [await columnTypes(job.path), await columnTypes(job.paths[0] ?? '')]
    const other = job.columns.findIndex((name) => typeOf.get(name) !== wanted.get(name))
    if (other >= 0) return other
    await planFor(true)
    await allowMemoryFor(job.columns.length)
    const [row] = await select(differenceSql(job))
    return row?.[0] == null ? null : Number(row[0])
  },

  async merge({ paths, toPath }) {
    const first = paths[0]
    if (first === undefined) throw new Error('Cannot merge parts: there is none')
    await columnTypes(first)
    await select(mergeSql(paths, toPath))
    return null
  },
}

listenToParent((message) => {
  const job = message as JobMessage // of the service, which is of the same version
  // Each kind names the work for its own job; the compiler cannot follow that through the index.
  const run = work[job.kind] as (job: JobMessage) => Promise<unknown>
  run(job)
    .then((answer) => answerText(answer, answerBytesMax(job)))
    .catch((error: unknown) =>
      JSON.stringify({
        kind: 'failure',
        isDiskFull: isDiskFull(error),
        problem: withoutValues(String(error)),
        shouldRecycle: shouldRecycle(),
      } satisfies AnswerMessage),
    )
    .then(sendToParent)
})

// If the engine does not open, the unhandled rejection ends this process.
void opening.then(() => sendToParent(readyText))

/** As `AnswerMessage` says. */
function answerText(answer: unknown, bytesMax: number): string {
  const json = answer instanceof JsonText ? answer.text : JSON.stringify(answer)
  const text = `{"kind":"answer","shouldRecycle":${shouldRecycle()},"answer":${json}}`
  const bytes = Buffer.byteLength(text)
  if (bytes > bytesMax) throw new Error(`Cannot answer: it takes ${bytes} bytes, wanted at most ${bytesMax}`)
  return text
}

/** Freed memory stays reserved if it is fragmented; jobs with many columns leave the most. */
function shouldRecycle(): boolean {
  if (process.memoryUsage.rss() > residentBytesMax) return true
  const { user, system } = process.cpuUsage() // microseconds
  if (user + system > cpuSecondsUsual * 1_000_000) return true
  if (process.platform !== 'linux') return false
  const pages = readFileSync('/proc/self/statm', 'latin1').split(' ')
  // The sixth number is what RLIMIT_DATA counts, and the stack: proc(5). A page is 4 KiB or more.
  return Number(pages[5]) * 4_096 > dataBytesMax
}

/** Uses a segment in a form that DuckDB reads correctly. */
function withSegment<Result>(segment: Segment, use: (readable: Segment) => Promise<Result>): Promise<Result> {
  return withReadable(segment, use, copyPath)
}

async function select(sql: string): Promise<JS[][]> {
  const connection = await opening
  const reader = await connection.runAndReadAll(sql)
  return reader.getRowsJS()
}

async function inSomeMode<Result>(segment: Segment, read: (mode: ReadMode) => Promise<Result>): Promise<Result> {
  await planFor(true)
  await allowMemoryFor(segment.layout.width * declaredColumnWeight)
  const modes = readModes(segment)
  for (const [i, mode] of modes.entries()) {
    try {
      return await read(mode)
    } catch (error) {
      // A record longer than the buffer may seem to have another width, so the width is certain only if everything is
      // read at once.
      const isWhole = mode.bufferBytes > segment.bytes
      const isFinal = isMisfit(error) || isDiskFull(error) || (isWhole && isOtherWidth(String(error)))
      if (isFinal || i === modes.length - 1) throw error
    }
  }
  throw new Error('unreachable: the last mode returns or throws')
}

/** All parts of a dataset have the same columns. */
async function wantedColumns(path: string, names: readonly string[]): Promise<Omit<PartWindow, keyof PartSlice>> {
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

/** Declared columns have long expressions, and each part of one keeps its results for 2,048 records. */
const declaredColumnWeight = 4
let isPlannedForLong = false

/**
 * For many or long expressions, DuckDB's search for common parts takes quadratic time and worse: a thousand declared
 * numbers took 8 s with it and 1 s without; a page of 4,000 integers more than two minutes, and 0.9 s without (DuckDB
 * 1.5.6, 2026-11).
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

async function patternProblem(pattern: string): Promise<string | null> {
  try {
    await select(`SELECT regexp_full_match('', ${literal(pattern)})`)
    return null
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(badInput)) return error.message.slice(badInput.length)
    throw error
  }
}

/** Prefix of DuckDB's message for a regular expression that RE2 rejects. */
const badInput = 'Invalid Input Error: '

function wantRecords(segment: Segment, records: number): void {
  if (records !== segment.records) throw new Error(`Cannot read segment: ${records} records, wanted ${segment.records}`)
}

function isMisfit(error: unknown): boolean {
  return error instanceof Error && error.message === misfitMessage
}

/** DuckDB has no codes, but passes on the system's text for ENOSPC; Node's messages contain the name of the code. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded/.test(error.message)
}

/** Reads the row of COPY … RETURN_STATS: file name, count, bytes, footer bytes, statistics by quoted column name. */
function nullsOf(row: readonly JS[] | undefined, columns: readonly TargetColumn[]): readonly number[] {
  // DuckDB documents a map of maps of text; the binding returns a map as a list of entries.
  const statistics = row?.[4] as unknown as readonly { key: string; value: readonly { key: string; value: string }[] }[]
  const byName = new Map(statistics.map(({ key, value }) => [key, value]))
  return columns.map(({ name }) => {
    const count = byName.get(identifier(name))?.find(({ key }) => key === 'null_count')?.value
    if (count === undefined) throw new Error(`Cannot count the nulls of column ${name}`)
    return Number(count)
  })
}

/** Bytes hashed at once: one buffer, since a new one for each file would cost a run of the garbage collector. */
const pieceOfFile = Buffer.allocUnsafeSlow(262_144)

/**
 * Checksums of a written file. The caller makes it durable: waiting for the disk here would keep the child idle.
 * Nothing else runs in this process, so it reads synchronously.
 */
function fingerprint(path: string): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  const descriptor = openSync(path, 'r')
  try {
    for (let bytes = 0; ; ) {
      const count = readSync(descriptor, pieceOfFile)
      if (count === 0) return { bytes, sha256: hash.digest('hex') }
      hash.update(pieceOfFile.subarray(0, count))
      bytes += count
    }
  } finally {
    closeSync(descriptor)
  }
}
