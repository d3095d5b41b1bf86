// Use rejects: the rejects of a dataset as far as they are wanted, all or those of one reason. Knows no element.
import { useEffect, useState } from 'preact/hooks'
import { getRejects, type Receipt, type Reject } from '../../../api.ts'

const shownStep = 100
/** Where one reason is looked for, others come along. */
const searchedAtOnce = 1_000

export interface ShownRejects {
  readonly shown: readonly Reject[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly error: unknown
  more(): void
}

/** @param reason Null for all. */
export function useRejects({ id, rejects }: Receipt, reason: string | null): ShownRejects {
  const [loaded, setLoaded] = useState<readonly Reject[]>([])
  const [wanted, setWanted] = useState(shownStep)
  const [error, setError] = useState<unknown>(null)
  const matching = reason === null ? loaded : loaded.filter((reject) => reject.reason === reason)
  const total = reason === null ? rejects.count : (rejects.reasons[reason] ?? 0)
  const isLoading = matching.length < Math.min(wanted, total) && loaded.length < rejects.count && error === null
  useEffect(() => setWanted(shownStep), [reason])
  useEffect(() => {
    if (!isLoading) return
    const controller = new AbortController()
    getRejects(id, loaded.length, reason === null ? shownStep : searchedAtOnce, controller.signal).then(
      (page) => setLoaded([...loaded, ...page.rejects]),
      (failure: unknown) => controller.signal.aborted || setError(failure),
    )
    return () => controller.abort()
  }, [id, isLoading, reason, loaded.length])
  return {
    shown: matching.slice(0, wanted),
    hasMore: matching.length > wanted || (matching.length < total && !isLoading),
    isLoading,
    error,
    more: () => setWanted(wanted + shownStep),
  }
}
