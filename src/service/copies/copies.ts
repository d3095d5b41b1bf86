// Copies: copies datasets into databases, a few at once, with retries after failures and after a restart of the service.
import { createHash } from 'node:crypto'
import type { CopyRequest, CopyStatus, CopyTarget } from '../../core/copies/copy-status.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { UploadStatus } from '../../core/upload-status.ts'
import { LineJournal } from '../../io/line-journal.ts'
import { FairQueue } from '../../io/turns/fair-queue.ts'
import { type CopySource, type Sink, SinkError } from '../../sink/sink.ts'
import type { Store } from '../../store/store.ts'
import type { CopyList, CopyWish } from '../service.ts'
import { completeWish } from './copy-request.ts'
import { KeptCopies } from './kept-copies.ts'

export interface CopiesOptions {
  readonly store: Pick<Store, 'receipt' | 'keep' | 'kept'>
  /** The records of a dataset, for a database to read. */
  readonly sourceOf: (receipt: Receipt, signal: AbortSignal) => CopySource
  readonly targets: readonly CopyTarget[]
  readonly sinkOf: (target: CopyTarget) => Promise<Sink>
  /** Name of the target that every upload is copied to; empty for none. */
  readonly uploadsTo: string
  /** Path of the file that remembers unfinished copies. */
  readonly journalPath: string
  readonly logger: CopyLogger
  /** Called once for every copy, when it has ended. */
  readonly onEnded: (outcome: CopyOutcome) => void
  /** Waits before each further try. Milliseconds. */
  readonly retryMs?: readonly number[]
  /** Maximum number of unfinished copies. */
  readonly pendingMax?: number
}

export type CopyOutcome = 'done' | 'failed' | 'dropped'

/** The methods of a pino logger that are used here. */
interface CopyLogger {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** What the journal records about a copy. */
interface Begun {
  readonly datasetId: string
  readonly createdAt: number
  readonly request: CopyRequest
}

interface Job extends Begun {
  readonly id: string
  status: CopyStatus
  /** Resolves once a crash cannot lose it. */
  recorded: Promise<void>
}

const copyingMax = 2
const pendingMaxByDefault = 1_000
const secondMs = 1_000
const minuteMs = 60 * secondMs
/** Nine tries within about three hours. */
const retryMsByDefault = [1, 5, 30]
  .map((seconds) => seconds * secondMs)
  .concat([2, 10, 20, 60, 90].map((minutes) => minutes * minuteMs))
/** Ended copies stay in the journal until it has this many bytes. */
const journalBytesMax = 4 * 1_048_576
/** Codes of our own failures that may be temporary. */
const transientCodes = [
  'STORE_FAILED',
  'STORE_UNAVAILABLE',
  'TOO_MANY_OPEN_FILES',
  'DISK_FULL',
  'CONVERSION_FAILED',
] as const

export class Copies implements AsyncDisposable {
  readonly #options: CopiesOptions
  readonly #kept: KeptCopies
  readonly #closing = new AbortController()
  /** Unfinished copies by id. */
  readonly #jobs = new Map<string, Job>()
  readonly #due = new FairQueue<Job>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  // Set by `open`, before the object is handed out.
  #journal!: LineJournal

  private constructor(options: CopiesOptions) {
    this.#options = options
    this.#kept = new KeptCopies(options.store)
  }

