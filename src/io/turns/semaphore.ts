// Semaphore: a bound on how many of some kind of work run at the same time, in order of arrival. Knows nothing of the work.

export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param atOnceMax At least 1. */
  constructor(atOnceMax: number) {
    this.#free = atOnceMax
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Runs `work` as soon as a place is free, and returns its result. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}

/**
 * Syncs of large files that are still being written, for which nobody waits. Node has four threads for all file
 * operations, and such a sync occupies one for some 20 to 100 ms: the other two remain for operations that somebody
 * waits for.
 */
export const backgroundSyncs = new Semaphore(2)
