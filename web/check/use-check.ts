// Use check: the provisional receipt of a file for a view, with its progress and its failure. Knows no element.
import { useState } from 'preact/hooks'
import { useLoaded } from '../use-loaded.ts'
import type { CheckProgress, DeclaredDialect, Scope } from './provisional.ts'
import { runCheck } from './run-check.ts'

const nothingRead: CheckProgress = { bytes: 0, accepted: 0, rejected: 0, positions: undefined }

export type Check = ReturnType<typeof useCheck>

/** Checks again whenever the file, a declaration or the scope changes; null for one of them checks nothing. */
export function useCheck(
  file: File | null,
  dialect: DeclaredDialect,
  scope: Scope | null,
  schema: object | null = null,
) {
  const [running, setRunning] = useState({ progress: nothingRead, startMs: 0 })
  const { value, isLoading, error } = useLoaded(
    async (signal) => {
      if (file === null || scope === null) return null
      const startMs = performance.now()
      const onProgress = (progress: CheckProgress) => setRunning({ progress, startMs })
      onProgress(nothingRead)
      const receipt = await runCheck(file, { dialect, schema, scope }, onProgress, signal)
      return { receipt, tookMs: performance.now() - startMs }
    },
    [file, dialect, schema, scope],
  )
  const known = scope === null || error !== null ? null : value
  return {
    ...running,
    isRunning: isLoading && scope !== null,
    /** Null for a check that is not done. */
    tookMs: isLoading ? null : (known?.tookMs ?? null),
    /** That of another dialect while the file is read again, so that nothing jumps. */
    receipt: known?.receipt ?? null,
    error,
  }
}
