// Use loaded: a value that is fetched for a view, while loading, loaded or failed. Knows nothing of the value.
import { useLayoutEffect, useState } from 'preact/hooks'

export type Loaded<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'loaded'; readonly value: Value }
  | { readonly state: 'failed'; readonly error: unknown }

/** Loads again whenever a dependency changes, and ignores the result of earlier loads. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' })
  useLayoutEffect(() => {
    const controller = new AbortController()
    setLoaded({ state: 'loading' })
    load(controller.signal).then(
      (value) => controller.signal.aborted || setLoaded({ state: 'loaded', value }),
      (error: unknown) => controller.signal.aborted || setLoaded({ state: 'failed', error }),
    )
    return () => controller.abort()
  }, dependencies)
  return loaded
}
