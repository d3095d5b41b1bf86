// Use loaded: what is fetched for a view, or done by it: the last value, whether another is on its way, and why there is
// none. Knows nothing of the values.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Outcome<Value> {
  /** The last one; it stays while another is loaded, and if that fails. Null before the first. */
  readonly value: Value | null
  readonly isLoading: boolean
  /** Of the last load; null if it did not fail. */
  readonly error: unknown
}

/** The value that belongs to the last load; null while it is on its way, and if it failed. */
export function settled<Value>({ value, isLoading, error }: Outcome<Value>): Value | null {
  return isLoading || error !== null ? null : value
}

interface Action<Value> extends Outcome<Value> {
  /** Aborts the action before, whose outcome is ignored. */
  run(action: (signal: AbortSignal) => Promise<Value>): void
  cancel(): void
}

/** The latest of the actions that the user asks for. */
export function useAction<Value>(isLoading = false): Action<Value> {
  const [outcome, setOutcome] = useState<Outcome<Value>>({ value: null, isLoading, error: null })
  const running = useRef(new AbortController())
  const change = (changed: Partial<Outcome<Value>>) =>
    setOutcome(({ value }) => ({ value, isLoading: false, error: null, ...changed }))
  return {
    ...outcome,
    run(action) {
      running.current.abort()
      running.current = new AbortController()
      const { signal } = running.current
      change({ isLoading: true })
      action(signal).then(
        (value) => signal.aborted || change({ value }),
        (error: unknown) => signal.aborted || change({ error }),
      )
    },
    cancel() {
      running.current.abort()
      change({})
    },
  }
}

/** Loads again whenever a dependency changes, and ignores the result of earlier loads. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Outcome<Value> {
  const { run, cancel, ...outcome } = useAction<Value>(true)
  useLayoutEffect(() => {
    run(load)
    return cancel
  }, dependencies)
  return outcome
}

/** What still changes asks for nothing: a text that is typed, columns that are scrolled past. Milliseconds. */
const restMs = 150

/** Rejects with the reason of the signal if there is a change meanwhile. */
export async function rest(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, restMs))
  signal.throwIfAborted()
}
