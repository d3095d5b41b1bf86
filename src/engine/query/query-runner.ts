// Query runner: runs queries in child processes, and keeps some for the next query over the same table. Knows how queries
// end, but no SQL.

import { Readable } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'
import { ChildFault, ChildPool, type ChildPoolOptions, endAt, hasNotStarted } from '../sandbox/child-pool.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Query, QueryResult, QueryRunner, QueryTable, TableKey } from './query.ts'
import { pieceBytesMax, type QuerySettings, type Verdict } from './query-job.ts'
import { QueryProcess, type QueryProcessOptions } from './query-process.ts'

export interface QueryRunnerOptions extends Omit<QueryProcessOptions, keyof QuerySettings>, ChildPoolOptions {
  readonly sandbox: Sandbox
  /** Memory of a query. Bytes. */
  readonly queryMemoryBytesMax: number
  /** Idle processes kept for the next query over their table; with 0, each query has a process of its own. */
  readonly queryProcessesKept: number
  readonly queryRowsMax: number
  /** Size limit of a result. */
  readonly queryBytesMax: number
  /** Disk space of a query for what does not fit in memory, for tests. Bytes. */
  readonly spillBytesMax?: number
}

/** A query whose result is not read for this long is ended, because others need its place. Milliseconds. */
const readIdleMsMax = 5_000

/** Bytes that a result may have beyond its limit, which does not include its end. */
const tailBytesMax = 65_536

/** Disk space for what does not fit in memory. Bytes. */
const spillBytesUsual = 1_000_000_000

/** How often the files of a query are added up, in case DuckDB does not count them all. Milliseconds. */
const spillLookMs = 250

export function createQueryRunner(options: QueryRunnerOptions): QueryRunner {
  return new Runner(options)
}

class Runner implements QueryRunner {
  readonly #options: QueryRunnerOptions & QuerySettings
  readonly #processes: ChildPool<QueryProcess>

  constructor(options: QueryRunnerOptions) {
    const { queryMemoryBytesMax: memoryBytesMax, spillBytesMax = spillBytesUsual } = options
    this.#options = { ...options, memoryBytesMax, spillBytesMax }
    this.#processes = new ChildPool('query', options, () => new QueryProcess(options.sandbox, this.#options))
  }

  async run(table: QueryTable, query: Query, signal: AbortSignal): Promise<QueryResult> {
    signal.throwIfAborted()
    // One that has the table open answers sooner than one without a table.
    const fit = ({ key }: QueryProcess) => (key === null ? 1 : isSame(key, table.key) ? 2 : 0)
    const work = (process: QueryProcess) => {
      const running = new RunningQuery(process, this.#options, signal)
      void running.finished.then(() => this.#processes.keep(process, this.#options.queryProcessesKept))
      return running.begin(table, query)
    }
    // Perhaps the system has ended one that was starting or idle, and a statement only reads.
    const mayRepeat = (fault: ChildFault, isNew: boolean) =>
      hasNotStarted(fault) || (!isNew && fault.kind === 'ended by itself')
    try {
      return await this.#processes.run(signal, work, fit, mayRepeat)
    } catch (error) {
      throw failure(error)
    }
  }

  check(): Promise<void> {
    return this.#processes.check()
  }

  forget(id?: string): void {
    const atWork = this.#processes.endIdle(({ key }) => id === undefined || key?.id === id)
    for (const process of atWork) process.retire()
  }

  close(): Promise<void> {
    return this.#processes.close(new ServiceError('SHUTTING_DOWN', {}))
  }
}

function isSame(one: TableKey, other: TableKey): boolean {
  return one.owner === other.owner && one.id === other.id && one.publish === other.publish
}

/** The system's limits end a query, and DuckDB has been seen to crash when it is refused memory. */
function failure(error: unknown): unknown {
  if (hasNotStarted(error)) return new ServiceError('NOT_READY', { problem: 'no query starts' }, error)
  if (!(error instanceof ChildFault && error.kind === 'ended by itself')) return error
  return new ServiceError('QUERY_TOO_LARGE', {
    problem: 'it needs more memory or processor time than a query may have',
  })
}

/** One query, from opening its table to its end. */
class RunningQuery {
  readonly #process: QueryProcess
  readonly #options: QueryRunnerOptions & QuerySettings
  readonly #finished = Promise.withResolvers<void>()
  readonly #watching = new DisposableStack()
  #rows: Readable | null = null

  constructor(process: QueryProcess, options: QueryRunnerOptions & QuerySettings, signal: AbortSignal) {
    this.#process = process
    this.#options = options
    const { queryMsMax: limitMs } = options
    const late = () => new ServiceError('QUERY_TIMEOUT', { limitMs })
    this.#watching.use(endAt(signal, limitMs, late, (reason) => this.#end(reason)))
    const looking = setInterval(() => void this.#lookAtDisk(), spillLookMs)
    this.#watching.defer(() => clearInterval(looking))
  }

  /** Resolves when the child is no longer needed: it is killed, or about to be ready for another query. */
  get finished(): Promise<void> {
    return this.#finished.promise
  }

  async begin(table: QueryTable, query: Query): Promise<QueryResult> {
    const verdict = await this.#verdict(table, query).catch(async (error) => {
      this.#end(error)
      throw await this.#process.gone
    })
    if (verdict.kind === 'refused') {
      this.#complete()
      throw new ServiceError(verdict.code, { problem: verdict.problem })
    }
    this.#rows = Readable.from(this.#bytes(), { objectMode: false })
    return { rows: this.#rows, finished: this.finished }
  }

  async #verdict(table: QueryTable, query: Query): Promise<Verdict> {
    const { queryRowsMax, queryBytesMax: bytesMax } = this.#options
    await this.#process.open(table)
    const rowsMax = Math.min(query.rowsMax ?? queryRowsMax, queryRowsMax)
    return await this.#process.query({ ...query, columns: table.columns, rowsMax, bytesMax })
  }

  /** DuckDB's limit applies to the files it counts, and the system's to each file; this is for the sum of all. */
  async #lookAtDisk(): Promise<void> {
    const spilledBytes = (await this.#process.workDir?.writtenBytes()) ?? 0
    if (spilledBytes > 0) this.#process.retire()
    if (spilledBytes <= this.#options.spillBytesMax) return
    this.#end(
      new ServiceError('QUERY_TOO_LARGE', { problem: 'it needs more temporary disk space than a query may have' }),
    )
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    try {
      let leftBytes = this.#options.queryBytesMax + tailBytesMax
      for (;;) {
        const piece = await this.#process.next(pieceBytesMax)
        if (piece.length === 0) return this.#complete()
        leftBytes -= piece.length
        if (leftBytes < 0) throw new ChildFault('broke the protocol', 'its answer has no end')
        const onUnread = () => this.#end(new ServiceError('QUERY_TIMEOUT', { limitMs: readIdleMsMax }))
        const unread = setTimeout(onUnread, readIdleMsMax)
        try {
          yield piece
        } finally {
          clearTimeout(unread)
        }
      }
    } catch (error) {
      this.#end(error)
      throw failure(error)
    } finally {
      this.#end(new Error('its result was not read to the end'))
    }
  }

  /** The child may have another query after it. */
  #complete(): void {
    if (this.#watching.disposed) return
    this.#process.renew()
    this.#finish()
  }

  #end(reason: unknown): void {
    if (this.#watching.disposed) return
    this.#process.kill(reason)
    this.#finish()
    // A client that does not read would not find out otherwise.
    if (reason instanceof Error) this.#rows?.destroy(reason)
  }

  #finish(): void {
    this.#watching.dispose()
    this.#finished.resolve()
  }
}
