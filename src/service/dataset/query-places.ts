// Query places: which queries over a dataset may run now, which wait, and which must end because others wait.
import type { ByteStream } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { Query, QueryRunner, QueryTable } from '../../engine/query/query.ts'
import { FairPlaces } from '../fair-places.ts'
import type { VerifiedFiles } from './verified-files.ts'

/** Waiting queries. */
const waitingMax = 64

/** How long a query takes, before any has ended. Milliseconds. */
const queryMsFirst = 500

/** A single client may hold half of the places. */
const placesPerFreePlace = 1

/**
 * How long a query waits for a place at most, if queries may run that long; also the time that the others may take
 * meanwhile. Milliseconds.
 */
const contestedMsUsual = 30_000

export interface QueryPlacesOptions {
  readonly queriesMax: number
  /** Time limit of a query. Milliseconds. */
  readonly queryMsMax: number
}

export interface QueryPlace {
  /** Aborted when the query must end because others wait. */
  readonly timeUp: AbortSignal
  /** Passes the place on to the next; a second call does nothing. */
  release(): void
}

interface WaitingQuery {
  readonly client: string
  /** Time that others may take while it waits. Milliseconds. */
  readonly shareMs: number
  /** Gives it a place. */
  enter(): void
  /** Rejects it. */
  refuse(): void
}

interface ActiveQuery {
  readonly sinceMs: number
  readonly timeUp: AbortController
}

/**
 * Places, and the queue for them. While nobody waits, a query may use all of its time. While clients without any place
 * wait, each query may use the share `places / (places + clients)` of 30 s, or of its time limit if that is less. The
 * share is fixed when a client arrives, and holds until it gets a place: so even the last of any number of clients gets
 * one within 30 s, however many addresses the others use.
 */
export class QueryPlaces {
  readonly #queriesMax: number
  readonly #contestedMs: number
  readonly #places: FairPlaces
  /** Running queries, in order of their start. */
  readonly #held = new Set<ActiveQuery>()
  readonly #waiting = new Set<WaitingQuery>()
  /** How long the last queries took, the latest with the most weight. */
  #usualMs = queryMsFirst
  #nextEnd: NodeJS.Timeout | undefined

