// Byte turns: how many bytes several streams may process in one turn of the event loop. Knows nothing of their content.

/**
 * The kernel delivers 2 MB of a socket at a time, and processing them takes the receiving thread 5 ms. A small upload
 * waits for that thread some thirty times, so beside three large ones it took 0.5 s. Half as many bytes per turn made
 * the large uploads slower, twice as many the small ones (2 × AMD EPYC, Node 24, 2026-11-22).
 */
const bytesPerTurnUsual = 131_072
/** A body that has taken fewer bytes than this does not wait for others. */
const smallBytesUsual = 262_144

/** One of the streams. */
export interface TurnTaker {
  /** Resolves when this many bytes may be processed; null if they may be processed now. */
  take(bytes: number): Promise<void> | null
}

/**
 * Lets streams take turns, in the order in which they ask. The stream of the only work in progress never waits, nor do
 * the first bytes of any stream. So small uploads proceed beside large ones, and all others get equal shares.
 */
export class ByteTurns {
  readonly #bytesPerTurn: number
  readonly #smallBytes: number
  readonly #waiting: { readonly bytes: number; readonly resolve: () => void }[] = []
  #workCount = 0
  #leftBytes: number
  #isRefilling = false

  constructor(bytesPerTurn = bytesPerTurnUsual, smallBytes = smallBytesUsual) {
    this.#bytesPerTurn = bytesPerTurn
    this.#smallBytes = smallBytes
    this.#leftBytes = bytesPerTurn
  }

  /**
   * Marks work, such as an upload, until it is disposed: while there are several, their streams wait for one another.
   * Work counts also before and after its bytes. Otherwise a small upload whose bytes have all arrived would wait for a
   * large one at each of its file operations.
   */
  begin(): Disposable {
    this.#workCount += 1
    return {
      [Symbol.dispose]: () => {
        this.#workCount -= 1
      },
    }
  }

  /** A stream of some work. There is nothing to give back, so it may be left at any point. */
  stream(): TurnTaker {
    let takenBytes = 0
    return {
      take: (bytes) => {
        takenBytes += bytes
        return takenBytes <= this.#smallBytes || this.#workCount <= 1 ? null : this.#take(bytes)
      },
    }
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

  /** Refills in the next turn of the event loop, after the events that arrived in the meantime. */
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

/** One per process, like the event loop. */
export const byteTurns = new ByteTurns()
