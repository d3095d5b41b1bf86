// Task limiter: runs jobs side by side, a bounded number at once. Knows nothing of what they do.

/** Lets at most `jobsMax` jobs run; whoever adds one more waits. The first failure is thrown by the next call. */
export class TaskLimiter {
  readonly #jobsMax: number
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | null = null

  constructor(jobsMax: number) {
    this.#jobsMax = jobsMax
  }

  /** Starts a job as soon as there is room for it, and resolves when it has started. */
  async add(job: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#jobsMax) await Promise.race(this.#running)
    this.#throwFailure()
    const running: Promise<void> = job()
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves when all jobs have ended well; throws the first failure, after all have ended. */
  async drain(): Promise<void> {
    await this.settle()
    this.#throwFailure()
  }

  /** Resolves when no job runs any more, well or not. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}
