// Excluded records: numbers of readable records that are to be rejected, told in rising order and used up from the front.

/** Stands behind the last entry of a table. */
const noExclusion = 0xffff_ffff

export class ExcludedRecords {
  #ordinals: readonly number[] = []
  /** So many of them are used up. */
  #used = 0
  #last = 0

  /**
   * Adds numbers from 1.
   *
   * @param consumed So many readable records are consumed: too late for them.
   * @throws {RangeError} For one that is not above all before it, or too late; none is added then.
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

  /** Writes the next ones into `table`, as how many readable records come before each from now on. */
  fill(table: Uint32Array, consumed: number): void {
    const count = Math.min(this.#ordinals.length - this.#used, table.length - 1)
    for (let i = 0; i < count; i++) table[i] = Math.min(this.#ordinals[this.#used + i]! - consumed - 1, noExclusion)
    table[count] = noExclusion
  }

  /** Takes the first one away. */
  use(): number {
    return this.#ordinals[this.#used++]!
  }
}