  /** Continues the unfinished copies. */
  static async open(options: CopiesOptions): Promise<Copies> {
    const copies = new Copies(options)
    const begun = new Map<string, string>()
    copies.#journal = await LineJournal.open(options.journalPath, (lines) => {
      for (const line of lines) readLine(line, begun)
      return [...begun.values()]
    })
    for (const line of begun.values()) {
      const { datasetId, createdAt, request } = JSON.parse(line) as Begun // readLine() has parsed it
      copies.#due.push('', 1, copies.#add({ datasetId, createdAt, request }))
    }
    copies.#runDue()
    return copies
  }

  /** @throws {ServiceError} BAD_PARAMETER, TOO_MANY_COPIES, DISK_FULL, STORE_FAILED */
  async begin(receipt: Receipt, wish: CopyWish): Promise<CopyStatus> {
    const request = completeWish(wish, receipt, this.#options.targets)
    const begun = { datasetId: receipt.id, createdAt: Date.now(), request }
    let job = this.#jobs.get(idOf(begun))
    if (job === undefined) {
      const { pendingMax = pendingMaxByDefault } = this.#options
      if (this.#jobs.size >= pendingMax) throw new ServiceError('TOO_MANY_COPIES', { limit: pendingMax })
      job = this.#add(begun)
      job.recorded = this.#record(job, receipt)
    }
    await job.recorded
    return job.status
  }

  async list(receipt: Receipt): Promise<CopyList> {
    const { targets } = this.#options
    const live = [...this.#jobs.values()].filter(({ datasetId }) => datasetId === receipt.id)
    const known = [...live.map(({ status }) => status), ...(await this.#kept.list(receipt.id, targets))]
    const newest = known.toSorted((a, b) => b.updatedAt - a.updatedAt)
    // Another replica may copy into the same table; of equal copies, the first is this one's.
    const copies = newest.filter((one, at) => newest.findIndex((other) => isSameTable(one, other)) === at)
    return { targets: targets.map(({ name }) => name), copies }
  }

  /** Copies the outcome of an upload, if all uploads are copied. Never throws. */
  uploaded({ phase, datasetId }: Pick<UploadStatus, 'phase' | 'datasetId'>): void {
    const { uploadsTo, store, logger } = this.#options
    if (uploadsTo === '' || phase !== 'done' || datasetId === null) return
    const begin = async () => {
      const receipt = await store.receipt(datasetId)
      if (receipt !== null) await this.begin(receipt, { to: uploadsTo })
    }
    begin().catch((error: unknown) => logger.error({ err: error, datasetId }, 'an upload is not copied'))
  }

  /** The next start continues what has not ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    await Promise.all(this.#running)
    await this.#journal[Symbol.asyncDispose]()
  }

  /** Makes a copy durable, and due. */
  async #record(job: Job, receipt: Receipt): Promise<void> {
    try {
      await this.#journal.add(lineOf(job))
      await this.#kept.keep(receipt.id, job.status)
    } catch (error) {
      this.#jobs.delete(job.id)
      // The next start must not continue it. If this fails, too, it copies what was asked for.
      await this.#journal.add(JSON.stringify({ ended: job.id })).catch(() => {})
      throw error instanceof ServiceError ? error : new ServiceError('STORE_FAILED', {}, error)
    }
    this.#due.push(receipt.owner, receipt.records.accepted + 1, job)
    this.#runDue()
  }

  /** It counts from now on; nothing is copied before it is due. */
  #add(begun: Begun): Job {
    const { createdAt, request } = begun
    const beginning = { state: 'waiting', tries: 0, records: null, problem: null } as const
    const status = { ...request, ...beginning, createdAt, updatedAt: createdAt }
    const job = { ...begun, id: idOf(begun), status, recorded: Promise.resolve() }
    this.#jobs.set(job.id, job)
    return job
  }

  #runDue(): void {
    while (this.#running.size < copyingMax && !this.#closing.signal.aborted) {
      const job = this.#due.shift()
      if (job === undefined) return
      const running = this.#try(job).finally(() => {
        this.#running.delete(running)
        this.#runDue()
      })
      this.#running.add(running)
    }
  }

  /** Never rejects. */
  async #try(job: Job): Promise<void> {
    const { signal } = this.#closing
    const { store } = this.#options
    job.status = { ...job.status, state: 'copying', tries: job.status.tries + 1, updatedAt: Date.now() }
    try {
      const receipt = await store.receipt(job.datasetId)
      if (receipt === null) throw new ServiceError('DATASET_NOT_FOUND', { id: job.datasetId })
      await this.#copy(job, receipt, signal)
      await this.#end(job, { state: 'done', records: receipt.records.accepted, problem: null })
    } catch (error) {
      if (signal.aborted) return
      await this.#failed(job, error)
    }
  }

  async #copy({ request }: Job, receipt: Receipt, signal: AbortSignal): Promise<void> {
    const { targets, sinkOf, sourceOf } = this.#options
    const target = targets.find(({ name }) => name === request.to)
    if (target === undefined) throw new SinkError(`There is no target '${request.to}' any more`, false)
    const sink = await sinkOf(target)
    const { table, mode, key } = request
    const { id: datasetId, owner, columns, records, file } = receipt
    const isSharedTable = table === target.table
    const facts = { datasetId, fileSha256: file.sha256, owner, columns, records: records.accepted }
    const order = { ...facts, table, isSharedTable, mode, key }
    await sink.copy(order, sourceOf(receipt, signal), signal)
  }

  async #failed(job: Job, error: unknown): Promise<void> {
    const { logger, retryMs = retryMsByDefault } = this.#options
    const { datasetId, createdAt, request } = job
    if (isServiceError(error, 'DATASET_NOT_FOUND')) {
      await this.#forget(job, 'dropped')
      return
    }
    const isKnown = error instanceof SinkError || error instanceof ServiceError
    const problem = isKnown ? error.message : 'An internal error, which has been logged'
    const waitMs = isTransient(error) ? retryMs[job.status.tries - 1] : undefined
    const facts = { datasetId, createdAt, request, tries: job.status.tries, isTriedAgain: waitMs !== undefined }
    logger.warn({ err: error, ...facts }, 'copy failed')
    if (waitMs === undefined) {
      await this.#end(job, { state: 'failed', records: null, problem })
      return
    }
    job.status = { ...job.status, state: 'waiting', problem, updatedAt: Date.now() }
    // Half of it is random, so that copies that failed together are not retried together.
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.#due.push('', 1, job)
        this.#runDue()
      },
      waitMs * (0.5 + Math.random() / 2),
    ).unref()
    this.#timers.add(timer)
  }

  async #end(job: Job, end: Pick<CopyStatus, 'records' | 'problem'> & { state: 'done' | 'failed' }): Promise<void> {
    job.status = { ...job.status, ...end, updatedAt: Date.now() }
    await this.#kept.keep(job.datasetId, job.status).catch((error: unknown) => {
      this.#options.logger.error({ err: error, datasetId: job.datasetId }, 'the end of a copy is not kept')
    })
    await this.#forget(job, end.state)
  }

  async #forget(job: Job, outcome: CopyOutcome): Promise<void> {
    const { logger, onEnded } = this.#options
    this.#jobs.delete(job.id)
    onEnded(outcome)
    try {
      await this.#journal.add(JSON.stringify({ ended: job.id }))
      await this.#journal.replaceBeyond(journalBytesMax, () => [...this.#jobs.values()].map(lineOf))
    } catch (error) {
      // The next start repeats it, and finds the records in the table.
      logger.error({ err: error }, 'the journal of copies cannot be written')
    }
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof SinkError) return error.isTransient
  return transientCodes.some((code) => isServiceError(error, code))
}

function isSameTable(one: CopyStatus, other: CopyStatus): boolean {
  return one.to === other.to && one.table === other.table
}

/** The same for the same copy. */
function idOf({ datasetId, request: { to, table, mode, key } }: Begun): string {
  return createHash('sha256')
    .update(JSON.stringify([datasetId, to, table, mode, key]))
    .digest('hex')
}

function lineOf({ datasetId, createdAt, request }: Begun): string {
  return JSON.stringify({ datasetId, createdAt, request })
}

/** Lines that this service wrote; a damaged one is skipped. */
function readLine(line: string, begun: Map<string, string>): void {
  try {
    const read = JSON.parse(line) as Begun | { readonly ended: string }
    if ('ended' in read) begun.delete(read.ended)
    else begun.set(idOf(read), line)
  } catch {}
}
