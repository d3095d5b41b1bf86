// Retry: repeats requests if that is safe and may help, with growing pauses. Knows nothing of the request.
import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError, type Failure, isTransient } from './client-error.ts'

export interface RetryRules {
  /** Number of retries after the first attempt. */
  readonly retriesMax: number
  /** The first pause; each later one is twice as long, up to the longest. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  /** A longer `Retry-After` than this is a failure. */
  readonly retryAfterMsMax: number
}

export const defaultRules: RetryRules = {
  retriesMax: 5,
  pauseMsMin: 500,
  pauseMsMax: 30_000,
  retryAfterMsMax: 300_000,
}

/** The attempts so far, for progress display. */
export interface Attempts {
  /** Counted from 1. */
  attempt: number
  /** The reason for the current pause, and its end by `performance.now()`; null during an attempt. */
  pause: { readonly failure: Failure; readonly untilMs: number } | null
}

/**
 * Runs `action` until it succeeds, fails permanently, or has been tried often enough.
 *
 * @param mayRepeat Returns false once a retry is impossible, such as when standard input has been read.
 * @throws {ClientError} the last failure; the reason of `signal` if it is aborted, even within a pause.
 */
export async function withRetries<Value>(
  action: () => Promise<Value>,
  rules: RetryRules,
  attempts: Attempts,
  signal: AbortSignal,
  mayRepeat: () => boolean = () => true,
): Promise<Value> {
  for (attempts.attempt = 1; ; attempts.attempt += 1) {
    try {
      return await action()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ClientError) || attempts.attempt > rules.retriesMax) throw error
      const { failure } = error
      if (!isTransient(failure) || !mayRepeat()) throw error
      const pauseMs = pauseBefore(attempts.attempt, failure, rules)
      if (pauseMs === null) throw error
      attempts.pause = { failure, untilMs: performance.now() + pauseMs }
      await pause(pauseMs, signal)
      attempts.pause = null
    }
  }
}

/** @throws the reason of the signal */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/**
 * The pause after that many attempts, in milliseconds; null if the server requests a longer one than we wait. Half of
 * each pause is random, so that clients that failed together do not return together.
 */
export function pauseBefore(
  attempts: number,
  failure: Failure,
  rules: RetryRules,
  random = Math.random,
): number | null {
  const askedMs = failure.kind === 'refused' ? (failure.retryAfterMs ?? 0) : 0
  if (askedMs > rules.retryAfterMsMax) return null
  const grownMs = Math.min(rules.pauseMsMax, rules.pauseMsMin * 2 ** (attempts - 1))
  return askedMs + (grownMs * (1 + random())) / 2
}
