// Use profile: the statistics of all columns, and how many rows of a view are in each bin of some. Draws nothing.
import { useMemo } from 'preact/hooks'
import { type ColumnStatistics, getProfile, type Receipt, runQuery } from '../../../api.ts'
import { rest, useLoaded } from '../../../use-loaded.ts'
import { type Shape, shapeOf } from './column-shape.ts'
import { matchesSql, type RowView } from './row-view.ts'

export interface MeasuredColumn {
  readonly statistics: ColumnStatistics
  readonly shape: Shape
}

/** By name; empty until they are computed, which takes some seconds for a large dataset. */
export function useProfile({ id, records }: Receipt) {
  const { value, error } = useLoaded((signal) => getProfile(id, signal), [id])
  const profile: ReadonlyMap<string, MeasuredColumn> = useMemo(() => {
    const all = value?.statistics ?? []
    return new Map(
      all.map((statistics) => [statistics.column_name, { statistics, shape: shapeOf(statistics, records.accepted) }]),
    )
  }, [value])
  return { profile, profileError: error }
}

/** By name, for those of the columns with bins that are known; without filters, all rows match. */
export function useMatches({ id, records }: Receipt, view: RowView, shapes: readonly (Shape | undefined)[]) {
  const bins = shapes.flatMap((one) => (one?.kind === 'bins' ? [one.bins] : []))
  const filters = JSON.stringify(view.filters)
  const isAsked = view.filters.length > 0 && bins.length > 0
  const question = isAsked ? `${filters} ${bins.map(({ column }) => column).join()}` : null
  const { value } = useLoaded(
    async (signal) => {
      if (!isAsked) return null
      await rest(signal)
      const { rows } = await runQuery(id, matchesSql(view, bins, records.accepted), signal)
      const counts = (rows[0] ?? []).map(Number)
      return { filters, counts: new Map(bins.map(({ column, edges }) => [column, counts.splice(0, edges.length - 1)])) }
    },
    [question],
  )
  // Those of columns that have just come into view are still missing.
  return isAsked && value?.filters === filters ? value.counts : null
}
