// Turns: runs work one at a time, in order of arrival.

export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` once all earlier work has ended, successfully or not. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => {})
    return mine
  }
}
