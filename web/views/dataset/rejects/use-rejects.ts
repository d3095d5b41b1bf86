// Use rejects: the requested rejects of a dataset, all or those with one reason. Knows no element.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { RejectPreview, RejectReason } from '../../../../src/core/receipt.ts'
import { getRejects, type Receipt } from '../../../api.ts'

const shownStep = 100

export interface ShownRejects {
  readonly shown: readonly RejectPreview[]
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly error: unknown
  more(): void
}

/** Loaded rejects by the requested reason; null for all. */
type Loaded = ReadonlyMap<string | null, readonly RejectPreview[]>

/** @param reason Null for all. */
export function useRejects({ id, rejects }: Receipt, reason: string | null): ShownRejects {
  const [loaded, setLoaded] = useState<Loaded>(new Map())
  const [wanted, setWanted] = useState(shownStep)
  const [error, setError] = useState<unknown>(null)
  const shown = shownOf(loaded, reason)
  const total = reason === null ? rejects.count : (rejects.reasons[reason as RejectReason] ?? 0)
  const isLoading = shown.length < Math.min(wanted, total) && error === null
  useLayoutEffect(() => {
    setWanted(shownStep)
    setError(null)
  }, [reason])
  useLayoutEffect(() => {
    if (!isLoading) return
    const controller = new AbortController()
    getRejects(id, reason, shown.length, shownStep, controller.signal).then(
      (page) => setLoaded(new Map(loaded).set(reason, [...shown, ...page.rejects])),
      (failure: unknown) => controller.signal.aborted || setError(failure),
    )
    return () => controller.abort()
  }, [id, isLoading, reason, shown.length])
  return {
    shown,
    hasMore: !isLoading && shown.length < total,
    isLoading,
    error,
    more: () => {
      setError(null)
      setWanted(Math.max(wanted, shown.length) + shownStep)
    },
  }
}

/** The first rejects of all that have the reason are the first ones with that reason. */
function shownOf(loaded: Loaded, reason: string | null): readonly RejectPreview[] {
  const all = loaded.get(null) ?? []
  const known = reason === null ? all : all.filter((reject) => reject.reason === reason)
  const own = loaded.get(reason) ?? []
  return own.length > known.length ? own : known
}
