// Trino engine: runs queries over large datasets on a Trino that reads them in the bucket. Why: docs/decisions/query-engine.md.
import { Readable } from 'node:stream'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'
import type { EngineTable, OpenTable, Query, QueryEngine } from '../query.ts'
import { type AnswerLimits, boundedAnswer } from './bounded-answer.ts'
import { TrinoClient, TrinoFailure, type TrinoServer } from './trino-client.ts'
import { queryError } from './trino-error.ts'
import { tryProbe } from './trino-probe.ts'
import { statementOver } from './trino-statement.ts'
import { isMissing, type OpenTrinoTable, type TrinoSchema, TrinoTables, tableSession } from './trino-tables.ts'

export interface TrinoEngineOptions extends TrinoServer, TrinoSchema, AnswerLimits {
  readonly fromBytes: number
  /** From the first request to Trino until the client has read the result. Milliseconds. */
  readonly queryMsMax: number
  /** Puts the probe into the bucket, and returns the URL of a directory that contains nothing else. */
  readonly placeProbe: () => Promise<string>
  readonly logger: { warn(fields: object, message: string): void }
}

/** As for queries in child processes. Milliseconds. */
const readIdleMsMax = 5_000
/** Time limit for a check, or for forgetting a dataset. Milliseconds. */
const choreMsMax = 60_000
/** A placeholder, until the real table is known. */
const nothing = { sql: 'SELECT 1', columns: [] }

export function createTrinoEngine(options: TrinoEngineOptions): QueryEngine {
  return new TrinoEngine(options)
}

class TrinoEngine implements QueryEngine {
  readonly name = 'trino'
  readonly fromBytes: number
  readonly #options: TrinoEngineOptions
  readonly #client: TrinoClient
  readonly #tables: TrinoTables
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** Null before the first check, and after a failed one. */
  #checked: Promise<void> | null = null

  constructor(options: TrinoEngineOptions) {
    this.#options = options
    this.fromBytes = options.fromBytes
    // A query that is not cancelled, because its process has died, ends by itself.
    const seconds = Math.ceil(options.queryMsMax / 1_000) + 1
    const session = { ...tableSession(options.catalog), query_max_run_time: `${seconds}s` }
    this.#client = new TrinoClient({ ...options, session })
    this.#tables = new TrinoTables(this.#client, options)
  }

  open(table: EngineTable, signal: AbortSignal): OpenTable {
    const running = new RunningQuery(this.#options, AbortSignal.any([signal, this.#closing.signal]), (query, within) =>
      this.#pieces(table, query, within),
    )
    this.#keep(running.finished)
    return running
  }

  forget(id: string): void {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(choreMsMax)])
    const dropping = this.#tables.dropAll(id, signal).catch((error: unknown) => {
      this.#options.logger.warn({ err: error, id }, 'cannot drop the tables of a deleted dataset at the query engine')
    })
    this.#keep(dropping)
  }

  check(): Promise<void> {
    this.#checked ??= this.#tryProbe().catch((error: unknown) => {
      this.#checked = null
      throw error
    })
    return this.#checked
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The service is closing'))
    await Promise.all(this.#running)
  }

  #keep(running: Promise<void>): void {
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
  }

  async #tryProbe(): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(choreMsMax)])
    await tryProbe(this.#client, this.#tables, await this.#options.placeProbe(), signal)
  }

  async *#pieces(table: EngineTable, { sql: given, format }: Query, signal: AbortSignal): AsyncGenerator<Buffer> {
    try {
      // A statement that is refused for its text needs no Trino.
      statementOver(nothing, given)
      const { sql } = await this.#checkedStatement(table, given, signal)
      yield* boundedAnswer(this.#client.run(sql, signal), format, this.#options)
    } catch (error) {
      signal.throwIfAborted()
      const shown = queryError(error, { given, queryMsMax: this.#options.queryMsMax })
      if (isServiceError(shown, 'QUERY_ENGINE_UNAVAILABLE') || isInternal(error)) {
        this.#options.logger.warn({ err: error }, 'the query engine has not answered a query')
      }
      throw shown
    }
  }

  async #checkedStatement(table: EngineTable, given: string, signal: AbortSignal) {
    const open = await this.#open(table, signal)
    const isOnlyRead = (one: OpenTrinoTable) => this.#tables.isOnlyRead(one.name, statementOver(one, given).sql, signal)
    const isAllowed = await isOnlyRead(open).catch(async (error: unknown) => {
      if (!isMissing(error, open.name)) throw error
      this.#tables.isGone(open.name)
      return await isOnlyRead(await this.#open(table, signal))
    })
    if (isAllowed) return statementOver(open, given)
    throw new ServiceError('QUERY_NOT_READ_ONLY', { problem: 'it reads something other than the table data' })
  }

  /** A failure here is not caused by the statement. */
  async #open(table: EngineTable, signal: AbortSignal): Promise<OpenTrinoTable> {
    try {
      await unlessAborted(this.check(), signal)
      return await this.#tables.open(table, signal)
    } catch (error) {
      signal.throwIfAborted()
      this.#options.logger.warn({ err: error }, 'the query engine cannot be used')
      throw new ServiceError('QUERY_ENGINE_UNAVAILABLE', {})
    }
  }
}

