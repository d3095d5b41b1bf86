// Use list: the entries of a list that the service pages: loaded as far as they are looked at, and again after each
// change. What was loaded is kept, so that the way back to a list shows it at once.
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import { type ListedDataset, type ListPage, type ListQuery, listDatasets } from './api.ts'
import { useCaller, useMayLook } from './caller.ts'
import { useLive } from './upload/live.ts'

interface KeptList extends ListPage {
  readonly error: unknown
}

/** The service returns no more at once. */
const limitMax = 1_000
const limitMin = 100

const kept = new Map<string, KeptList>()
const keptMax = 10

/** @param path Where the service has the list. @param query What the list is filtered and sorted by. */
export function useList(path: string, query: ListQuery) {
  const { changes } = useLive()
  const { keyCount } = useCaller()
  // Another key may read other lists, or none.
  const key = useMayLook() ? `${path} ${keyCount} ${JSON.stringify(query)}` : null
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  const wanted = useRef(0)
  const loading = useRef<AbortController | null>(null)
  const list = kept.get(key ?? '') ?? null
  const set = (changed: KeptList) => {
    kept.delete(key ?? '')
    kept.set(key ?? '', changed)
    for (const old of [...kept.keys()].slice(0, -keptMax)) kept.delete(old)
    render(null)
  }
  const fill = async (from: KeptList | null) => {
    loading.current?.abort()
    const controller = new AbortController()
    loading.current = controller
    let [entries, after]: [readonly ListedDataset[], string | null] = [from?.datasets ?? [], from?.after ?? null]
    try {
      for (;;) {
        const limit = Math.min(limitMax, Math.max(limitMin, wanted.current - entries.length))
        const paged = { ...query, limit: String(limit), ...(after !== null && { after }) }
        const page = await listDatasets(paged, controller.signal, path)
        if (controller.signal.aborted) return
        entries = [...entries, ...page.datasets]
        after = page.after
        const isEnough = after === null || entries.length >= wanted.current
        // A list that is loaded again takes the place of the former one as a whole.
        if (isEnough || from !== null) set({ datasets: entries, total: page.total, after, error: null })
        if (isEnough) break
      }
    } catch (error) {
      if (controller.signal.aborted) return
      set({ datasets: list?.datasets ?? [], total: list?.total ?? 0, after: list?.after ?? null, error })
    }
    if (loading.current === controller) loading.current = null
  }
  useLayoutEffect(() => {
    if (key !== null) void fill(null)
    return () => loading.current?.abort()
  }, [key, changes])
  return {
    /** Null before the first page. */
    entries: list === null || (list.error !== null && list.datasets.length === 0) ? null : list.datasets,
    total: list?.total ?? 0,
    error: list?.error ?? null,
    /** Loads up to this entry. */
    reach(end: number) {
      wanted.current = Math.max(wanted.current, end)
      if (list === null || list.error !== null || loading.current !== null) return
      if (list.after !== null && list.datasets.length < end) void fill(list)
    },
    retry: () => void fill(null),
    /** Takes entries away at once; the service says so later. */
    drop(ids: ReadonlySet<string>) {
      if (list === null) return
      const datasets = list.datasets.filter(({ id }) => !ids.has(id))
      set({ ...list, datasets, total: list.total - (list.datasets.length - datasets.length) })
    },
  }
}
