// Ago: how long ago something was, which goes on while it is looked at.
import { useLayoutEffect, useReducer } from 'preact/hooks'
import { ago, moment } from '../format.ts'

const stepMs = 30_000

/** @param props.at Epoch milliseconds. */
export function Ago({ at }: { readonly at: number }) {
  const [, render] = useReducer((turn: number) => turn + 1, 0)
  useLayoutEffect(() => {
    const timer = setInterval(() => render(null), stepMs)
    return () => clearInterval(timer)
  }, [])
  return <time title={moment(at)}>{ago(at)}</time>
}
