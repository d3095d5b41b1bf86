// Caller: what the key of this tab may do, and what its owner stores. Knows the route; knows no view.
import type { Caller } from '../src/core/responses.ts'
import { ApiError, currentKey, getCaller, setKey } from './api.ts'
import { bytes } from './format.ts'
import { sharedState } from './shared-state.ts'
import { t } from './texts.ts'

export type Scope = 'upload' | 'read' | 'delete'

interface CallerState {
  /** Null while unknown: everything is offered then, and the service decides. */
  readonly caller: Caller | null
  /**
   * The service has been asked, with any result. Before that, no other request is sent: without a key, each would be in
   * vain.
   */
  readonly isAsked: boolean
  /** The service requires a key, or another one. */
  readonly isRefused: boolean
  /** Counts the keys that were used: what is shown belongs to the last one. */
  readonly keyCount: number
}

const state = sharedState<CallerState>({ caller: null, isAsked: false, isRefused: false, keyCount: 0 })

/** The caller, with every change. */
export const useCaller = state.use

/** Asks the service again, such as after something was stored. */
export async function lookAtCaller(): Promise<void> {
  try {
    state.change({ caller: await getCaller(), isAsked: true, isRefused: false })
  } catch (error) {
    state.change({ isAsked: true, ...(isRefusal(error) && { caller: null, isRefused: true }) })
  }
}

/** Uses a key from now on, null for none. False if the service does not accept it: the current one stays. */
export async function enterKey(key: string | null): Promise<boolean> {
  // No header can carry it: the browser would not even ask.
  if (key !== null && !/^[!-~]+$/.test(key)) return false
  const before = currentKey()
  setKey(key)
  try {
    state.change({ caller: await getCaller(), isRefused: false, keyCount: state.current().keyCount + 1 })
    return true
  } catch (error) {
    if (key === null && isRefusal(error))
      state.change({ caller: null, isRefused: true, keyCount: state.current().keyCount + 1 })
    else setKey(before)
    if (isRefusal(error)) return false
    throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

/** Whether it makes sense to ask for stored data. */
export function useMayLook(): boolean {
  const { isAsked, isRefused } = useCaller()
  return useMay('read') && isAsked && !isRefused
}

/** Whether the key of this tab allows something. */
export function useMay(scope: Scope): boolean {
  return useCaller().caller?.scopes.includes(scope) ?? true
}

/** Says why a file of some size cannot be sent, as far as that is known in advance; null if no obstacle is known. */
export function useUploadBlocker(): (size: number) => string | null {
  const { caller } = useCaller()
  return (size) => {
    if (caller === null) return null
    const { scopes, limits, bytes: stored, datasets } = caller
    if (!scopes.includes('upload')) return t.mayNotSend
    if (size > limits.fileBytesMax) return t.tooLarge(bytes(limits.fileBytesMax))
    const left = (stored.max ?? Number.POSITIVE_INFINITY) - stored.used
    if (size > left) return t.quotaLeft(bytes(Math.max(0, left)))
    return datasets.max !== null && datasets.used >= datasets.max ? t.noDatasetLeft : null
  }
}