function isInternal(error: unknown): boolean {
  return error instanceof TrinoFailure && error.failure.kind === 'INTERNAL_ERROR'
}

type Pieces = (query: Query, signal: AbortSignal) => AsyncGenerator<Buffer>

/** One query from start to end: within its time limit, and only while its client reads. */
class RunningQuery implements OpenTable {
  readonly #makePieces: Pieces
  readonly #ending = new AbortController()
  readonly #finished = Promise.withResolvers<void>()
  readonly #signal: AbortSignal
  readonly #deadline: NodeJS.Timeout
  #pieces: AsyncGenerator<Buffer> | null = null

  constructor({ queryMsMax }: TrinoEngineOptions, signal: AbortSignal, pieces: Pieces) {
    this.#makePieces = pieces
    this.#signal = AbortSignal.any([signal, this.#ending.signal])
    const onLate = () => this.#ending.abort(new ServiceError('QUERY_TIMEOUT', { limitMs: queryMsMax }))
    this.#deadline = setTimeout(onLate, queryMsMax)
    this.#signal.addEventListener('abort', () => this.#end(), { once: true })
    if (this.#signal.aborted) this.#end()
  }

  get finished(): Promise<void> {
    return this.#finished.promise
  }

  async ask(query: Query): Promise<Readable> {
    this.#signal.throwIfAborted()
    const pieces = this.#makePieces(query, this.#signal)
    this.#pieces = pieces
    try {
      const first = await pieces.next()
      const answer = Readable.from(this.#read(first, pieces), { objectMode: false, highWaterMark: 1 })
      answer.once('close', () => this.#end())
      // Whoever reads it gets the error; an earlier error must not end the process.
      answer.on('error', () => {})
      // A client that does not read would not find out otherwise.
      this.#signal.addEventListener('abort', () => answer.destroy(asError(this.#signal.reason)), { once: true })
      return answer
    } catch (error) {
      this.#end()
      throw error
    }
  }

  async *#read(first: IteratorResult<Buffer>, pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    for (let next = first; next.done !== true; next = await pieces.next()) {
      const onUnread = () => this.#ending.abort(new ServiceError('QUERY_TIMEOUT', { limitMs: readIdleMsMax }))
      const unread = setTimeout(onUnread, readIdleMsMax)
      try {
        yield next.value
      } finally {
        clearTimeout(unread)
      }
    }
  }

  /** Also cancels what runs at Trino. */
  #end(): void {
    clearTimeout(this.#deadline)
    const ended = this.#pieces?.return(undefined) ?? Promise.resolve()
    void ended.then(
      () => this.#finished.resolve(),
      () => this.#finished.resolve(),
    )
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
