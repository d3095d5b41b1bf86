// Query runner: runs queries in child processes, and keeps some for the next query over the same table. Knows how queries
// start and end, but no SQL.

import { Readable } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type ProcessExit, startFailure } from '../sandbox/spawn-child.ts'
import type { OpenTable, Query, QueryRunner, QueryTable, TableKey } from './query.ts'
import { parseVerdict, type QueryJob, type QuerySettings, type Verdict } from './query-job.ts'
import { QueryProcess, type QueryProcessOptions } from './query-process.ts'

export interface QueryRunnerOptions extends Omit<QueryProcessOptions, keyof QuerySettings> {
  readonly sandbox: Sandbox
  readonly logger: Pick<Log, 'warn'>
  /** Memory of a query. Bytes. */
  readonly queryMemoryBytesMax: number
  /** Idle processes kept for the next query over their table; with 0, each query has a process of its own. */
  readonly queryProcessesKept: number
  readonly queryRowsMax: number
  /** Size limit of a result. */
  readonly queryBytesMax: number
  /** Disk space of a query for what does not fit in memory, for tests. Bytes. */
  readonly spillBytesMax?: number
  /** An idle child ends after this time; tests use less. Milliseconds. */
  readonly idleMsMax?: number
}

const idleMsMaxUsual = 60_000

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
  readonly #options: QueryRunnerOptions
  readonly #processOptions: QueryProcessOptions
  readonly #processes = new Set<QueryProcess>()
  /** Processes without a query, and the timers that end them; the longest idle first. Some have no table yet. */
  readonly #idle = new Map<QueryProcess, NodeJS.Timeout>()
  #isClosed = false

  constructor(options: QueryRunnerOptions) {
    this.#options = options
    const { queryMemoryBytesMax: memoryBytesMax, spillBytesMax = spillBytesUsual } = options
    this.#processOptions = { ...options, memoryBytesMax, spillBytesMax }
  }

  async open(table: QueryTable, signal: AbortSignal): Promise<OpenTable> {
    signal.throwIfAborted()
    const { process, isNew } = await this.#claim(table.key, signal)
    const another = isNew ? null : () => this.#startReady()
    const running = new RunningQuery(process, table, { ...this.#options, ...this.#processOptions }, signal, another)
    void running.finished.then(() => this.#keep(running.process))
    return running.open()
  }

  forget(id?: string): void {
    for (const process of this.#processes) {
      if (id !== undefined && process.key?.id !== id) continue
      if (this.#idle.has(process)) this.#end(process)
      else process.retire()
    }
  }

  async check(): Promise<void> {
    for (const process of this.#idle.keys()) if (!process.hasWorkDir) this.#end(process)
    const [idle] = this.#idle.keys()
    const process = idle ?? this.#start()
    if (idle === undefined) this.#keep(process)
    if (!(await process.ready)) throw startFailure(await startError(process), 'query')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const process of this.#processes) this.#end(process)
    await Promise.all([...this.#processes].map(({ gone }) => gone))
  }

  /** An idle process, or a new one. A query that ends before its process has started leaves it to the next. */
  async #claim(key: TableKey, signal: AbortSignal) {
    for (;;) {
      const idle = this.#takeIdle(key)
      const process = idle ?? this.#start()
      try {
        if (await unlessAborted(process.ready, signal)) return { process, isNew: idle === undefined }
      } catch (error) {
        this.#keep(process)
        throw error
      }
      // One that was idle may have failed to start, or was killed by somebody else.
      if (idle === undefined) throw await startError(process)
    }
  }

  async #startReady(): Promise<QueryProcess> {
    const process = this.#start()
    if (!(await process.ready)) throw await startError(process)
    return process
  }

  #takeIdle(key: TableKey): QueryProcess | undefined {
    // One that has ended stays until its directory is gone.
    const idle = [...this.#idle.keys()].filter(({ isAlive }) => isAlive)
    const taken = idle.findLast((one) => isSame(one.key, key)) ?? idle.find((one) => one.key === null)
    if (taken !== undefined) this.#wake(taken)
    return taken
  }

  #wake(process: QueryProcess): void {
    clearTimeout(this.#idle.get(process))
    this.#idle.delete(process)
  }

  /** Keeps an idle process for a while, unless it has ended. */
  #keep(process: QueryProcess): void {
    if (!process.isAlive || this.#isClosed) return
    const { queryProcessesKept, idleMsMax = idleMsMaxUsual } = this.#options
    this.#idle.set(process, setTimeout(() => this.#end(process), idleMsMax).unref())
    // One without a table may always wait: `check()` has started it.
    const keptMax = process.key === null ? Math.max(1, queryProcessesKept) : queryProcessesKept
    for (const oldest of [...this.#idle.keys()].slice(0, -keptMax || undefined)) this.#end(oldest)
  }

  #end(process: QueryProcess): void {
    this.#wake(process)
    process.kill()
  }

  #start(): QueryProcess {
    if (this.#isClosed) throw notStarted('the queries have been ended')
    const process = QueryProcess.start(this.#options.sandbox, this.#processOptions)
    this.#processes.add(process)
    void process.gone.then(() => {
      this.#processes.delete(process)
      this.#end(process)
    })
    return process
  }
}

function isSame(one: TableKey | null, other: TableKey): boolean {
  return one?.owner === other.owner && one.id === other.id && one.publish === other.publish
}

/** Why a process has not started. */
async function startError(process: QueryProcess): Promise<Error> {
  const { how, startError } = await process.gone
  const refused = toStoreError(startError)
  return refused.code === 'STORE_FAILED' ? notStarted(how) : refused
}

/** An internal error, or the end of the service. */
function notStarted(problem: string): Error {
  return new Error(`Cannot start query: ${problem}`)
}

/** One query, from opening its table to its end. */
class RunningQuery implements OpenTable {
  #process: QueryProcess
  readonly #table: QueryTable
  /** Starts another process, once, in place of one that has waited and ends before its verdict; null if it is new. */
  #another: (() => Promise<QueryProcess>) | null
  readonly #options: QueryRunnerOptions & QueryProcessOptions
  /** Whether the table is open, and was not asked yet. */
  #isOpen = false
  /** Why it was killed. */
  #reason: unknown = null
  readonly #finished = Promise.withResolvers<void>()
  #isFinished = false
  readonly #stopWatching: () => void
  #answer: Readable | null = null

  constructor(
    process: QueryProcess,
    table: QueryTable,
    options: QueryRunnerOptions & QueryProcessOptions,
    signal: AbortSignal,
    another: (() => Promise<QueryProcess>) | null,
  ) {
    this.#process = process
    this.#table = table
    this.#options = options
    this.#another = another
    const { queryMsMax } = options
    const onAbort = () => this.#end(signal.reason)
    const onLate = () => this.#end(new ServiceError('QUERY_TIMEOUT', { limitMs: queryMsMax }))
    const deadline = setTimeout(onLate, queryMsMax)
    const looking = setInterval(() => void this.#lookAtDisk(), spillLookMs)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#stopWatching = () => {
      clearTimeout(deadline)
      clearInterval(looking)
      signal.removeEventListener('abort', onAbort)
    }
    if (signal.aborted) onAbort()
  }

  /** Resolves when the child is no longer needed: it is killed, or about to be ready for another query. */
  get finished(): Promise<void> {
    return this.#finished.promise
  }

  get process(): QueryProcess {
    return this.#process
  }

  async open(): Promise<OpenTable> {
    try {
      await this.#process.open(this.#table)
      this.#isOpen = true
      return this
    } catch (error) {
      this.#end(error)
      throw this.#reason
    }
  }

  async ask(query: Query): Promise<Readable> {
    if (!this.#isOpen) throw new Error('Cannot ask: the table is not open, or was asked before')
    this.#isOpen = false
    const { queryRowsMax, queryBytesMax: bytesMax } = this.#options
    const rowsMax = Math.min(query.rowsMax ?? queryRowsMax, queryRowsMax)
    const job = { ...query, columns: this.#table.columns, rowsMax, bytesMax }
    const first = (await this.#process.run(job)) ?? (await this.#runAgain(job))
    const verdict = this.#verdictOf(await this.#orReason(first))
    if (verdict.kind === 'begun') {
      this.#answer = Readable.from(this.#bytes(bytesMax + tailBytesMax), { objectMode: false })
      return this.#answer
    }
    this.#finish('complete')
    throw new ServiceError(verdict.code, { problem: verdict.problem })
  }

  /** Runs a statement again, which only reads, if its process was perhaps killed while it waited; null if not. */
  async #runAgain(job: Omit<QueryJob, 'files'>): Promise<Buffer | null> {
    const { killReason } = await this.#process.gone
    const another = this.#another
    if (another === null || this.#isFinished || killReason !== undefined) return null
    this.#another = null
    try {
      const process = await another()
      this.#process = process
      if (this.#isFinished) process.kill()
      else await process.open(this.#table)
    } catch (error) {
      this.#end(error)
    }
    return this.#isFinished ? null : await this.#process.run(job)
  }

  #verdictOf(frame: Buffer): Verdict {
    try {
      return parseVerdict(frame)
    } catch (error) {
      throw this.#broken(error)
    }
  }

  async #lookAtDisk(): Promise<void> {
    const spilledBytes = await this.#process.spilledBytes()
    if (spilledBytes > 0) this.#process.retire()
    if (spilledBytes <= this.#options.spillBytesMax) return
    this.#end(
      new ServiceError('QUERY_TOO_LARGE', { problem: 'it needs more temporary disk space than a query may have' }),
    )
  }

  async *#bytes(bytesMax: number): AsyncGenerator<Buffer> {
    try {
      let leftBytes = bytesMax
      for (;;) {
        const piece = await this.#orReason(await this.#process.next())
        if (piece.length === 0) return this.#finish('complete')
        leftBytes -= piece.length
        if (leftBytes < 0) throw this.#broken('its answer has no end')
        const onUnread = () => this.#end(new ServiceError('QUERY_TIMEOUT', { limitMs: readIdleMsMax }))
        const unread = setTimeout(onUnread, readIdleMsMax)
        try {
          yield piece
        } finally {
          clearTimeout(unread)
        }
      }
    } finally {
      // Whoever reads it may stop early.
      this.#finish('incomplete')
    }
  }

  /** A frame; throws if the child ended without it. */
  async #orReason(frame: Buffer | null): Promise<Buffer> {
    if (frame === null) throw await this.#whyGone()
    return frame
  }

  /** Ends a child that breaks the protocol. */
  #broken(problem: unknown): Error {
    const error = new Error(`Cannot read answer of query: ${problem}`)
    this.#end(error)
    this.#options.logger.warn({ how: String(problem) }, 'a query child broke the protocol')
    return error
  }

  async #whyGone(): Promise<unknown> {
    const ending: ProcessExit = await this.#process.gone
    if (this.#reason !== null) return this.#reason
    if (ending.killReason !== undefined) return this.#broken(ending.killReason)
    this.#options.logger.warn({ how: ending.how }, 'a query child ended by itself')
    // The system's limits end it, and DuckDB has been seen to crash when it is refused memory.
    return new ServiceError('QUERY_TOO_LARGE', {
      problem: 'it needs more memory or processor time than a query may have',
    })
  }

  #end(reason: unknown): void {
    if (this.#isFinished) return
    this.#reason ??= reason
    this.#finish('incomplete')
    // A client that does not read would not find out otherwise.
    if (reason instanceof Error) this.#answer?.destroy(reason)
  }

  /** Has an effect once: after that, the child may have another query. */
  #finish(how: 'complete' | 'incomplete'): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.#stopWatching()
    if (how === 'complete') this.#process.renew()
    else this.#process.kill()
    this.#finished.resolve()
  }
}
