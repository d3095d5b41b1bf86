// Waiting readings: which readings wait for their clients, and for how long. Knows nothing of what is read.

/** With more than these, the one that has waited longest is given up. */
const waitingMax = 8

export class WaitingReadings<Reading> implements Disposable {
  readonly #waitMs: number
  readonly #giveUp: (reading: Reading) => void
  /** Longest wait first. */
  readonly #timers = new Map<Reading, NodeJS.Timeout>()

  /** @param giveUp Called with a reading that has waited `waitMs`, or has to make room. */
  constructor(waitMs: number, giveUp: (reading: Reading) => void) {
    this.#waitMs = waitMs
    this.#giveUp = giveUp
  }

  has(reading: Reading): boolean {
    return this.#timers.has(reading)
  }

  /** The reading waits from now on. */
  add(reading: Reading): void {
    this.delete(reading)
    const giveUp = (one: Reading) => {
      this.delete(one)
      this.#giveUp(one)
    }
    this.#timers.set(
      reading,
      setTimeout(() => giveUp(reading), this.#waitMs),
    )
    const [longest] = this.#timers.keys()
    if (this.#timers.size > waitingMax && longest !== undefined) giveUp(longest)
  }

  /** Its client has returned, or it has ended. */
  delete(reading: Reading): void {
    clearTimeout(this.#timers.get(reading))
    this.#timers.delete(reading)
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }
}
