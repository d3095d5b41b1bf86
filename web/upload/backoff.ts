// How long to wait before retrying after a temporary failure: longer each time, but not beyond the return of the network.
import { ApiError } from '../api.ts'

const firstMs = 500
const longestMs = 15_000

/** A broken connection, or a service that is busy or starting. */
export function isTransient(error: unknown): boolean {
  return (
    (error instanceof ApiError && [0, 408, 429, 502, 503, 504].includes(error.status)) ||
    // What fetch reports for a connection that breaks within a response.
    error instanceof TypeError
  )
}

export class Backoff {
  #nextMs = firstMs

  /** Call it when something worked. */
  reset(): void {
    this.#nextMs = firstMs
  }

  /** Rejects with the reason of the signal. */
  async wait(signal: AbortSignal): Promise<void> {
    const ms = this.#nextMs
    this.#nextMs = Math.min(longestMs, ms * 2)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    const listening = new AbortController()
    addEventListener('online', () => resolve(), listening)
    signal.addEventListener('abort', () => resolve(), listening)
    if (!signal.aborted) await promise
    clearTimeout(timer)
    listening.abort()
    signal.throwIfAborted()
  }
}
