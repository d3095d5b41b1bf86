// Pace: holds work to a rate. Knows nothing of what the work is.
import { setTimeout as sleep } from 'node:timers/promises'

/** What waits and tells the time; of a test, without waiting. */
export interface Clock {
  /** Milliseconds; never goes back. */
  now(): number
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
}

/**
 * Gives a function to be called after so many bytes, which resolves when the next ones may follow. Time in which nothing
 * was done earns nothing, so that no burst follows it.
 */
export function createPace(
  bytesPerSecond: number,
  clock: Clock,
): (bytes: number, signal: AbortSignal) => Promise<void> {
  let freeAtMs = 0
  return async (bytes, signal) => {
    freeAtMs = Math.max(clock.now(), freeAtMs) + (bytes / bytesPerSecond) * 1_000
    // A wait of less than a timer's grain is made up for by the next one.
    const waitMs = freeAtMs - clock.now()
    if (waitMs >= 10) await clock.sleep(waitMs, signal)
  }
}
