// Query places: who may run a query now, who waits for a place, and whose time is up because others wait. Knows nothing of SQL.
import { ServiceError } from '../../core/errors.ts'
import { SharedPlaces } from '../shared-places.ts'

/** Queries that wait, in all and of one client. */
const waitingMax = 64
const waitingOfClientMax = 16

/** A client that is alone may hold half of the places. */
const placesPerFreePlace = 1

/** How long a query waits for a place, and what others may take while it does, if a query may take so long. Milliseconds. */
const contestedMsUsual = 30_000

export interface QueryPlacesOptions {
  readonly queriesMax: number
  /** What a query may take. Milliseconds. */
  readonly queryMsMax: number
}

export interface QueryPlace {
  /** Aborted when the query has to end because others wait. */
  readonly timeUp: AbortSignal
  /** Gives the place to the next; a second time does nothing. */
  release(): void
}

interface Waiting {
  readonly client: string
  /** What others may take while it waits. Milliseconds. */
  readonly shareMs: number
  /** Gives it a place. */
  enter(): void
  /** Sends it away. */
  refuse(): void
}

interface Held {
  readonly sinceMs: number
  readonly timeUp: AbortController
}

/**
 * Places, and the queue in front of them. While nobody waits, a query may take all of its time. While clients wait that have
 * no place at all, each query may take the share `places / (places + clients)` of 30 s, or of its time if that is less. The
 * share is that of when a client came, and holds until it has a place: whoever is the last of any number of clients has one
 * within these 30 s, however many addresses the others come from.
 */
export class QueryPlaces {
  readonly #queriesMax: number
  readonly #contestedMs: number
  readonly #places: SharedPlaces
  /** In the order of their beginning. */
  readonly #held = new Set<Held>()
  readonly #waiting = new Set<Waiting>()
  #nextEnd: NodeJS.Timeout | undefined

  constructor({ queriesMax, queryMsMax }: QueryPlacesOptions) {
    this.#queriesMax = queriesMax
    this.#contestedMs = Math.min(queryMsMax, contestedMsUsual)
    this.#places = new SharedPlaces(queriesMax, placesPerFreePlace)
  }

  /**
   * Takes a place. Those who hold least come first, and then those who came first.
   *
   * @throws {ServiceError} TOO_MANY_QUERIES
   */
  async take(client: string, signal: AbortSignal): Promise<QueryPlace> {
    signal.throwIfAborted()
    if (this.#places.hasPlaceFor(client)) return this.#hold(client)
    this.#makeRoomFor(client)
    return this.#wait(client, signal)
  }

  /** In a full queue, whoever waits for the most places sends its last one away for a client with fewer. */
  #makeRoomFor(client: string): void {
    const waitingOf = Map.groupBy(this.#waiting, (one) => one.client)
    const own = waitingOf.get(client)?.length ?? 0
    if (own >= waitingOfClientMax) throw this.#refusal(client)
    if (this.#waiting.size < waitingMax) return
    const most = [...waitingOf.values()].reduce((most, one) => (one.length > most.length ? one : most))
    if (most.length <= own + 1) throw this.#refusal(client)
    most.at(-1)?.refuse()
  }

  #wait(client: string, signal: AbortSignal): Promise<QueryPlace> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryPlace>()
    const leave = () => {
      this.#waiting.delete(waiting)
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
      this.#planNextEnd()
    }
    const shareMs = (this.#contestedMs * this.#queriesMax) / (this.#queriesMax + this.#withoutPlace(client).size)
    const waiting: Waiting = {
      client,
      shareMs,
      enter: () => {
        leave()
        resolve(this.#hold(client))
      },
      refuse: () => {
        leave()
        reject(this.#refusal(client))
      },
    }
    const onAbort = () => {
      leave()
      reject(signal.reason)
    }
    const deadline = setTimeout(() => waiting.refuse(), this.#contestedMs)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.add(waiting)
    this.#planNextEnd()
    return promise
  }

  #hold(client: string): QueryPlace {
    const releaseShare = this.#places.hold(client)
    const held: Held = { sinceMs: performance.now(), timeUp: new AbortController() }
    this.#held.add(held)
    const release = () => {
      this.#held.delete(held)
      releaseShare()
      this.#letIn()
      this.#planNextEnd()
    }
    return { timeUp: held.timeUp.signal, release }
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

  /** Clients that wait and hold no place, and `client`. */
  #withoutPlace(client: string): ReadonlySet<string> {
    const without = [...this.#waiting].filter((one) => this.#places.heldBy(one.client) === 0)
    return new Set([...without.map((one) => one.client), client])
  }

  /** Sets the time at which the query that has run longest is to end for those who wait. */
  #planNextEnd(): void {
    clearTimeout(this.#nextEnd)
    const without = [...this.#waiting].filter(({ client }) => this.#places.heldBy(client) === 0)
    const clientCount = new Set(without.map(({ client }) => client)).size
    const running = [...this.#held].filter(({ timeUp }) => !timeUp.signal.aborted)
    const [longest] = running
    const endingCount = this.#held.size - running.length
    if (longest === undefined || endingCount >= clientCount) return
    const share = Math.min(...without.map(({ shareMs }) => shareMs))
    const end = () => {
      longest.timeUp.abort(new ServiceError('TOO_MANY_QUERIES', { limit: this.#queriesMax }))
      this.#planNextEnd()
    }
    this.#nextEnd = setTimeout(end, Math.max(1, longest.sinceMs + share - performance.now()))
  }

  #refusal(client: string): ServiceError {
    const limit = this.#places.freeCount > 0 ? this.#places.heldBy(client) : this.#queriesMax
    return new ServiceError('TOO_MANY_QUERIES', { limit })
  }
}
