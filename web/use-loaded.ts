// Use loaded: a value, or a list by pages, that is fetched for a view, while loading, loaded or failed. Knows nothing
// of the values.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export type LoadState<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown }

interface Action<Value> {
  readonly outcome: LoadState<Value> | { readonly state: 'none' }
  /** Aborts the action before, whose outcome is ignored. */
  run(action: (signal: AbortSignal) => Promise<Value>): void
  cancel(): void
}

/** The latest of the actions that the user asks for. */
export function useAction<Value>(): Action<Value> {
  const [outcome, setOutcome] = useState<Action<Value>['outcome']>({ state: 'none' })
  const running = useRef(new AbortController())
  return {
    outcome,
    run(action) {
      running.current.abort()
      running.current = new AbortController()
      const { signal } = running.current
      setOutcome({ state: 'loading' })
      action(signal).then(
        (value) => signal.aborted || setOutcome({ state: 'loaded', value }),
        (error: unknown) => signal.aborted || setOutcome({ state: 'failed', error }),
      )
    },
    cancel() {
      running.current.abort()
      setOutcome({ state: 'none' })
    },
  }
}

/** Loads again whenever a dependency changes, and ignores the result of earlier loads. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): LoadState<Value> {
  const { outcome, run, cancel } = useAction<Value>()
  useLayoutEffect(() => {
    run(load)
    return cancel
  }, dependencies)
  return outcome.state === 'none' ? { state: 'loading' } : outcome
}

interface Page<Item, Cursor> {
  readonly items: readonly Item[]
  /** Where the next page begins; null after the last one. */
  readonly next: Cursor | null
}

/** Loads the first page again whenever a dependency changes; null for `load` loads nothing. */
export function usePages<Item, Cursor>(
  load: ((cursor: Cursor | null, signal: AbortSignal) => Promise<Page<Item, Cursor>>) | null,
  dependencies: readonly unknown[],
) {
  const [page, setPage] = useState<Page<Item, Cursor> | null>(null)
  const { outcome, run, cancel } = useAction<void>()
  const retry = useRef(() => {})
  const add = (before: readonly Item[], cursor: Cursor | null) => {
    if (load === null) return
    retry.current = () => add(before, cursor)
    run(async (signal) => {
      const { items, next } = await load(cursor, signal)
      if (!signal.aborted) setPage({ items: [...before, ...items], next })
    })
  }
  useLayoutEffect(() => {
    add([], null)
    return cancel
  }, dependencies)
  const isLoading = outcome.state === 'loading' || (outcome.state === 'none' && load !== null)
  const error = outcome.state === 'failed' ? outcome.error : null
  return {
    /** Null before the first page. They stay while others are loaded in their place. */
    items: page?.items ?? null,
    isLoading,
    hasMore: !isLoading && (error !== null || (page !== null && page.next !== null)),
    error,
    /** Loads the next page, or once more the one that failed. */
    more: () => (error === null ? add(page?.items ?? [], page?.next ?? null) : retry.current()),
    /** Drops the other items. */
    keep: (isKept: (item: Item) => boolean) => setPage((last) => last && { ...last, items: last.items.filter(isKept) }),
  }
}
