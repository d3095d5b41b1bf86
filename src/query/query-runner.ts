// Query runner: gives each query a child of its own, one of which waits ready. It knows how queries begin and end, no SQL.
import { Readable } from 'node:stream'
import { ServiceError } from '../core/errors.ts'
import { throwStoreError, toStoreError } from '../core/storage-error.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Ending } from '../sandbox/spawn-child.ts'
import { startedInTime, startFailure } from '../sandbox/start-failure.ts'
import type { OpenTable, Query, QueryRunner, QueryTable } from './query.ts'
import { parseVerdict, type Verdict } from './query-job.ts'
import { QueryProcess, type QueryProcessOptions } from './query-process.ts'

/** The methods of a pino logger a runner uses. */
export interface QueryLogger {
  warn(fields: object, message: string): void
}

export interface QueryRunnerOptions {
  readonly sandbox: Sandbox
  readonly logger: QueryLogger
  /** From the opening of the table until the client has taken the answer. Milliseconds. */
  readonly queryMsMax: number
  /** What a query may hold in memory. Bytes. */
  readonly queryMemoryBytesMax: number
  readonly queryRowsMax: number
  /** Of an answer. */
  readonly queryBytesMax: number
  /** What a query may put on disk where it does not fit in memory, for tests. Bytes. */
  readonly spillBytesMax?: number
  /** The program of the children, for tests; a query's when left out. */
  readonly programPath?: string
}

/** A query whose answer is not read for so long is ended: others want its place. Milliseconds. */
const readIdleMsMax = 5_000

/** What an answer may have beyond its limit, which its last words are not held against. Bytes. */
const tailBytesMax = 65_536

/** What a query may put on disk where it does not fit in memory. Bytes. */
const spillBytesUsual = 1_000_000_000

/** How often what is on disk is added up: DuckDB keeps to its limit, and this is for what it does not count. */
const spillLookMs = 250

/** Makes a runner, and starts a first child beside. */
export function createQueryRunner(options: QueryRunnerOptions): QueryRunner {
  return new Runner(options)
}

class Runner implements QueryRunner {
  readonly #options: QueryRunnerOptions
  readonly #processOptions: QueryProcessOptions
  readonly #processes = new Set<QueryProcess>()
  /** Ends when the next child is ready; null after a failure to start one. */
  #spare: Promise<QueryProcess> | null
  #isClosed = false

  constructor(options: QueryRunnerOptions) {
    this.#options = options
    this.#processOptions = {
      memoryBytesMax: options.queryMemoryBytesMax,
      spillBytesMax: options.spillBytesMax ?? spillBytesUsual,
      // One thread cannot use more than the time there is; starting takes less than a second of it.
      cpuSecondsMax: Math.ceil(options.queryMsMax / 1_000) + 2,
      ...(options.programPath !== undefined && { programPath: options.programPath }),
    }
    this.#spare = this.#prepare()
  }

  async open(table: QueryTable, signal: AbortSignal): Promise<OpenTable> {
    signal.throwIfAborted()
    const process = await this.#claim()
    const running = new RunningQuery(process, { ...this.#options, ...this.#processOptions }, signal)
    // Not before: starting a process would take time from a query that takes little itself.
    void Promise.race([running.answered, process.gone]).then(() => {
      if (!this.#isClosed) this.#spare ??= this.#prepare()
    })
    return running.open(table)
  }

  async check(): Promise<void> {
    this.#spare ??= this.#prepare()
    const preparing = this.#spare
    const waiting = await this.#inTime(preparing)
    const isUsable = !waiting.isGone && waiting.hasWorkDir
    // One that was claimed meanwhile is another's.
    if (isUsable || this.#spare !== preparing) return
    waiting.kill()
    this.#spare = this.#prepare()
    await this.#inTime(this.#spare)
  }

  async #inTime(preparing: Promise<QueryProcess>): Promise<QueryProcess> {
    try {
      return await startedInTime(preparing, 'query')
    } catch (error) {
      throw startFailure(error, 'query')
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#spare?.catch(() => {})
    for (const process of this.#processes) process.kill()
    await Promise.all([...this.#processes].map(({ gone }) => gone))
  }

  /** The child that waits, or a new one. */
  async #claim(): Promise<QueryProcess> {
    const taken = this.#spare
    this.#spare = null
    // One that could not be started, or was killed by somebody else, is made up for.
    const process = await taken?.catch(() => null)
    return process === null || process === undefined || process.isGone ? this.#start() : process
  }

  #prepare(): Promise<QueryProcess> {
    const preparing = this.#start()
    // Who waits for it is told; while nobody does, it is only that the next one starts its own.
    preparing.catch(() => {
      if (this.#spare === preparing) this.#spare = null
    })
    return preparing
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

/** A fault of ours, or the end of the service. */
function notStarted(problem: string): Error {
  return new Error(`Cannot start query: ${problem}`)
}

/** A child with a table, from its opening to its end. */
class RunningQuery implements OpenTable {
  readonly #process: QueryProcess
  readonly #options: QueryRunnerOptions & QueryProcessOptions
  #table: { readonly files: readonly string[]; readonly columns: readonly string[] } | null = null
  /** Why it was killed. */
  #reason: unknown = null
  readonly #answered = Promise.withResolvers<void>()
  readonly #finished = Promise.withResolvers<void>()

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

  /** Resolves when nothing is wanted of the child any more, which is a moment before it is gone. */
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
    if (verdict.kind === 'begun') return Readable.from(this.#bytes(bytesMax + tailBytesMax), { objectMode: false })
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
      new ServiceError('QUERY_TOO_LARGE', { problem: 'it needs more room beside memory than a query may have' }),
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
        yield piece
        clearTimeout(unread)
      }
    } finally {
      this.#finish()
    }
  }

  /** A frame; an answer that lacks its last one is none. */
  async #orReason(frame: Promise<Buffer | null>): Promise<Buffer> {
    const bytes = await frame
    if (bytes === null) throw await this.#whyGone()
    return bytes
  }

  /** Ends a child that sends what no query of ours sends. */
  #broken(problem: unknown): Error {
    const error = new Error(`Cannot read answer of query: ${problem}`)
    this.#end(error)
    this.#options.logger.warn({ how: String(problem) }, 'a query child sent what none sends')
    return error
  }

  async #whyGone(): Promise<unknown> {
    const ending: Ending = await this.#process.gone
    if (this.#reason !== null) return this.#reason
    if (ending.killReason !== undefined) return this.#broken(ending.killReason)
    this.#options.logger.warn({ how: ending.how }, 'a query child ended by itself')
    // It keeps to its limits or the system makes it; DuckDB has been seen to crash where it is refused memory.
    return new ServiceError('QUERY_TOO_LARGE', {
      problem: 'it needs more memory or processor time than a query may have',
    })
  }

  #end(reason: unknown): void {
    this.#reason ??= reason
    this.#finish()
  }

  #finish(): void {
    this.#process.kill()
    this.#finished.resolve()
  }
}
