// Rate limit store: counts by key within a time window, on a monotonic clock. Knows nothing of requests.

/** With more keys, the least recently used are forgotten. */
const keysMax = 5_000

interface Count {
  readonly sinceMs: number
  current: number
}

/**
 * The store for @fastify/rate-limit. The plugin's own store uses the time of day: if that is set back by a year, a
 * caller is locked out for a year. The plugin calls these methods.
 */
export class RateLimitStore {
  readonly #counts = new Map<string, Count>()

  /** Counts one more, and reports the count of this window and the milliseconds until it ends. */
  incr(
    key: string,
    callback: (error: null, result: { readonly current: number; readonly ttl: number }) => void,
    windowMs: number,
  ): void {
    const nowMs = performance.now()
    const last = this.#counts.get(key)
    const count = last === undefined || nowMs - last.sinceMs >= windowMs ? { sinceMs: nowMs, current: 0 } : last
    count.current += 1
    // A map keeps its keys in the order in which they were inserted.
    this.#counts.delete(key)
    this.#counts.set(key, count)
    const [silentForLongest] = this.#counts.keys()
    if (this.#counts.size > keysMax && silentForLongest !== undefined) this.#counts.delete(silentForLongest)
    callback(null, { current: count.current, ttl: windowMs - (nowMs - count.sinceMs) })
  }

  /** The plugin calls it for routes with their own limits; we have none. */
  child(): RateLimitStore {
    return new RateLimitStore()
  }
}
