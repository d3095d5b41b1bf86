// Column statistics: statistics of the values of columns, in the terms of the Hugging Face dataset viewer. Queries and computes them.

import type { JS } from '../duckdb/duckdb.ts'
import type { ColumnStatistics, NumericStatistics } from '../part-reader.ts'
import {
  type Bins,
  distinctCountSql,
  frequenciesSql,
  type MeasuredColumn,
  measured,
  rangesSql,
  type Shape,
  shapesSql,
} from '../sql/column-statistics-sql.ts'
import type { PartColumn } from '../sql/rows-sql.ts'
import { type LengthCount, lengthFigures } from './length-figures.ts'

/** From here on, each column of a dataset is counted separately. */
const largeRecordsMin = 100_001
/** Up to where figures are exact that have to hold many values at the same time. */
export interface ExactLimits {
  /** Different values of a column. A multiple is held while one in several is counted. */
  readonly distinctMax: number
  /** Values of a column for its quartiles, which hold all of them; beyond, a random sample of at least half as many. */
  readonly valuesMax: number
}
/** 8 bytes per value, and about 32 per different value. */
const exactLimits: ExactLimits = { distinctMax: 2 ** 18, valuesMax: 2 ** 23 }
/** Of `distinctMax`. */
const countedAtOnce = 4
/** A count of sampled values is less accurate than said about once in 370 times. */
const deviationsSaid = 3
/**
 * Up to this many records, different values are counted in a list: the setup of `DISTINCT` for each column takes
 * longer.
 */
const listedRecordsMax = 2_048

/** A text column with no more different values counts as a label, as in the viewer's first version. */
const labelsMax = 30
const labelLengthMax = 1_000
const binsMax = 10

/** Beyond this, a sum of squares could exceed the range of a double. */
const unscaledMax = 2 ** 400
const scaleOfHuge = 2 ** 600

/** Runs a statement and returns its rows. */
export type Select = (sql: string) => Promise<readonly (readonly JS[])[]>

interface Range {
  readonly column: MeasuredColumn
  readonly records: number
  readonly count: number
  readonly distinct: number
  /** As a fraction of `distinct`; 0 if that is exact. */
  readonly distinctError: number
  /** For booleans: the number of true values. */
  readonly trueCount: number
  /** Null if there is no value. */
  readonly ends: { readonly min: string; readonly max: string } | null
  /** For texts. */
  readonly lengths: readonly LengthCount[]
}

/** The statistics of columns of parts that hold this many records in total, in column order. */
export async function measure(
  select: Select,
  paths: readonly string[],
  columns: readonly PartColumn[],
  records: number,
  limits = exactLimits,
): Promise<readonly ColumnStatistics[]> {
  const isLarge = records >= largeRecordsMin && columns.length === 1
  const ranges = await rangesOf(select, paths, columns.map(measured), records, limits)
  const known = await labelled(select, paths, ranges, isLarge)
  const shapes = ranges.flatMap((range) =>
    known.has(range) || range.ends === null || range.column.kind === 'text'
      ? []
      : { range, shape: shapeOf(range, range.ends, limits) },
  )
  const wanted = shapes.map(({ shape }) => shape)
  const [row] = wanted.length === 0 ? [] : await select(shapesSql(paths, wanted, isLarge))
  const cells = texts(row)
  for (const [i, { range, shape }] of shapes.entries()) {
    known.set(range, numeric(range, shape, cells.slice(4 * i, 4 * i + 4)))
  }
  return ranges.map(
    (range) => known.get(range) ?? (range.lengths.length > 0 ? fromLengths(range) : withoutValues(range)),
  )
}

async function rangesOf(
  select: Select,
  paths: readonly string[],
  columns: readonly MeasuredColumn[],
  records: number,
  limits: ExactLimits,
): Promise<readonly Range[]> {
  const oneIn = oneInOf(records, countedAtOnce * limits.distinctMax)
  const distinct = records <= listedRecordsMax ? 'listed' : { oneIn }
  const cells = texts((await select(rangesSql(paths, columns, distinct)))[0])
  const ranges = columns.map((column, i): Range => {
    const [count, distinct, min, max] = cells.slice(4 * i, 4 * i + 4)
    const isTruth = column.kind === 'bool'
    const [distinctCount, trueCount] = isTruth ? [0, Number(distinct)] : [Number(distinct), 0]
    const range = { column, records, count: Number(count), distinct: distinctCount, distinctError: 0, trueCount }
    if (column.kind !== 'text') return { ...range, ends: min == null || max == null ? null : { min, max }, lengths: [] }
    const lengths = lengthCounts(min ?? null)
    const [least, greatest] = [lengths[0], lengths.at(-1)]
    const ends = least && greatest ? { min: `${least[0]}`, max: `${greatest[0]}` } : null
    return { ...range, ends, lengths }
  })
  if (oneIn === 1) return ranges
  const counted: Range[] = []
  for (const range of ranges) counted.push(await withDistinct(select, paths, range, oneIn, limits))
  return counted
}

