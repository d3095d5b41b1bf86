// Parse answer: checks the answer of a reader child against its job, since the child has read untrusted data. Knows no process.
import type { ColumnStatistics } from '../part-reader.ts'
import type { Answer, JobKind, JobMessage, Jobs, ResponseMessage } from './reader-job.ts'

const usualBytesMax = 16_000_000
const rowsBytesMax = 256_000_000

/** Maximum size of the answer to a job in bytes; instead of a longer one, a child sends a failure. */
export function responseBytesMax(job: JobMessage): number {
  switch (job.kind) {
    case 'rows':
    case 'matchingRows':
      return rowsBytesMax
    default:
      return usualBytesMax
  }
}

/** @throws {Error} if the frame is not an answer to this job */
export function parseResponse(job: JobMessage, frame: Buffer): ResponseMessage {
  const message = record(JSON.parse(frame.toString()))
  if (message.kind === 'failure') {
    const { isDiskFull, problem } = message
    return { kind: 'failure', isDiskFull: boolean(isDiskFull), problem: text(problem) }
  }
  if (message.kind !== 'answer') throw misshapen('an answer or a failure')
  // Each kind names the parser for its own job; the compiler cannot follow that through the index.
  const parse = parsers[job.kind] as (value: unknown, job: JobMessage) => Answer
  return { kind: 'answer', answer: parse(message.answer, job) }
}

type Parsers = {
  readonly [Kind in JobKind]: (value: unknown, job: Jobs[Kind]['job']) => Jobs[Kind]['answer']
}

const parsers: Parsers = {
  rows: (value, { columns, windows }) =>
    rowsOf(
      value,
      columns,
      windows.reduce((sum, { limit }) => sum + limit, 0),
    ),
  matchingRows: (value, { columns, limit }) => rowsOf(value, columns, limit),
  lines: nothing,
  measure: (value, { columns }) => list(value, columns.length).map((one, i) => statistics(one, columns[i] ?? '')),
  difference: (value) => (value === null ? null : count(value)),
}

function rowsOf(value: unknown, columns: readonly string[], limit: number): Jobs['rows']['answer'] {
  const rows = list(value)
  if (rows.length > limit) throw misshapen('no more rows than asked for')
  return rows.map((row) => list(row, columns.length).map(scalar))
}

const columnTypes: ReadonlySet<unknown> = new Set(['int', 'float', 'bool', 'string_label', 'string_text', 'datetime'])

function statistics(value: unknown, name: string): ColumnStatistics {
  const { column_name, column_type, column_statistics } = record(value)
  if (column_name !== name) throw misshapen('the statistics of the columns asked for')
  if (!columnTypes.has(column_type)) throw misshapen('a type of column')
  const { histogram, frequencies, approximate, ...scalars } = record(column_statistics)
  for (const one of Object.values(scalars)) scalar(one)
  for (const one of list(approximate ?? [])) text(one)
  for (const one of Object.values(record(frequencies ?? {}))) count(one)
  if (histogram !== null && histogram !== undefined) {
    const { hist, bin_edges } = record(histogram)
    for (const one of list(hist)) count(one)
    for (const one of list(bin_edges)) scalar(one)
  }
  // Its members have been checked; only the reader of the profile cares which ones there are.
  return value as ColumnStatistics
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw misshapen('an object')
  return value as Readonly<Record<string, unknown>> // of JSON, so it has no other keys
}

function list(value: unknown, length?: number): readonly unknown[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
    throw misshapen(`a list${length === undefined ? '' : ` of ${length}`}`)
  }
  return value
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw misshapen('a count')
  return value
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw misshapen('a text')
  return value
}

function boolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw misshapen('a boolean')
  return value
}

function scalar(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) throw misshapen('a value without members')
  return value
}

function nothing(value: unknown): null {
  if (value !== null) throw misshapen('null')
  return null
}

function misshapen(wanted: string): Error {
  return new Error(`Cannot read answer: expected ${wanted}`)
}
