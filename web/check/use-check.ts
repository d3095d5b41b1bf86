// Use check: the provisional receipt of a file for a view, with its progress and its failure. Knows no element.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { CheckProgress, DeclaredDialect, ProvisionalReceipt, Scope } from './provisional.ts'
import { runCheck } from './run-check.ts'

export type CheckState =
  | { readonly kind: 'none' }
  /** `before` is the result with another dialect, so that nothing jumps while the file is read again. */
  | {
      readonly kind: 'running'
      readonly progress: CheckProgress
      readonly startMs: number
      readonly before: ProvisionalReceipt | null
    }
  | { readonly kind: 'done'; readonly receipt: ProvisionalReceipt; readonly tookMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }

const nothingRead: CheckProgress = { bytes: 0, accepted: 0, rejected: 0, positions: undefined }

/** Checks again whenever the file, a declaration or the scope changes; null for the scope checks nothing. */
export function useCheck(
  file: File,
  dialect: DeclaredDialect,
  scope: Scope | null,
  schema: object | null = null,
): CheckState {
  const [state, setState] = useState<CheckState>({ kind: 'none' })
  useLayoutEffect(() => {
    if (scope === null) {
      setState({ kind: 'none' })
      return
    }
    const controller = new AbortController()
    const startMs = performance.now()
    setState((last) => ({ kind: 'running', progress: nothingRead, startMs, before: receiptOf(last) }))
    const onProgress = (progress: CheckProgress) =>
      setState((last) => (last.kind === 'running' ? { ...last, progress } : last))
    runCheck(file, { dialect, schema, scope }, onProgress, controller.signal).then(
      (receipt) => setState({ kind: 'done', receipt, tookMs: performance.now() - startMs }),
      (error: unknown) => controller.signal.aborted || setState({ kind: 'failed', error }),
    )
    return () => controller.abort()
  }, [file, dialect, schema, scope])
  return state
}

/** The result so far. */
export function receiptOf(state: CheckState): ProvisionalReceipt | null {
  if (state.kind === 'done') return state.receipt
  return state.kind === 'running' ? state.before : null
}