/** The least power of two by which `count` is divided to be at most `max`. */
function oneInOf(count: number, max: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(count / max)))
}

/** Counts the different values where they can be few, and else says how many they are and how exactly that is known. */
async function withDistinct(
  select: Select,
  paths: readonly string[],
  range: Range,
  oneIn: number,
  { distinctMax }: ExactLimits,
): Promise<Range> {
  const possible = Math.min(range.count, possibleValues(range))
  const estimated = range.distinct * oneIn
  if (Math.min(estimated, possible) <= distinctMax) {
    const [distinct] = texts((await select(distinctCountSql(paths, range.column)))[0])
    return { ...range, distinct: Number(distinct) }
  }
  const distinctError = Number((deviationsSaid / Math.sqrt(range.distinct)).toPrecision(2))
  return { ...range, distinct: Math.min(Number(estimated.toPrecision(3)), possible), distinctError }
}

/** How many different values fit between the least and the greatest. */
function possibleValues({ column, ends }: Range): number {
  if (ends === null || column.kind === 'float' || column.kind === 'text') return Number.POSITIVE_INFINITY
  return Number(BigInt(ends.max) - BigInt(ends.min) + 1n)
}

function lengthCounts(json: string | null): readonly LengthCount[] {
  const countByLength: Readonly<Record<string, number>> = JSON.parse(json ?? '{}')
  return Object.entries(countByLength)
    .map(([length, count]): LengthCount => [Number(length), count])
    .sort(([a], [b]) => a - b)
}

/** The statements return only texts. */
function texts(row: readonly JS[] | undefined): readonly (string | null)[] {
  return (row ?? []).map((cell) => (cell === null ? null : String(cell)))
}

function nulls({ records, count }: Range) {
  return { nan_count: records - count, nan_proportion: records === 0 ? 0 : (records - count) / records }
}

/** The columns whose values are counted individually. */
async function labelled(
  select: Select,
  paths: readonly string[],
  ranges: readonly Range[],
  isLarge: boolean,
): Promise<Map<Range, ColumnStatistics>> {
  const known = new Map<Range, ColumnStatistics>()
  for (const range of ranges) if (range.column.kind === 'bool') known.set(range, truth(range))
  const few = ranges.filter(isFew)
  if (few.length === 0) return known
  const columns = few.map(({ column }) => column)
  const cells = texts((await select(frequenciesSql(paths, columns, isLarge)))[0])
  for (const [i, range] of few.entries()) {
    const countByValue: Readonly<Record<string, number>> = JSON.parse(cells[i] ?? '{}')
    const counts = Object.entries(countByValue).sort(([, a], [, b]) => b - a)
    if (counts.length <= labelsMax) known.set(range, labels(range, counts))
  }
  return known
}

function isFew({ column, distinct, ends }: Range): boolean {
  return column.kind === 'text' && ends !== null && distinct <= labelsMax && Number(ends.max) <= labelLengthMax
}

type Counts = readonly (readonly [value: string, count: number])[]

function truth(range: Range): ColumnStatistics {
  const frequencies = { true: range.trueCount, false: range.count - range.trueCount }
  return {
    column_name: range.column.name,
    column_type: 'bool',
    column_statistics: { ...nulls(range), frequencies },
  }
}

function labels(range: Range, counts: Counts): ColumnStatistics {
  return {
    column_name: range.column.name,
    column_type: 'string_label',
    column_statistics: {
      ...nulls(range),
      no_label_count: 0,
      no_label_proportion: 0,
      n_unique: counts.length,
      frequencies: Object.fromEntries(counts),
    },
  }
}

