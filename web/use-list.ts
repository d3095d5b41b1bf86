// Use list: the entries of a list that the service pages: loaded as far as they are looked at, and again after each
// change. What was loaded is kept, so that the way back to a list shows it at once.
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks'
import { type ListedDataset, type ListPage, type ListQuery, listDatasets } from './api.ts'
import { useCaller, useMayLook } from './caller.ts'
import { useLive } from './upload/live.ts'

interface CachedList extends ListPage {
  readonly error: unknown
}

/** The service returns no more at once. */
const limitMax = 1_000
const limitMin = 100

const cache = new Map<string, CachedList>()
const cachedMax = 10

/** @param path Where the service has the list. @param query What the list is filtered and sorted by. */
export function useList(path: string, query: ListQuery) {
  const { changes } = useLive()
  const { keyCount } = useCaller()
  // Another key may read other lists, or none.
  const key = useMayLook() ? `${path} ${keyCount} ${JSON.stringify(query)}` : null
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  const wanted = useRef(0)
  const loading = useRef<AbortController | null>(null)
  /** Also what came since the page was drawn. */
  const current = () => cache.get(key ?? '') ?? null
  const list = current()
  const set = (changed: CachedList) => {
    cache.delete(key ?? '')
    cache.set(key ?? '', changed)
    for (const old of [...cache.keys()].slice(0, -cachedMax)) cache.delete(old)
    render(null)
  }
  const load = async (from: CachedList | null) => {
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
      set({ ...(current() ?? { datasets: [], total: 0, after: null }), error })
    }
    if (loading.current === controller) loading.current = null
  }
  useLayoutEffect(() => {
    if (key !== null) void load(null)
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
      if (list.after !== null && list.datasets.length < end) void load(list)
    },
    retry: () => void load(null),
    /** Takes entries away at once. What was asked before still has them, so it is asked again. */
    remove(ids: ReadonlySet<string>) {
      const before = current()
      if (before === null) return
      const datasets = before.datasets.filter(({ id }) => !ids.has(id))
      set({ ...before, datasets, total: before.total - (before.datasets.length - datasets.length) })
      if (loading.current !== null) void load(null)
    },
  }
}
