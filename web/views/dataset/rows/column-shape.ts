// Column shape: what the plot of a column draws, from its statistics, and the filters that choose a part of it. Knows
// no element.
import type { ColumnStatistics } from '../../../api.ts'
import { count, isNumeric, percent, shortDate, shownFigure } from '../../../format.ts'
import { language, t } from '../../../texts.ts'
import type { Bins, Filter } from './row-view.ts'

export type Shape =
  /** Numbers and dates, or the lengths of texts. */
  | { readonly kind: 'bins'; readonly counts: readonly number[]; readonly bins: Bins }
  /** Few values, the most frequent first. */
  | { readonly kind: 'labels'; readonly labels: readonly (readonly [value: string, count: number])[] }
  | { readonly kind: 'different'; readonly text: string }

/** What the head of a column draws. */
export function shapeOf(column: ColumnStatistics, rows: number): Shape {
  const { column_type: kind, column_statistics: of } = column
  const values = rows - of.nan_count
  if (values === 0) return { kind: 'different', text: t.nullValue }
  if (of.frequencies !== undefined) {
    const labels = Object.entries(of.frequencies).filter(([, times]) => times > 0)
    return { kind: 'labels', labels: labels.toSorted(([, a], [, b]) => b - a) }
  }
  const binned = kind === 'string_text' ? null : binsOf(column)
  if (binned !== null) return binned
  const distinct = of.n_unique ?? 0
  return { kind: 'different', text: distinct === values && values > 1 ? t.allDifferent : t.different(count(distinct)) }
}

/** The histogram of a column; for texts, that of their lengths. */
export function binsOf({ column_name: column, column_type: kind, column_statistics }: ColumnStatistics) {
  const { histogram } = column_statistics
  if (!histogram) return null
  const last = histogram.bin_edges.length - 1
  const edges = histogram.bin_edges.map((edge, at) => String(at === 0 || at === last ? edge : withoutNoise(edge)))
  const isLength = kind === 'string_text'
  const isWhole = isLength || kind === 'int' || edges.every((edge) => /^\d{4}-\d\d-\d\d$/.test(edge))
  return { kind: 'bins', counts: histogram.hist, bins: { column, edges, isLength, isWhole } } as const
}

/** An edge between two bars is where someone would draw it: at 299.988, not at 299.98800000000006. */
function withoutNoise(edge: unknown): unknown {
  return typeof edge === 'number' ? Number(edge.toPrecision(12)) : edge
}

/** What stands below the plot in a column's head. */
export function endsOf(
  { column_type: kind, column_statistics: of }: ColumnStatistics,
  shape: Shape,
  filter: Filter | undefined,
): readonly string[] {
  if (shape.kind === 'labels') {
    const { labels } = shape
    if (filter?.operator === 'in')
      return [filter.values.join(', '), t.partOf(count(filter.values.length), count(labels.length))]
    const [first, ...others] = labels
    if (first === undefined) return []
    const all = labels.reduce((sum, [, times]) => sum + times, 0)
    return [`${percent(first[1] / all)} ${first[0]}`, ...(others.length > 1 ? [t.different(count(labels.length))] : [])]
  }
  if (of.min === undefined || of.min === null) return []
  if (kind === 'string_text') {
    const [least, most] = [shownFigure(of.min), shownFigure(of.max)]
    return [least === most ? t.characters(most) : t.charactersTo(least, most)]
  }
  if (kind !== 'datetime') return [shownFigure(of.min), shownFigure(of.max)]
  const [from, to] = [String(of.min), String(of.max)]
  const isOneYear = from.slice(0, 4) === to.slice(0, 4)
  return [shortDate(from, isOneYear), shortDate(to, isOneYear)]
}

/** The filter of a column that its plot shows as chosen. */
export function chosenOf(filters: readonly Filter[], column: string): Filter | undefined {
  return filters.find((one) => one.column === column && ['between', '>=', '<=', 'in'].includes(one.operator))
}

/** Null if neither end is set. */
export function rangeFilter({ column, isLength }: Bins, from: string, to: string): Filter | null {
  const length = isLength ? { isLength } : {}
  if (from !== '' && to !== '') return { column, operator: 'between', values: [from, to], ...length }
  if (from === '' && to === '') return null
  return { column, operator: from === '' ? '<=' : '>=', values: [from || to], ...length }
}

/** The filter of some bars, side by side; of whole numbers and days, the next bar's first value is not theirs. */
export function barsFilter(bins: Bins, first: number, last: number): Filter | null {
  const { edges, isWhole } = bins
  const [from = '', end = ''] = [edges[first], edges[last + 1]]
  const isOpen = isWhole && last < edges.length - 2
  return rangeFilter(bins, from, isOpen ? valueBefore(end, from) : end)
}

function valueBefore(end: string, from: string): string {
  if (!isBefore(from, end)) return end
  if (!Number.isNaN(Number(end))) return String(Number(end) - 1)
  return new Date(Date.parse(end) - 86_400_000).toISOString().slice(0, 10)
}

/** The ends that a filter sets; empty for one that is open. */
export function endsSet(filter: Filter | undefined): readonly [from: string, to: string] {
  const [first = '', last = ''] = filter?.values ?? []
  if (filter?.operator === 'between') return [first, last]
  return [filter?.operator === '>=' ? first : '', filter?.operator === '<=' ? first : '']
}

/** Whether a filter leaves values of a bin. */
export function isChosen({ edges }: Bins, at: number, filter: Filter): boolean {
  const [from, to] = endsSet(filter)
  const [start = '', end = ''] = edges.slice(at, at + 2)
  const endsLater = from === '' || isBefore(from, end) || (at === edges.length - 2 && from === end)
  return endsLater && (to === '' || isBefore(start, to) || start === from)
}

/** A compared value as it is shown, and typed: a number in German has a decimal comma. */
export function shownValue(value: string, type: string): string {
  return language === 'de' && isNumeric(type) ? value.replace('.', ',') : value
}

/** A typed value as it is compared. */
export function typedValue(text: string, type: string): string {
  const isGerman = language === 'de' && isNumeric(type) && /^-?(\d{1,3}(\.\d{3})+|\d*),\d+$/.test(text.trim())
  return isGerman ? text.replaceAll('.', '').replace(',', '.') : text
}

/** Whether a text can be compared with values of a type. */
export function isComparable(text: string, type: string): boolean {
  if (isNumeric(type)) return text.trim() !== '' && Number.isFinite(Number(text))
  if (type === 'boolean') return text === 'true' || text === 'false'
  return !/^(date|timestamp)/.test(type) || /^\d{4}-\d\d-\d\d/.test(text)
}

/** Whether both ends of a range are set, the last one before the first. */
export function areReversed([from, to]: readonly [from: string, to: string]): boolean {
  return from !== '' && to !== '' && isBefore(to, from)
}

/** Dates in ISO 8601 sort as texts. */
function isBefore(one: string, other: string): boolean {
  const numbers = [Number(one), Number(other)] as const
  return numbers.some(Number.isNaN) ? one < other : numbers[0] < numbers[1]
}

/** Bars as one path, in a box as wide as their number and 20 high; each to the height of the highest. */
export function barsPath(counts: readonly number[], isShown: (at: number) => boolean = () => true): string {
  const most = Math.max(...counts, 1)
  return counts
    .map((one, at) => {
      const height = one === 0 || !isShown(at) ? 0 : Math.max(0.6, (one / most) * 20)
      return height === 0 ? '' : `M${at + 0.06} 20v${-height.toFixed(2)}h.88v${height.toFixed(2)}z`
    })
    .join('')
}
