// Slice list: collects slices and joins adjacent ones. Knows nothing of records.

/** Collects slices of byte arrays, in order. What was added must not be changed afterwards. */
export class SliceList {
  #pieces: Uint8Array[] = []
  #source: Uint8Array | null = null
  #from = 0
  #to = 0

  /** Adds bytes from … to-1 of `source`. */
  add(source: Uint8Array, from: number, to: number): void {
    if (source === this.#source && from === this.#to) {
      this.#to = to
      return
    }
    this.#flush()
    this.#source = source
    this.#from = from
    this.#to = to
  }

  /** Number of pieces so far; what is added from now on starts a new piece. */
  count(): number {
    this.#flush()
    return this.#pieces.length
  }

  /** Returns what was collected, and starts a new list. */
  release(): readonly Uint8Array[] {
    this.#flush()
    const pieces = this.#pieces
    this.#pieces = []
    return pieces
  }

  #flush(): void {
    if (this.#source !== null) this.#pieces.push(this.#source.subarray(this.#from, this.#to))
    this.#source = null
  }
}