function shapeOf(
  { column, count: valueCount }: Range,
  { min, max }: { readonly min: string; readonly max: string },
  { valuesMax }: ExactLimits,
): Shape {
  const values = { column, count: valueCount, quartilesOfOneIn: oneInOf(valueCount, valuesMax) }
  if (column.kind === 'float') {
    const magnitude = Math.max(Math.abs(Number(min)), Math.abs(Number(max)))
    const scale = magnitude > unscaledMax ? scaleOfHuge : 1
    const width = (Number(max) / scale - Number(min) / scale) / binsMax
    return {
      ...values,
      scale,
      bins: { kind: 'fraction', count: width > 0 ? binsMax : 1, min: Number(min) / scale, width },
    }
  }
  const [least, span] = [BigInt(min), BigInt(max) - BigInt(min)]
  const width = span / BigInt(binsMax) + 1n
  const count = Number(span / width) + 1
  return {
    ...values,
    scale: 1,
    bins: { kind: 'whole', count, min: least, width, span },
  }
}

function numeric(range: Range, shape: Shape, cells: readonly (string | null)[]): ColumnStatistics {
  const { scale, bins, quartilesOfOneIn } = shape
  const { column, ends } = range
  const countByBin = JSON.parse(cells[3] ?? '{}') as Readonly<Record<string, number>>
  const hist = Array.from({ length: bins.count }, () => 0)
  for (const [bin, times] of Object.entries(countByBin)) {
    const place = Math.min(Number(bin), bins.count - 1)
    hist[place] = (hist[place] ?? 0) + times
  }
  const column_statistics: NumericStatistics = {
    ...nulls(range),
    min: shownEnd(column, ends?.min ?? '0'),
    max: shownEnd(column, ends?.max ?? '0'),
    std: cells[1] == null ? null : shownSpan(column, Number(cells[1]) * scale),
    histogram: { hist, bin_edges: edges(bins, scale, ends?.max ?? '0').map((edge) => shownEnd(column, edge)) },
    ...distinctOf(range),
    ...(bins.kind === 'whole' ? wholeFigures(range, bins.min, cells) : fractionFigures(range, scale, cells)),
    approximate: [...approximateOf(range), ...(quartilesOfOneIn === 1 ? [] : ['median', 'q25', 'q75'])],
  }
  return { column_name: column.name, column_type: typeOf(column), column_statistics }
}

type Figures = Pick<NumericStatistics, 'mean' | 'median' | 'q25' | 'q75'>

function fractionFigures({ ends }: Range, scale: number, cells: readonly (string | null)[]): Figures {
  const [mean, , quartiles] = cells
  const [min, max] = [Number(ends?.min), Number(ends?.max)]
  const [q25 = null, median = null, q75 = null] = (JSON.parse(quartiles ?? '[]') as number[]).map((one) => one * scale)
  // Rounding errors of a sum may lead beyond the values.
  return { mean: Math.min(Math.max(Number(mean) * scale, min), max), median, q25, q75 }
}

/** Exact, also where neither the values nor their differences are exact as doubles. */
function wholeFigures({ column, count }: Range, min: bigint, [sum, , quartiles]: readonly (string | null)[]): Figures {
  const [total, values] = [BigInt(sum ?? '0'), BigInt(count)]
  const mean = shownWhole(column, min + total / values, Number(total % values) / count)
  const around = (JSON.parse(quartiles ?? '[]') as readonly string[]).map(BigInt)
  const [q25, median, q75] = [1, 2, 3].map((part) => {
    const [low = 0n, high = 0n] = around.slice(2 * part - 2, 2 * part)
    const quarters = 4n * low + (high - low) * BigInt((part * (count - 1)) % 4)
    const quarter = Number(quarters % 4n) / 4
    // Of integers an integer or a half.
    const fraction = column.kind === 'int' ? Math.round(2 * quarter) / 2 : quarter
    // Of dates a date.
    return shownWhole(column, min + quarters / 4n, column.kind === 'date' ? 0 : fraction)
  })
  return { mean, median: median ?? null, q25: q25 ?? null, q75: q75 ?? null }
}

function distinctOf({ distinct, distinctError }: Range) {
  return { n_unique: distinct, ...(distinctError > 0 && { n_unique_error: distinctError }) }
}

function approximateOf({ distinctError }: Range): readonly string[] {
  return distinctError > 0 ? ['n_unique'] : []
}

