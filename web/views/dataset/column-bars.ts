// Column bars: the histogram or the frequent values of a column as bars, each with the rows that it counts. Knows no element.
import type { ColumnStatistics } from '../../api.ts'
import { figure } from '../../format.ts'
import type { Bar } from '../../parts/plot.tsx'
import { rowsHref } from '../../router.ts'
import type { Filter } from './rows/row-view.ts'

export function barsOf(id: string, { column_name: column, column_type: kind, column_statistics }: ColumnStatistics) {
  const { histogram, frequencies } = column_statistics
  // For texts, histograms are about their lengths.
  const isLength = kind === 'string_text'
  const bar = (label: string, times: number, filters: readonly Filter[]): Bar => ({
    label,
    count: times,
    href: rowsHref(id, { filters, sort: null }),
  })
  if (!histogram) {
    return Object.entries(frequencies ?? {}).map(([value, times]) =>
      bar(value, times, [{ column, operator: '=', value }]),
    )
  }
  const { hist, bin_edges: edges } = histogram
  return hist.map((times, index) => {
    const [from, to] = [edges[index], edges[index + 1]]
    const isLast = index === hist.length - 1
    const length = isLength ? { isLength } : {}
    const label = from === to ? shown(from) : `${shown(from)} – ${shown(to)}`
    return bar(label, times, [
      { column, operator: '>=', value: String(from), ...length },
      { column, operator: isLast ? '<=' : '<', value: String(to), ...length },
    ])
  })
}

export function shown(value: unknown): string {
  return typeof value === 'number' ? figure(value) : String(value)
}
