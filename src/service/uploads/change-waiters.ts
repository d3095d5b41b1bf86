// Change waiters: wait until something has another version. They check it a few times a second, while anyone waits.

/** The shortest time between two notifications. Milliseconds. */
const lookEveryMs = 200

interface Waiter {
  readonly version: number
  readonly wake: () => void
}

export class ChangeWaiters {
  readonly #versionNow: () => number
  readonly #waiters = new Set<Waiter>()
  #looking: NodeJS.Timeout | null = null

  constructor(versionNow: () => number) {
    this.#versionNow = versionNow
  }

  /** Resolves when the version has changed, when `signal` is aborted, or when all are woken. */
  wait(version: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => {
      signal.removeEventListener('abort', wake)
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0) this.#rest()
      resolve()
    }
    const waiter = { version, wake }
    this.#waiters.add(waiter)
    signal.addEventListener('abort', wake)
    this.#looking ??= setInterval(() => this.#look(), lookEveryMs)
    return promise
  }

  wakeAll(): void {
    for (const { wake } of [...this.#waiters]) wake()
  }

  #look(): void {
    const now = this.#versionNow()
    for (const { version, wake } of [...this.#waiters]) if (version !== now) wake()
  }

  #rest(): void {
    if (this.#looking !== null) clearInterval(this.#looking)
    this.#looking = null
  }
}
