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

/** What still changes asks for nothing: columns that are scrolled past, a selection that grows. Milliseconds. */
const restMs = 150

/** The answer to the last question that rested, with that question; null before, and for none. */
export function useAnswer<Value>(question: string | null, ask: (signal: AbortSignal) => Promise<Value>) {
  const [answer, setAnswer] = useState<{ readonly question: string; readonly value: Value } | null>(null)
  useLayoutEffect(() => {
    if (question === null) return
    const controller = new AbortController()
    const take = (value: Value) => setAnswer({ question, value })
    const timer = setTimeout(() => ask(controller.signal).then(take, () => {}), restMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [question])
  return answer
}

/** By name, for those of the columns with bins that are known; without filters, all rows match. */
export function useMatches({ id, records }: Receipt, view: RowView, shapes: readonly (Shape | undefined)[]) {
  const bins = shapes.flatMap((one) => (one?.kind === 'bins' ? [one.bins] : []))
  const filters = JSON.stringify(view.filters)
  const isAsked = view.filters.length > 0 && bins.length > 0
  const question = isAsked ? `${filters} ${bins.map(({ column }) => column).join()}` : null
  const answer = useAnswer(question, async (signal) => {
    const { rows } = await runQuery(id, matchesSql(view, bins, records.accepted), signal)
    const counts = (rows[0] ?? []).map(Number)
    return new Map(bins.map(({ column, edges }) => [column, counts.splice(0, edges.length - 1)]))
  })
  // Those of columns that have just come into view are still missing.
  return isAsked && answer?.question.startsWith(`${filters} `) ? answer.value : null
}
