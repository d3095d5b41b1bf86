// Copies: copies datasets into databases, a few at once, with retries after failures and after a restart of the service.

import { createHash } from 'node:crypto'
import type { CopyRequest, CopyStatus, CopyTarget } from '../../core/copies/copy-status.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Receipt } from '../../core/receipt.ts'
import { LineJournal } from '../../io/line-journal.ts'
import { FairQueue } from '../../io/turns/fair-queue.ts'
import { type CopySource, type Sink, SinkError } from '../../sink/sink.ts'
import type { DatasetVersion, Store } from '../../store/store.ts'
import type { CopyList, PartialCopyRequest } from '../service.ts'
import { completeRequest, tableNameOf } from './copy-request.ts'
import { UploadRequests } from './upload-requests.ts'

export interface CopiesOptions {
  readonly store: Pick<Store, 'receipt' | 'isGone' | 'keep' | 'kept' | 'keptNames'>
  /** The records of a dataset, for a database to read. */
  readonly sourceOf: (receipt: Receipt, signal: AbortSignal) => CopySource
  readonly targets: readonly CopyTarget[]
  readonly sinkOf: (target: CopyTarget) => Promise<Sink>
  /** Name of the target that every upload is copied to; empty for none. */
  readonly uploadsTo: string
  /** Path of the file that remembers unfinished copies that clients have requested. */
  readonly journalPath: string
  /** Path of the directory that remembers uploads to copy. */
  readonly uploadsPath: string
  readonly logger: Pick<Log, 'warn' | 'error'>
  /** Called once for every copy, when it has ended. */
  readonly onEnded: (outcome: CopyOutcome) => void
  /** Waits before each further try. Milliseconds. */
  readonly retryMs?: readonly number[]
  /** Maximum number of unfinished copies in memory; up to half of them are of uploads, of which more wait on disk. */
  readonly pendingMax?: number
}

export type CopyOutcome = 'done' | 'failed' | 'dropped'

const copyingMax = 2
const pendingMaxByDefault = 1_000
/** Nine tries within about three hours. */
const retryMsByDefault = [1, 5, 30, 120, 600, 1_200, 3_600, 5_400].map((seconds) => seconds * 1_000)
/** Ended copies stay in the journal until it has this many bytes. */
const journalBytesMax = 4 * 1_048_576
/** Codes of our own failures that may be temporary. */
const transientCodes = [
  // Another publish has taken the place of the one that was being read.
  'DATASET_NOT_FOUND',
  'STORE_FAILED',
  'STORE_UNAVAILABLE',
  'TOO_MANY_OPEN_FILES',
  'DISK_FULL',
  'CONVERSION_FAILED',
] as const

export class Copies implements AsyncDisposable {
  readonly #options: CopiesOptions
  readonly #pendingMax: number
  readonly #closing = new AbortController()
  /** Unfinished copies by id. */
  readonly #jobs = new Map<string, Job>()
  #uploadCount = 0
  /** True if the directory may have uploads to copy that are not in memory. */
  #isBacklogged = true
  #isLoading = false
  /** Uploads whose tries have all failed: they wait on disk, behind those that had none. */
  readonly #later = new Set<string>()
  readonly #due = new FairQueue<Job>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  // Set by `open`, before the object is handed out.
  #journal!: LineJournal
  #requests!: UploadRequests

  private constructor(options: CopiesOptions) {
    this.#options = options
    this.#pendingMax = options.pendingMax ?? pendingMaxByDefault
  }

