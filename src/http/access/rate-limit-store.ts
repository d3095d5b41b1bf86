// Rate limit store: how often each of many asked within a window, by a clock that nobody can set. Knows nothing of requests.

/** Of more than that, those that were silent for longest are forgotten. */
const keysMax = 5_000

interface Count {
  readonly sinceMs: number
  current: number
}

/**
 * The store of @fastify/rate-limit, which would count by the time of day: set back by a year, that locks a caller out
 * for the year. It calls these methods.
 */
export class RateLimitStore {
  readonly #counts = new Map<string, Count>()

  /** Counts one more, and says how many there were in this window and when it ends. Milliseconds. */
  incr(
    key: string,
    callback: (error: null, result: { readonly current: number; readonly ttl: number }) => void,
    windowMs: number,
  ): void {
    const nowMs = performance.now()
    const last = this.#counts.get(key)
    const count = last === undefined || nowMs - last.sinceMs >= windowMs ? { sinceMs: nowMs, current: 0 } : last
    count.current += 1
    // A map is in the order in which its keys were put there.
    this.#counts.delete(key)
    this.#counts.set(key, count)
    const [silentForLongest] = this.#counts.keys()
    if (this.#counts.size > keysMax && silentForLongest !== undefined) this.#counts.delete(silentForLongest)
    callback(null, { current: count.current, ttl: windowMs - (nowMs - count.sinceMs) })
  }

  /** For routes with limits of their own, of which there are none. */
  child(): RateLimitStore {
    return new RateLimitStore()
  }
}
