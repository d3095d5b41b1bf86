// Shared state: one that several parts of the page show, and render again after each change.
import { useLayoutEffect, useReducer } from 'preact/hooks'

export interface SharedState<State> {
  readonly current: () => State
  readonly change: (changes: Partial<State>) => void
  /** The state, with every change. */
  readonly use: () => State
}

export function sharedState<State extends object>(initial: State): SharedState<State> {
  let state = initial
  const listeners = new Set<() => void>()
  return {
    current: () => state,
    change: (changes) => {
      state = { ...state, ...changes }
      for (const listener of listeners) listener()
    },
    use: () => {
      const [, render] = useReducer((turn: number) => turn + 1, 0)
      useLayoutEffect(() => {
        const listener = () => render(null)
        listeners.add(listener)
        return () => void listeners.delete(listener)
      }, [])
      return state
    },
  }
}