  /** Continues the unfinished copies. */
  static async open(options: CopiesOptions): Promise<Copies> {
    const copies = new Copies(options)
    const begun = new Map<string, string>()
    copies.#journal = await LineJournal.open(options.journalPath, (lines) => {
      for (const line of lines) readLine(line, begun)
      return [...begun.values()]
    })
    copies.#requests = await UploadRequests.open(options.uploadsPath)
    for (const line of begun.values()) {
      const { datasetId, createdAt, request } = JSON.parse(line) as JournalledCopy // readLine() has parsed it
      copies.#due.push('', 1, copies.#add({ datasetId, createdAt, request }))
    }
    await copies.#loadUploads()
    return copies
  }

  /** Copies in memory that are not finished. */
  get pendingCount(): number {
    return this.#jobs.size
  }

  /** @throws {ServiceError} BAD_PARAMETER, TOO_MANY_COPIES, DISK_FULL, STORE_FAILED */
  async begin(receipt: Receipt, wanted: PartialCopyRequest): Promise<CopyStatus> {
    const request = completeRequest(wanted, receipt, this.#options.targets)
    const begun = { datasetId: receipt.id, createdAt: Date.now(), request }
    let job = this.#jobs.get(jobOf(begun).id)
    if (job === undefined) {
      const limit = this.#pendingMax
      if (this.#jobs.size >= limit) throw new ServiceError('TOO_MANY_COPIES', { limit })
      job = this.#add(begun)
      job.recorded = this.#record(job, receipt)
    }
    await job.recorded
    return job.status
  }

  async list(receipt: Receipt): Promise<CopyList> {
    const { targets } = this.#options
    const live = [...this.#jobs.values()].filter(({ datasetId }) => datasetId === receipt.id)
    const onDisk = this.#uploadJob(this.#nameOf(receipt.id), receipt.createdAt)
    const isOnDisk = onDisk !== null && !this.#jobs.has(onDisk.id) && (await this.#requests.has(onDisk.id))
    if (isOnDisk) live.push(onDisk)
    for (const job of live) nameTable(job, receipt)
    const known = [...live.map(({ status }) => status), ...(await keptCopies(this.#options.store, receipt, targets))]
    const newest = known.toSorted((a, b) => b.updatedAt - a.updatedAt)
    // Another replica may copy into the same table; of equal copies, the first is this one's.
    const isSame = (one: CopyStatus) => (other: CopyStatus) => one.to === other.to && one.table === other.table
    const copies = newest.filter((one, at) => newest.findIndex(isSame(one)) === at)
    return { targets: targets.map(({ name }) => name), copies }
  }

  /**
   * If all uploads are copied, one is to be published: once this resolves, its dataset is copied whatever crashes. Its
   * copy is due when this is disposed; without a dataset then, it is dropped. @throws {ServiceError} DISK_FULL,
   * TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  async request(receipt: Receipt): Promise<Disposable> {
    const name = this.#nameOf(receipt.id)
    const release = this.#options.uploadsTo === '' ? null : await this.#requests.hold(name)
    const end = () => {
      if (release === null) return
      // In the same step: nothing may delete the request in between.
      release()
      this.#addUpload(name, receipt)
      this.#runDue()
    }
    return { [Symbol.dispose]: end }
  }

  /** A dataset has been removed: it need not be copied. Never rejects. */
  async removed(datasetId: string): Promise<void> {
    const name = this.#nameOf(datasetId)
    const { uploadsTo, store } = this.#options
    if (uploadsTo === '') return
    try {
      if (!(await store.isGone(datasetId))) return
      // An upload of the same bytes that was published meanwhile holds the request, or its copy is due.
      await this.#requests.delete(name, () => this.#jobs.has(name))
    } catch {
      // The copy will find no dataset.
    }
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
      await recordCopy(this.#options.store, receipt, job.status)
    } catch (error) {
      this.#jobs.delete(job.id)
      // The next start must not continue it. If this fails, too, it copies what was asked for.
      await this.#journal.add(JSON.stringify({ ended: job.id })).catch(() => {})
      throw error instanceof ServiceError ? error : new ServiceError('STORE_FAILED', {}, error)
    }
    this.#due.push(receipt.owner, receipt.records.accepted + 1, job)
    this.#runDue()
  }

  #nameOf(datasetId: string): string {
    return `${datasetId}.${this.#options.uploadsTo}`
  }

  /** The copy that is requested under this name; null if its target is no longer configured. */
  #uploadJob(name: string, createdAt = Date.now()): Job | null {
    const [datasetId = '', to] = name.split('.')
    const target = this.#options.targets.find((one) => one.name === to)
    if (target === undefined) return null
    const { table, mode, key } = target
    const request = { to: target.name, table: table ?? '', mode, key }
    return { ...jobOf({ datasetId, createdAt, request }), id: name, isUpload: true }
  }

  /** Makes the copy of an upload due. False if there are too many: it waits on disk. */
  #addUpload(name: string, receipt: Receipt | null = null): boolean {
    const known = this.#jobs.get(name)
    // One that waits will copy what is there then.
    if (known !== undefined && known.status.state !== 'waiting') known.isWantedAgain = true
    // Whoever holds it will add it.
    if (known !== undefined || this.#requests.isHeld(name)) return true
    const job = this.#uploadJob(name)
    if (job === null) return true
    if (this.#uploadCount >= this.#pendingMax / 2) {
      this.#isBacklogged = true
      return false
    }
    this.#uploadCount += 1
    this.#jobs.set(name, job)
    this.#due.push(receipt?.owner ?? '', (receipt?.records.accepted ?? 0) + 1, job)
    return true
  }

  /** Makes copies of uploads due that wait on disk, as far as there is room. Never rejects. */
  async #loadUploads(): Promise<void> {
    if (this.#closing.signal.aborted || this.#isLoading || !this.#isBacklogged) return
    if (this.#uploadCount > this.#pendingMax / 4) return
    this.#isLoading = true
    this.#isBacklogged = false
    try {
      for await (const name of this.#requests.names()) {
        if (
          !this.#jobs.has(name) &&
          !this.#later.has(name) &&
          (await this.#requests.has(name)) &&
          !this.#addUpload(name)
        )
          break
      }
      if (!this.#isBacklogged && this.#later.size > 0) {
        this.#isBacklogged = true
        this.#later.clear()
      }
    } catch (error) {
      this.#isBacklogged = true
      this.#options.logger.error({ err: error }, 'cannot read which uploads are still to be copied')
    }
    this.#isLoading = false
    this.#runDue()
  }

  /** It counts from now on; nothing is copied before it is due. */
  #add(begun: JournalledCopy): Job {
    const job = jobOf(begun)
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
      job.of = receipt
      nameTable(job, receipt)
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
    const { logger, store, retryMs = retryMsByDefault } = this.#options
    const { datasetId, createdAt, request } = job
    if (isServiceError(error, 'DATASET_NOT_FOUND') && (await store.isGone(datasetId).catch(() => false))) {
      await this.#forget(job, 'dropped')
      return
    }
    const isKnown = error instanceof SinkError || error instanceof ServiceError
    const problem = isKnown ? error.message : 'An internal error, which has been logged'
    // No client looks after an upload: its copy is tried until it is known to succeed or fail.
    const lastMs = job.isUpload ? retryMs.at(-1) : undefined
    const waitMs = isTransient(error) ? (retryMs[job.status.tries - 1] ?? lastMs) : undefined
    const facts = { datasetId, createdAt, request, tries: job.status.tries, isTriedAgain: waitMs !== undefined }
    logger.warn({ err: error, ...facts }, 'copy failed')
    if (waitMs === undefined) {
      await this.#end(job, { state: 'failed', records: null, problem })
      return
    }
    if (job.isUpload && this.#isBacklogged && job.status.tries > retryMs.length) {
      this.#later.add(job.id)
      await this.#unload(job)
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
    const { datasetId, status } = job
    // Without a table, its receipt could not be read.
    const keeping = status.table === '' ? Promise.resolve() : recordCopy(this.#options.store, job.of, status)
    await keeping.catch((error: unknown) => {
      this.#options.logger.error({ err: error, datasetId }, 'the end of a copy is not kept')
    })
    await this.#forget(job, end.state)
  }

  async #forget(job: Job, outcome: CopyOutcome): Promise<void> {
    const { logger, onEnded } = this.#options
    if (!job.isUpload) this.#jobs.delete(job.id)
    onEnded(outcome)
    try {
      if (job.isUpload) {
        // It stays in memory until its request is gone, so that none is loaded that has just ended.
        await this.#requests.delete(job.id, () => job.isWantedAgain).finally(() => this.#unload(job))
        return
      }
      await this.#journal.add(JSON.stringify({ ended: job.id }))
      await this.#journal.replaceBeyond(journalBytesMax, () =>
        [...this.#jobs.values()].filter(({ isUpload }) => !isUpload).map(lineOf),
      )
    } catch (error) {
      // The next start repeats it, and finds the records in the table.
      logger.error({ err: error }, 'the journal of copies cannot be written')
    }
  }

  async #unload(job: Job): Promise<void> {
    this.#jobs.delete(job.id)
    this.#uploadCount -= 1
    if (job.isWantedAgain) this.#addUpload(job.id)
    await this.#loadUploads()
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof SinkError) return error.isTransient
  return transientCodes.some((code) => isServiceError(error, code))
}

/** Tables of one dataset whose status is kept for each target; a copy into a further one is not shown after its end. */
const tablesMax = 100

type KeptStore = Pick<Store, 'keep' | 'kept' | 'keptNames'>

/** The last status of each copy of a dataset, newest first. */
export async function keptCopies(
  store: KeptStore,
  of: DatasetVersion,
  targets: readonly CopyTarget[],
): Promise<readonly CopyStatus[]> {
  const names = await Promise.all(targets.map(({ name }) => store.keptNames(of, prefixOf(name))))
  const kept = await Promise.all([...new Set(names.flat())].map((name) => store.kept(of, name)))
  // Only `keepCopy` writes under these names.
  const found = kept.flatMap((one) => (one === null ? [] : [JSON.parse(one.toString()) as CopyStatus]))
  const shown = found.filter(({ to }) => targets.some(({ name }) => name === to))
  return shown.toSorted((a, b) => b.updatedAt - a.updatedAt)
}

/**
 * Replaces the status of an earlier copy into the same table. One object for each table: two processes that copy into
 * different tables never replace the status of the other.
 */
export async function recordCopy(store: KeptStore, of: DatasetVersion, status: CopyStatus): Promise<void> {
  const prefix = prefixOf(status.to)
  const name = prefix + createHash('sha256').update(status.table).digest('hex').slice(0, 16)
  const names = await store.keptNames(of, prefix)
  if (!names.includes(name) && names.length >= tablesMax) return
  await store.keep(of, name, Buffer.from(JSON.stringify(status)))
}

function prefixOf(target: string): string {
  return `copies-${target}-`
}

/** What the journal records about a copy. */
interface JournalledCopy {
  readonly datasetId: string
  readonly createdAt: number
  readonly request: CopyRequest
}

interface Job extends JournalledCopy {
  /** Of an upload to copy, the name of its request. */
  readonly id: string
  readonly isUpload: boolean
  /** True if its dataset was uploaded again meanwhile. */
  isWantedAgain: boolean
  request: CopyRequest
  status: CopyStatus
  /** The publish that was read last; before that, whichever is there. */
  of: DatasetVersion
  /** Resolves once a crash cannot lose it. */
  recorded: Promise<void>
}

function jobOf(begun: JournalledCopy): Job {
  const { createdAt, request } = begun
  const beginning = { state: 'waiting', tries: 0, records: null, problem: null } as const
  const status = { ...request, ...beginning, createdAt, updatedAt: createdAt }
  const ofClient = { isUpload: false, isWantedAgain: false, recorded: Promise.resolve() }
  return { ...begun, id: idOf(begun), status, of: { id: begun.datasetId }, ...ofClient }
}

/** The table of an upload is named after its file, unless its target has one. */
function nameTable(job: Job, { file }: Pick<Receipt, 'file'>): void {
  if (job.request.table !== '') return
  const table = tableNameOf(file.name)
  job.request = { ...job.request, table }
  job.status = { ...job.status, table }
}

/** The same for the same copy. */
function idOf({ datasetId, request: { to, table, mode, key } }: JournalledCopy): string {
  return createHash('sha256')
    .update(JSON.stringify([datasetId, to, table, mode, key]))
    .digest('hex')
}

function lineOf({ datasetId, createdAt, request }: JournalledCopy): string {
  return JSON.stringify({ datasetId, createdAt, request })
}

/** Lines that this service wrote; a damaged one is skipped. */
function readLine(line: string, begun: Map<string, string>): void {
  try {
    const read = JSON.parse(line) as JournalledCopy | { readonly ended: string }
    if ('ended' in read) begun.delete(read.ended)
    else begun.set(idOf(read), line)
  } catch {}
}
