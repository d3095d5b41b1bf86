// Short calls: decides which calls to the file system run on this thread. Knows no files.

/** A call that takes longer has waited for something. Milliseconds. */
const shortMs = 0.5
/** Calls are then handed over for this many times as long: slow calls take at most 1/20 of this thread's time. */
const restFactor = 20
/** For how long a completed call shows that the disk responds. Milliseconds. */
const respondsMs = 100

/**
 * Creating, renaming and writing a few kilobytes only change memory of the system: 6 to 29 µs each, while handing the
 * call to another thread and being notified of its end takes 34 to 163 (medians of 500, 2 × Intel Xeon, ext4,
 * 2026-11-23). But such a call also waits while the file system commits what a sync wrote, or while the disk is behind
 * with writes. So it runs here only if no write or sync of this process is in progress, and if no recent call here was
 * slow, as on a network disk. If the disk stops responding, a call here would stop the whole service: so the first
 * call after a while is handed over, and others run here only once it has completed.
 */
export class ShortCalls {
  readonly #now: () => number
  /** Calls in progress on other threads that may wait for the disk. */
  #waiting = 0
  #restsUntil = 0
  #respondsUntil = -Infinity

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Call before each call on another thread that may wait for the disk, and `end()` after it. */
  begin(): void {
    this.#waiting += 1
  }

  end(): void {
    this.#waiting -= 1
    this.#responded()
  }

  /** Runs a call that changes little, on this thread if it is likely to be short there. */
  async run<Result>(here: () => Result, handedOver: () => Promise<Result>): Promise<Result> {
    const started = this.#now()
    const runsHere = this.#waiting === 0 && started >= this.#restsUntil && started < this.#respondsUntil
    try {
      return runsHere ? here() : await handedOver()
    } finally {
      const ms = this.#responded() - started
      if (runsHere && ms > shortMs) this.#restsUntil = started + ms + restFactor * ms
    }
  }

  /** A call has completed, whatever its result. Returns the time. */
  #responded(): number {
    const now = this.#now()
    this.#respondsUntil = now + respondsMs
    return now
  }
}

/** One for the whole process, because all its files may be on one disk. */
export const shortCalls = new ShortCalls()