/** All of it is exact, except for the number of different texts. */
function fromLengths(range: Range): ColumnStatistics {
  const { column, lengths } = range
  const { mean, deviation, quartiles, hist, binWidth } = lengthFigures(lengths)
  const [q25, median, q75] = quartiles
  const [min, max] = [lengths[0]?.[0] ?? 0, lengths.at(-1)?.[0] ?? 0]
  const column_statistics: NumericStatistics = {
    ...nulls(range),
    min,
    max,
    mean,
    median,
    std: deviation,
    histogram: { hist, bin_edges: [...hist.map((_, i) => min + i * binWidth), max] },
    ...distinctOf(range),
    q25,
    q75,
    approximate: approximateOf(range),
  }
  return { column_name: column.name, column_type: 'string_text', column_statistics }
}

/** Where the bins begin, and where the last one ends. */
function edges(bins: Bins, scale: number, max: string): readonly string[] {
  const starts = Array.from({ length: bins.count }, (_, i) =>
    bins.kind === 'whole' ? String(bins.min + BigInt(i) * bins.width) : String((bins.min + i * bins.width) * scale),
  )
  return [...starts, max]
}

function withoutValues(range: Range): ColumnStatistics {
  const none = { min: null, max: null, mean: null, median: null, std: null, histogram: null }
  return {
    column_name: range.column.name,
    column_type: typeOf(range.column),
    column_statistics: { ...nulls(range), ...none, n_unique: 0, q25: null, q75: null, approximate: [] },
  }
}

function typeOf({ kind }: MeasuredColumn): ColumnStatistics['column_type'] {
  if (kind === 'int' || kind === 'float' || kind === 'bool') return kind
  return kind === 'text' ? 'string_text' : 'datetime'
}

/** One of the values, or the length of one, exactly. */
function shownEnd({ kind }: MeasuredColumn, value: string): number | string {
  if (isInstant(kind)) return instantText(kind, BigInt(value) * BigInt(microsecondsOf[kind]))
  return kind === 'float' || Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** A figure of whole measures, which may lie between them; of integers beyond 2^53 to a half. */
function shownWhole({ kind }: MeasuredColumn, whole: bigint, fraction: number): number | string {
  if (isInstant(kind)) {
    const microseconds = microsecondsOf[kind]
    return instantText(kind, whole * BigInt(microseconds) + BigInt(Math.round(fraction * microseconds)))
  }
  if (Number.isSafeInteger(Number(whole))) return Number(whole) + fraction
  const halves = 2n * whole + BigInt(Math.round(2 * fraction))
  return `${halves / 2n}${halves % 2n === 0n ? '' : '.5'}`
}

function shownSpan({ kind }: MeasuredColumn, value: number): number | string | null {
  if (!Number.isFinite(value)) return null
  return isInstant(kind) ? durationText(Math.round(value * microsecondsOf[kind])) : value
}

/** The units in which dates and times are counted. */
const microsecondsOf = { date: 86_400_000_000, timestamp: 1, timestamptz: 1 }

function isInstant(kind: MeasuredColumn['kind']): kind is keyof typeof microsecondsOf {
  return kind in microsecondsOf
}

const microsecondsPerDay = 86_400_000_000

/**
 * An instant as a page of rows shows it: `2024-01-31`, `2024-01-31 10:20:30.5`, or `2024-01-31T10:20:30.5Z`. A date
 * that is not the start of a day, such as a mean of dates, includes its time.
 *
 * @param microseconds Since 1970-01-01.
 */
function instantText(kind: 'date' | 'timestamp' | 'timestamptz', microseconds: bigint): string {
  const fraction = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = (microseconds - fraction) / 1_000_000n
  const [day = '', time = ''] = new Date(Number(seconds) * 1000).toISOString().slice(0, -5).split('T')
  const digits = String(fraction).padStart(6, '0').replace(/0+$/, '')
  const exact = digits === '' ? time : `${time}.${digits}`
  if (kind === 'timestamptz') return `${day}T${exact}Z`
  return kind === 'date' && exact === '00:00:00' ? day : `${day} ${exact}`
}

/** A duration as Python writes one, which the dataset viewer does: `1 day, 2:03:04.500000`. */
function durationText(microseconds: number): string {
  const days = Math.floor(microseconds / microsecondsPerDay)
  const rest = microseconds - days * microsecondsPerDay
  const seconds = Math.floor(rest / 1_000_000)
  const two = (count: number) => String(count).padStart(2, '0')
  const time = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const fraction = rest % 1_000_000
  const exact = fraction === 0 ? time : `${time}.${String(fraction).padStart(6, '0')}`
  return days === 0 ? exact : `${days} day${days === 1 ? '' : 's'}, ${exact}`
}