  constructor({ queriesMax, queryMsMax }: QueryPlacesOptions) {
    this.#queriesMax = queriesMax
    this.#contestedMs = Math.min(queryMsMax, contestedMsUsual)
    this.#places = new FairPlaces(queriesMax, placesPerFreePlace)
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  /**
   * Takes a place. Clients that hold the fewest come first, then those that arrived first.
   *
   * @throws {ServiceError} TOO_MANY_QUERIES
   */
  async take(client: string, signal: AbortSignal): Promise<QueryPlace> {
    signal.throwIfAborted()
    if (this.#places.hasPlaceFor(client)) return this.#hold(client)
    this.#makeRoomFor(client)
    return this.#wait(client, signal)
  }

  /** If the queue is full, the client with the most waiting queries loses its last one to a client with fewer. */
  #makeRoomFor(client: string): void {
    if (this.#waiting.size < waitingMax) return
    const waitingOf = Map.groupBy(this.#waiting, (one) => one.client)
    const own = waitingOf.get(client)?.length ?? 0
    const most = [...waitingOf.values()].reduce((most, one) => (one.length > most.length ? one : most))
    if (most.length <= own + 1) throw this.#refusal(client)
    most.at(-1)?.refuse()
  }

  #wait(client: string, signal: AbortSignal): Promise<QueryPlace> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryPlace>()
    const settle = () => {
      this.#waiting.delete(waiting)
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
      this.#planNextEnd()
    }
    const shareMs =
      (this.#contestedMs * this.#queriesMax) /
      (this.#queriesMax + new Set([...this.#without.map((one) => one.client), client]).size)
    const waiting: WaitingQuery = {
      client,
      shareMs,
      enter: () => {
        settle()
        resolve(this.#hold(client))
      },
      refuse: () => {
        settle()
        reject(this.#refusal(client))
      },
    }
    const onAbort = () => {
      settle()
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
    const held: ActiveQuery = { sinceMs: performance.now(), timeUp: new AbortController() }
    this.#held.add(held)
    const release = () => {
      if (this.#held.delete(held)) this.#usualMs += (performance.now() - held.sinceMs - this.#usualMs) / 8
      releaseShare()
      this.#admit()
      this.#planNextEnd()
    }
    return { timeUp: held.timeUp.signal, release }
  }

  #admit(): void {
    for (;;) {
      const next = [...this.#waiting]
        .filter(({ client }) => this.#places.hasPlaceFor(client))
        .toSorted((a, b) => this.#places.heldBy(a.client) - this.#places.heldBy(b.client))[0]
      if (next === undefined) return
      next.enter()
    }
  }

  /** Those that wait for clients without any place. */
  get #without(): readonly WaitingQuery[] {
    return [...this.#waiting].filter(({ client }) => this.#places.heldBy(client) === 0)
  }

  /** Schedules the end of the longest-running query for clients that wait. */
  #planNextEnd(): void {
    clearTimeout(this.#nextEnd)
    const without = this.#without
    const clientCount = new Set(without.map(({ client }) => client)).size
    const running = [...this.#held].filter(({ timeUp }) => !timeUp.signal.aborted)
    const [longest] = running
    const endingCount = this.#held.size - running.length
    if (longest === undefined || endingCount >= clientCount) return
    const share = Math.min(...without.map(({ shareMs }) => shareMs))
    const end = () => {
      longest.timeUp.abort(this.#tooMany(this.#queriesMax))
      this.#planNextEnd()
    }
    this.#nextEnd = setTimeout(end, Math.max(1, longest.sinceMs + share - performance.now()))
  }

  #refusal(client: string): ServiceError {
    return this.#tooMany(this.#places.freeCount > 0 ? this.#places.heldBy(client) : this.#queriesMax)
  }

  /** To be retried when those that wait now will have had their turn. */
  #tooMany(limit: number): ServiceError {
    const queueMs = Math.min((this.#waiting.size * this.#usualMs) / Math.max(1, this.#held.size), this.#contestedMs)
    return new ServiceError('TOO_MANY_QUERIES', { limit, retryAfterSeconds: Math.max(1, Math.ceil(queueMs / 1_000)) })
  }
}

interface QueryTools {
  readonly owner: string
  readonly files: VerifiedFiles
  readonly runner: QueryRunner
  readonly places: QueryPlaces
  /** @throws {ServiceError} DATASET_NOT_FOUND */
  receipt(id: string): Promise<Receipt>
}

/**
 * Resolves when the first bytes of the result are known. The dataset may be deleted as soon as its files are open: the
 * query still sees what it was.
 *
 * @param client Among clients, places are shared.
 */
export async function queryDataset(
  tools: QueryTools,
  receipt: Receipt,
  query: Query,
  client: string,
  signal: AbortSignal,
): Promise<ByteStream> {
  const place = await tools.places.take(client, signal)
  try {
    const { rows, finished } = await tools.runner.run(
      tableOf(tools, receipt),
      query,
      AbortSignal.any([signal, place.timeUp]),
    )
    void finished.then(() => place.release())
    return rows
  } catch (error) {
    place.release()
    throw error
  }
}

function tableOf(tools: QueryTools, receipt: Receipt): QueryTable {
  const { id, publish, columns, parts } = receipt
  return {
    key: { owner: tools.owner, id, publish },
    columns: columns.map(({ name }) => name),
    withPaths: (use) =>
      tools.files.withLocal(receipt, parts, use).catch(async (error) => {
        // A dataset that was deleted before its files were open is not found, whatever error that caused.
        await tools.receipt(id)
        throw error
      }),
  }
}
