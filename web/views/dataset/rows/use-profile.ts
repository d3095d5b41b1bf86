// Use profile: the statistics of all columns, and how many rows of a view are in each bin of some. Draws nothing.
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { type ColumnStatistics, getProfile, type Receipt, runQuery } from '../../../api.ts'
import { useLoaded } from '../../../use-loaded.ts'
import { type Shape, shapeOf } from './column-shape.ts'
import { matchesSql, type RowView } from './row-view.ts'

export interface MeasuredColumn {
  readonly statistics: ColumnStatistics
  readonly shape: Shape
}

/** By name; empty until they are computed, which takes some seconds for a large dataset. */
export function useProfile({ id, records }: Receipt): ReadonlyMap<string, MeasuredColumn> {
  const loaded = useLoaded((signal) => getProfile(id, signal), [id])
  return useMemo(() => {
    const all = loaded.state === 'loaded' ? loaded.value.statistics : []
    return new Map(
      all.map((statistics) => [statistics.column_name, { statistics, shape: shapeOf(statistics, records.accepted) }]),
    )
  }, [loaded])
}

/** Scrolling past columns asks for nothing. Milliseconds. */
const restMs = 120

/** By name, for those of the columns with bins that are known; empty for all rows. */
export function useMatches(
  { id, records }: Receipt,
  view: RowView,
  shapes: readonly (Shape | undefined)[],
): ReadonlyMap<string, readonly number[]> {
  const key = JSON.stringify(view.filters)
  const [known, setKnown] = useState<{
    readonly key: string
    readonly counts: ReadonlyMap<string, readonly number[]>
  }>()
  const counts = known?.key === key ? known.counts : none
  const missing = shapes
    .flatMap((one) => (one?.kind === 'bins' ? [one.bins] : []))
    .filter(({ column }) => view.filters.length > 0 && !counts.has(column))
  useLayoutEffect(() => {
    if (missing.length === 0) return
    const controller = new AbortController()
    const ask = async () => {
      const { rows } = await runQuery(id, matchesSql(view, missing, records.accepted), controller.signal)
      let at = 0
      const found = missing.map(({ column, edges }) => {
        const bins = edges.length - 1
        at += bins
        return [column, (rows[0] ?? []).slice(at - bins, at).map(Number)] as const
      })
      setKnown({ key, counts: new Map([...counts, ...found]) })
    }
    // Without an answer, the plots show all rows.
    const timer = setTimeout(() => void ask().catch(() => {}), restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key, missing.map(({ column }) => column).join('\0')])
  return counts
}

const none: ReadonlyMap<string, readonly number[]> = new Map()
