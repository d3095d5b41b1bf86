// Keyed mutex: runs work on the same key one at a time, in order of arrival. Knows nothing of what the work is.

export class KeyedMutex {
  readonly #lastByKey = new Map<string, Promise<unknown>>()

  /** Runs `work` once all earlier work for `key` has ended, successfully or not. */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#lastByKey.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#lastByKey.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#lastByKey.get(key) === mine) this.#lastByKey.delete(key)
    }
  }
}
