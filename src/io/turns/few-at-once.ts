// Few at once: a bound on how many of some kind of work run at the same time, in order of arrival. Knows nothing of the work.

export class FewAtOnce {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param atOnceMax At least 1. */
  constructor(atOnceMax: number) {
    this.#free = atOnceMax
  }

  /** Runs `work` as soon as there is a place for it, and returns its result. */
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
 * Syncs of large files while more of them comes, which nobody waits for. Node has four threads for all work on files, and
 * such a sync takes one of them for some 20 to 100 ms: the other two are for what is waited for.
 */
export const backgroundSyncs = new FewAtOnce(2)
