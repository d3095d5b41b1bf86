// Pace: limits work to a rate. Knows nothing of what the work is.
import { setTimeout as sleep } from 'node:timers/promises'

/** Tells the time and sleeps; tests pass a clock that does not wait. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number
  /** Rejects if the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
}

/**
 * Returns a function to call after each piece, with its length; it resolves when the next piece may follow. Idle time
 * does not accumulate, so no burst follows it.
 */
export function createPace(
  bytesPerSecond: number,
  clock: Clock,
): (bytes: number, signal: AbortSignal) => Promise<void> {
  let freeAtMs = 0
  return async (bytes, signal) => {
    freeAtMs = Math.max(clock.now(), freeAtMs) + (bytes / bytesPerSecond) * 1_000
    // A wait shorter than the resolution of timers is added to the next one.
    const waitMs = freeAtMs - clock.now()
    if (waitMs >= 10) await clock.sleep(waitMs, signal)
  }
}
