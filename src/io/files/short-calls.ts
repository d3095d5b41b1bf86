// Short calls: decides which calls to the file system run on this thread. Knows no files.

/** A call that takes longer has waited for something. Milliseconds. */
const shortMs = 0.5
/** Calls are then handed over for this many times as long: slow calls take at most 1/20 of this thread's time. */
const restFactor = 20

/**
 * Creating, renaming and writing a few kilobytes only change memory of the system: 6 to 29 µs each, while handing the
 * call to another thread and being notified of its end takes 34 to 163 (medians of 500, 2 × Intel Xeon, ext4,
 * 2026-11-23). But such a call also waits while the file system commits what a sync wrote, or while the disk is behind
 * with writes. So it runs here only if no write or sync of this process is in progress, and if no recent call here was
 * slow, as on a network disk.
 */
export class ShortCalls {
  readonly #now: () => number
  /** Calls in progress on other threads that may wait for the disk. */
  #waiting = 0
  #restsUntil = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Call before each call on another thread that may wait for the disk, and `end()` after it. */
  begin(): void {
    this.#waiting += 1
  }

  end(): void {
    this.#waiting -= 1
  }

  /** Runs a call that changes little, on this thread if it is likely to be short there. */
  async run<Result>(here: () => Result, handedOver: () => Promise<Result>): Promise<Result> {
    if (this.#waiting > 0) return await handedOver()
    const started = this.#now()
    if (started < this.#restsUntil) return await handedOver()
    try {
      return here()
    } finally {
      const ended = this.#now()
      if (ended - started > shortMs) this.#restsUntil = ended + restFactor * (ended - started)
    }
  }
}

/** One for the whole process, because all its files may be on one disk. */
export const shortCalls = new ShortCalls()
