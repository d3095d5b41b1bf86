// Byte turns: how much several streams may take before the event loop goes round once. Knows nothing of what they carry.

/**
 * The kernel gives 2 MB of one socket at a time, and working on them takes the receiving thread 5 ms. A small upload waits
 * for that thread some thirty times, so beside three large ones it took 0.5 s. Half as much a turn made the large ones
 * slower, twice as much the small ones (2 × AMD EPYC, Node 24, 2026-11-22).
 */
const bytesPerTurnUsual = 131_072
/** A body that has taken less than this waits for no other. Bytes. */
const smallBytesUsual = 262_144

/** One of the streams; it has left when it is disposed. */
export interface TurnTaker extends Disposable {
  /** Resolves when so many bytes may be worked on; null when that is now. */
  take(bytes: number): Promise<void> | null
}

/**
 * Streams in turns, in the order in which they ask. One that is alone never waits, and neither do the first bytes of any:
 * so what is small is done beside what is large, and everything else gets as much as everything else.
 */
export class ByteTurns {
  readonly #bytesPerTurn: number
  readonly #smallBytes: number
  readonly #waiting: { readonly bytes: number; readonly resolve: () => void }[] = []
  #workCount = 0
  #takerCount = 0
  #leftBytes: number
  #isRefilling = false

  constructor(bytesPerTurn = bytesPerTurnUsual, smallBytes = smallBytesUsual) {
    this.#bytesPerTurn = bytesPerTurn
    this.#smallBytes = smallBytes
    this.#leftBytes = bytesPerTurn
  }

  /**
   * Work begins that comes back to the loop often, such as an upload: until it is disposed, no stream is alone but its own.
   * Else a small upload whose bytes are all there would wait for a large one at each of its file operations.
   */
  begin(): Disposable {
    this.#workCount += 1
    return {
      [Symbol.dispose]: () => {
        this.#workCount -= 1
      },
    }
  }

  join(): TurnTaker {
    this.#takerCount += 1
    let takenBytes = 0
    return {
      take: (bytes) => {
        takenBytes += bytes
        return takenBytes <= this.#smallBytes || this.#isAlone ? null : this.#take(bytes)
      },
      [Symbol.dispose]: () => {
        this.#takerCount -= 1
      },
    }
  }

  get #isAlone(): boolean {
    return Math.max(this.#workCount, this.#takerCount) <= 1
  }

  #take(bytes: number): Promise<void> | null {
    this.#refillSoon()
    if (this.#leftBytes > 0 && this.#waiting.length === 0) {
      this.#leftBytes -= bytes
      return null
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ bytes, resolve })
    return promise
  }

  /** Once the loop has gone round: after the events that came meanwhile. */
  #refillSoon(): void {
    if (this.#isRefilling) return
    this.#isRefilling = true
    setImmediate(() => {
      this.#isRefilling = false
      this.#leftBytes = this.#bytesPerTurn
      while (this.#leftBytes > 0) {
        const next = this.#waiting.shift()
        if (next === undefined) return
        this.#leftBytes -= next.bytes
        next.resolve()
      }
      this.#refillSoon()
    })
  }
}

/** One for the process, as its event loop is. */
export const byteTurns = new ByteTurns()
