// Store check: whether the store accepts uploads now. A disk that has stopped responding is reported, not waited for.
import { ServiceError } from '../core/errors.ts'
import { unlessAborted } from '../io/turns/unless-aborted.ts'
import type { Store } from '../store/store.ts'

/** A busy disk takes some seconds to sync. Milliseconds. */
const msMaxUsual = 10_000

interface Running {
  readonly result: Promise<void>
  readonly late: AbortSignal
}

/** Runs one check at a time, since each holds one of the few threads that all files share until the disk responds. */
export class StoreCheck {
  readonly #store: Pick<Store, 'check'>
  readonly #msMax: number
  #running: Running | null = null

  /** @param msMax How long a check may take. Milliseconds. */
  constructor(store: Pick<Store, 'check'>, msMax = msMaxUsual) {
    this.#store = store
    this.#msMax = msMax
  }

  /** @throws {ServiceError} STORE_UNAVAILABLE, DISK_FULL, STORE_FAILED */
  async run(): Promise<void> {
    const { result, late } = this.#running ?? this.#begin()
    try {
      await unlessAborted(result, late)
    } catch (error) {
      if (!late.aborted || error !== late.reason) throw error
      const problem = `it has not responded for ${this.#msMax / 1_000} seconds`
      throw new ServiceError('STORE_UNAVAILABLE', { problem }, error)
    }
  }

  #begin(): Running {
    const end = () => {
      this.#running = null
    }
    const result = this.#store.check()
    result.then(end, end)
    this.#running = { result, late: AbortSignal.timeout(this.#msMax) }
    return this.#running
  }
}
