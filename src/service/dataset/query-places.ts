// Query places: who may run a query now, who waits for a moment, and who is sent away. Knows nothing of SQL.
import { ServiceError } from '../../core/errors.ts'
import { SharedPlaces } from '../shared-places.ts'

/** How long a query waits for a place before it is refused. Most take a small part of this. Milliseconds. */
const waitMsUsual = 5_000

/** Queries that wait, in all and of one client. */
const waitingMax = 64
const waitingOfClientMax = 16

/** A client that is alone may hold half of the places. */
const placesPerFreePlace = 1

interface Waiting {
  readonly client: string
  /** Gives it a place. */
  enter(): void
}

export class QueryPlaces {
  readonly #queriesMax: number
  readonly #waitMsMax: number
  readonly #places: SharedPlaces
  readonly #waiting = new Set<Waiting>()

  constructor(queriesMax: number, waitMsMax = waitMsUsual) {
    this.#queriesMax = queriesMax
    this.#waitMsMax = waitMsMax
    this.#places = new SharedPlaces(queriesMax, placesPerFreePlace)
  }

  /**
   * Takes a place, and gives what releases it. Those who hold least come first, and then those who came first.
   *
   * @throws {ServiceError} TOO_MANY_QUERIES
   */
  async take(client: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#places.hasPlaceFor(client)) return this.#hold(client)
    const ofClient = [...this.#waiting].filter((one) => one.client === client)
    if (this.#waiting.size >= waitingMax || ofClient.length >= waitingOfClientMax) throw this.#refusal(client)
    return this.#wait(client, signal)
  }

  #wait(client: string, signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leave = () => {
      this.#waiting.delete(waiting)
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
    }
    const waiting: Waiting = {
      client,
      enter: () => {
        leave()
        resolve(this.#hold(client))
      },
    }
    const onAbort = () => {
      leave()
      reject(signal.reason)
    }
    const deadline = setTimeout(() => {
      leave()
      reject(this.#refusal(client))
    }, this.#waitMsMax)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiting)
    return promise
  }

  #hold(client: string): () => void {
    const release = this.#places.hold(client)
    return () => {
      release()
      this.#letIn()
    }
  }

  #letIn(): void {
    for (;;) {
      const next = [...this.#waiting]
        .filter(({ client }) => this.#places.hasPlaceFor(client))
        .toSorted((a, b) => this.#places.heldBy(a.client) - this.#places.heldBy(b.client))[0]
      if (next === undefined) return
      next.enter()
    }
  }

  #refusal(client: string): ServiceError {
    const limit = this.#places.freeCount > 0 ? this.#places.heldBy(client) : this.#queriesMax
    return new ServiceError('TOO_MANY_QUERIES', { limit })
  }
}
