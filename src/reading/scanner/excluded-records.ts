// Excluded records: numbers of readable records to be rejected, added in ascending order and consumed from the front.

/** Marks the end of a table. */
const noExclusion = 0xffff_ffff

export class ExcludedRecords {
  #ordinals: readonly number[] = []
  /** How many of them have been consumed. */
  #used = 0
  #last = 0

  /**
   * Adds numbers from 1.
   *
   * @param consumed Number of readable records already consumed: too late to exclude these.
   * @throws {RangeError} If a number is not above all earlier ones, or too late; none is added then.
   */
  add(ordinals: readonly number[], consumed: number): void {
    let last = Math.max(this.#last, consumed)
    for (const ordinal of ordinals) {
      if (!(ordinal > last)) throw new RangeError(`Cannot drop record ${ordinal}: wanted one after ${last}`)
      last = ordinal
    }
    this.#last = last
    this.#ordinals = this.#ordinals.slice(this.#used).concat(ordinals)
    this.#used = 0
  }

  /** Writes the next ones into `table`, each as the count of readable records before it from now on. */
  fill(table: Uint32Array, consumed: number): void {
    const count = Math.min(this.#ordinals.length - this.#used, table.length - 1)
    for (let i = 0; i < count; i++) table[i] = Math.min(this.#ordinals[this.#used + i]! - consumed - 1, noExclusion)
    table[count] = noExclusion
  }

  /** Removes the first one. */
  use(): number {
    return this.#ordinals[this.#used++]!
  }
}
