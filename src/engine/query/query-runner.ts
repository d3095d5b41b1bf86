// Query runner: runs each query in its own child, and keeps one child waiting. Knows how queries start and end, but no SQL.

import { Readable } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { throwStoreError, toStoreError } from '../../core/storage-error.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { type ProcessExit, startFailure } from '../sandbox/spawn-child.ts'
import type { OpenTable, Query, QueryRunner, QueryTable } from './query.ts'
import { parseVerdict, type Verdict } from './query-job.ts'
import { QueryProcess, type QueryProcessOptions } from './query-process.ts'

export interface QueryRunnerOptions {
  readonly sandbox: Sandbox
  readonly logger: Pick<Log, 'warn'>
  /** From opening the table until the client has read the result. Milliseconds. */
  readonly queryMsMax: number
  /** Memory of a query. Bytes. */
  readonly queryMemoryBytesMax: number
  readonly queryRowsMax: number
  /** Size limit of a result. */
  readonly queryBytesMax: number
  /** Disk space of a query for what does not fit in memory, for tests. Bytes. */
  readonly spillBytesMax?: number
  /** The program of the children, for tests; default: a query's. */
  readonly programPath?: string
  /** A child that has not started within this time is killed; tests use less. Milliseconds. */
  readonly startMsMax?: number
}

/** A query whose result is not read for this long is ended, because others need its place. Milliseconds. */
const readIdleMsMax = 5_000

/** Bytes that a result may have beyond its limit, which does not include its end. */
const tailBytesMax = 65_536

/** Disk space for what does not fit in memory. Bytes. */
const spillBytesUsual = 1_000_000_000

/** How often the files of a query are added up, in case DuckDB does not count them all. Milliseconds. */
const spillLookMs = 250

/** Creates a runner and starts its first child. */
export function createQueryRunner(options: QueryRunnerOptions): QueryRunner {
  return new Runner(options)
}

class Runner implements QueryRunner {
  readonly #options: QueryRunnerOptions
  readonly #processOptions: QueryProcessOptions
  readonly #processes = new Set<QueryProcess>()
  /** Resolves when the next child is ready; null after a failed start. */
  #spare: Promise<QueryProcess> | null = null
  #isClosed = false

