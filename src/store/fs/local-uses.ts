// Local uses: counts who is using the files of a dataset by their paths. Knows no files.

export class LocalUses {
  readonly #byId = new Map<string, Set<Promise<unknown>>>()

  /** Counts as a use of the dataset until `work` has finished; returns its result. */
  async during<Result>(id: string, work: Promise<Result>): Promise<Result> {
    const uses = this.#byId.get(id) ?? new Set()
    this.#byId.set(id, uses.add(work))
    try {
      return await work
    } finally {
      uses.delete(work)
      if (uses.size === 0) this.#byId.delete(id)
    }
  }

  /** Resolves when all current uses have ended, successfully or not. */
  async ended(id: string): Promise<void> {
    await Promise.allSettled(this.#byId.get(id) ?? [])
  }
}
