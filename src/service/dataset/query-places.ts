// Query places: who may run a query now, who waits for a moment, and who is sent away. Knows nothing of SQL.
import { ServiceError } from '../../core/errors.ts'
import { SharedPlaces } from '../shared-places.ts'

/** How long a query waits for a place before it is refused. Most take a small part of this. Milliseconds. */
const waitMsUsual = 5_000

/** Queries that wait, in all and of one party. */
const waitingMax = 64
const waitingOfPartyMax = 16

/** A party that is alone may hold half of the places. */
const placesPerFreePlace = 1

interface Waiting {
  readonly party: string
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
  async take(party: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#places.hasPlaceFor(party)) return this.#hold(party)
    const ofParty = [...this.#waiting].filter((one) => one.party === party)
    if (this.#waiting.size >= waitingMax || ofParty.length >= waitingOfPartyMax) throw this.#refusal(party)
    return this.#wait(party, signal)
  }

  #wait(party: string, signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leave = () => {
      this.#waiting.delete(waiting)
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
    }
    const waiting: Waiting = {
      party,
      enter: () => {
        leave()
        resolve(this.#hold(party))
      },
    }
    const onAbort = () => {
      leave()
      reject(signal.reason)
    }
    const deadline = setTimeout(() => {
      leave()
      reject(this.#refusal(party))
    }, this.#waitMsMax)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiting)
    return promise
  }

  #hold(party: string): () => void {
    const release = this.#places.hold(party)
    return () => {
      release()
      this.#letIn()
    }
  }

  #letIn(): void {
    for (;;) {
      const next = [...this.#waiting]
        .filter(({ party }) => this.#places.hasPlaceFor(party))
        .toSorted((a, b) => this.#places.heldBy(a.party) - this.#places.heldBy(b.party))[0]
      if (next === undefined) return
      next.enter()
    }
  }

  #refusal(party: string): ServiceError {
    const limit = this.#places.freeCount > 0 ? this.#places.heldBy(party) : this.#queriesMax
    return new ServiceError('TOO_MANY_QUERIES', { limit })
  }
}