  constructor(options: QueryRunnerOptions) {
    this.#options = options
    this.#processOptions = {
      memoryBytesMax: options.queryMemoryBytesMax,
      spillBytesMax: options.spillBytesMax ?? spillBytesUsual,
      // One thread cannot use more CPU time than wall-clock time; starting takes less than a second.
      cpuSecondsMax: Math.ceil(options.queryMsMax / 1_000) + 2,
      ...(options.programPath !== undefined && { programPath: options.programPath }),
      ...(options.startMsMax !== undefined && { startMsMax: options.startMsMax }),
    }
    this.#prepare()
  }

  async open(table: QueryTable, signal: AbortSignal): Promise<OpenTable> {
    signal.throwIfAborted()
    const process = await this.#claim(signal)
    const running = new RunningQuery(process, { ...this.#options, ...this.#processOptions }, signal)
    // Not earlier: starting a process would slow down a short query.
    void Promise.race([running.answered, process.gone]).then(() => {
      if (!this.#isClosed && this.#spare === null) this.#prepare()
    })
    return running.open(table)
  }

  async check(): Promise<void> {
    const preparing = this.#spare ?? this.#prepare()
    const waiting = await preparing.catch(throwNotReady)
    const isUsable = !waiting.isGone && waiting.hasWorkDir
    // If it was claimed meanwhile, it belongs to a query.
    if (isUsable || this.#spare !== preparing) return
    waiting.kill()
    await this.#prepare().catch(throwNotReady)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#spare?.catch(() => {})
    for (const process of this.#processes) process.kill()
    await Promise.all([...this.#processes].map(({ gone }) => gone))
  }

  /** The waiting child, or a new one. A query that ends before its child has started leaves it to the next. */
  async #claim(signal: AbortSignal): Promise<QueryProcess> {
    const taken = this.#spare
    this.#spare = null
    const claiming = this.#usable(taken)
    try {
      return await unlessAborted(claiming, signal)
    } catch (error) {
      if (this.#spare === null && !this.#isClosed) this.#keep(claiming)
      else claiming.then((process) => process.kill()).catch(() => {})
      throw error
    }
  }

  /** If the waiting child could not be started, or was killed by somebody else, another one is started. */
  async #usable(waiting: Promise<QueryProcess> | null): Promise<QueryProcess> {
    const process = await waiting?.catch(() => null)
    return process === null || process === undefined || process.isGone ? this.#start() : process
  }

  #prepare(): Promise<QueryProcess> {
    return this.#keep(this.#start())
  }

  #keep(starting: Promise<QueryProcess>): Promise<QueryProcess> {
    this.#spare = starting
    // The error goes to the query that waits for it; otherwise the next query starts its own child.
    starting.catch(() => {
      if (this.#spare === starting) this.#spare = null
    })
    return starting
  }

  async #start(): Promise<QueryProcess> {
    if (this.#isClosed) throw notStarted('the queries have been ended')
    const process = QueryProcess.start(this.#options.sandbox, this.#processOptions)
    this.#processes.add(process)
    void process.gone.then(() => this.#processes.delete(process))
    if (await process.ready) return process
    const { how, startError } = await process.gone
    const refused = toStoreError(startError)
    throw refused.code === 'STORE_FAILED' ? notStarted(how) : refused
  }
}

function throwNotReady(error: unknown): never {
  throw startFailure(error, 'query')
}

/** An internal error, or the end of the service. */
function notStarted(problem: string): Error {
  return new Error(`Cannot start query: ${problem}`)
}

/** One query, from opening its table to its end. */
class RunningQuery implements OpenTable {
  readonly #process: QueryProcess
  readonly #options: QueryRunnerOptions & QueryProcessOptions
  #table: { readonly files: readonly string[]; readonly columns: readonly string[] } | null = null
  /** Why it was killed. */
  #reason: unknown = null
  readonly #answered = Promise.withResolvers<void>()
  readonly #finished = Promise.withResolvers<void>()
  #answer: Readable | null = null

  constructor(process: QueryProcess, options: QueryRunnerOptions & QueryProcessOptions, signal: AbortSignal) {
    this.#process = process
    this.#options = options
    const { queryMsMax } = options
    const onAbort = () => this.#end(signal.reason)
    const onLate = () => this.#end(new ServiceError('QUERY_TIMEOUT', { limitMs: queryMsMax }))
    const deadline = setTimeout(onLate, queryMsMax)
    const looking = setInterval(() => void this.#lookAtDisk(), spillLookMs)
    signal.addEventListener('abort', onAbort, { once: true })
    void process.gone.then(() => {
      clearTimeout(deadline)
      clearInterval(looking)
      signal.removeEventListener('abort', onAbort)
      this.#finished.resolve()
    })
    if (signal.aborted) onAbort()
  }

  /** Resolves when the verdict is known. */
  get answered(): Promise<void> {
    return this.#answered.promise
  }

  /** Resolves when the child is no longer needed, shortly before it is gone. */
  get finished(): Promise<void> {
    return this.#finished.promise
  }

  async open({ paths, columns }: QueryTable): Promise<OpenTable> {
    try {
      this.#table = { files: await this.#process.addFiles(paths).catch(throwStoreError), columns }
      return this
    } catch (error) {
      this.#end(error)
      throw this.#reason
    }
  }

  async ask({ sql, format }: Query): Promise<Readable> {
    const table = this.#table
    if (table === null) throw new Error('Cannot ask: the table is not open, or was asked before')
    this.#table = null
    const { queryRowsMax: rowsMax, queryBytesMax: bytesMax } = this.#options
    const first = await this.#orReason(this.#process.run({ ...table, sql, format, rowsMax, bytesMax }))
    this.#answered.resolve()
    const verdict = this.#verdictOf(first)
    if (verdict.kind === 'begun') {
      this.#answer = Readable.from(this.#bytes(bytesMax + tailBytesMax), { objectMode: false })
      return this.#answer
    }
    this.#finish()
    throw new ServiceError(verdict.code, { problem: verdict.problem })
  }

  #verdictOf(frame: Buffer): Verdict {
    try {
      return parseVerdict(frame)
    } catch (error) {
      throw this.#broken(error)
    }
  }

  async #lookAtDisk(): Promise<void> {
    if ((await this.#process.spilledBytes()) <= this.#options.spillBytesMax) return
    this.#end(
      new ServiceError('QUERY_TOO_LARGE', { problem: 'it needs more temporary disk space than a query may have' }),
    )
  }

  async *#bytes(bytesMax: number): AsyncGenerator<Buffer> {
    try {
      let leftBytes = bytesMax
      for (;;) {
        const piece = await this.#orReason(this.#process.next())
        if (piece.length === 0) return
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
      this.#finish()
    }
  }

  /** A frame; throws if the child ended without it. */
  async #orReason(frame: Promise<Buffer | null>): Promise<Buffer> {
    const bytes = await frame
    if (bytes === null) throw await this.#whyGone()
    return bytes
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
    this.#reason ??= reason
    this.#finish()
    // A client that does not read would not find out otherwise.
    if (reason instanceof Error) this.#answer?.destroy(reason)
  }

  #finish(): void {
    this.#process.kill()
    this.#finished.resolve()
  }
}
