// Live upload: one upload in progress: its status, those who wait for a change, and how it is cancelled.
import { once } from 'node:events'
import { ServiceError } from '../../core/errors.ts'
import type { RecordCounts } from '../../core/receipt.ts'
import { toStoreError } from '../../core/storage-error.ts'
import {
  type ColumnSoFar,
  isFinished,
  type UploadFailure,
  type UploadPhase,
  type UploadStatus,
} from '../../core/upload-status.ts'
import type { Reading } from '../../reading/reading.ts'
import { type CountedRecords, recordCounts } from '../ingest/record-tally.ts'
import type { UploadProgress } from '../ingest/upload-progress.ts'
import type { UploadReply } from '../service.ts'

/** The facts of an upload when it begins. */
export interface NewUpload {
  readonly id: string
  readonly owner: string
  /** Name of the key or token; without it, only those who see all uploads of the owner see this one. */
  readonly sender?: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly idempotencyKey?: string | null
  readonly remark?: string | null
  readonly fileName?: string | null
  readonly receivedBytes?: number
  readonly expectedBytes: number | null
  /** Ends the work on it with this error, keeping nothing. Called once at most, and not after the upload has ended. */
  readonly stop: (error: ServiceError<'UPLOAD_CANCELLED'>) => void
}

/** Maximum age of a status. Milliseconds. */
const freshMs = 100
/** How often those who wait for a change look for one. Milliseconds. */
const lookEveryMs = 200

type Facts = Omit<UploadStatus, 'version' | 'updatedAt' | 'bytes' | 'records'>

export class LiveUpload implements UploadProgress {
  /** Bytes that have arrived; their receiver counts here. */
  receivedBytes: number
  /** True once the client is known to have disconnected before its last byte. */
  isInterrupted = false
  #expectedBytes: number | null
  readonly #stop: NewUpload['stop']
  readonly #onEnd: (status: UploadStatus) => void
  /** Aborted when it has ended, however that happens. */
  readonly #ended = new AbortController()
  /** Those who wait for a change, and the one timer that looks for it: 750 timers took 6 % of a core. */
  readonly #watchers = new Set<{ readonly version: number; readonly resolve: () => void }>()
  #looking: NodeJS.Timeout | undefined
  #facts: Facts
  #before: Reading['before'] | null = null
  #counted: CountedRecords | null = null
  #finalRecords: RecordCounts | null = null
  #cancelled: ServiceError<'UPLOAD_CANCELLED'> | null = null
  #status: UploadStatus
  #lookedAtMs = Number.NEGATIVE_INFINITY

  /** @param onEnd Called once, with the last status. */
  constructor(upload: NewUpload, onEnd: (status: UploadStatus) => void) {
    const { id, owner, sender = '', createdAt, fileName = null, receivedBytes = 0, expectedBytes, stop } = upload
    const { idempotencyKey = null, remark = null } = upload
    const nothing = { encoding: null, dialect: null, columns: null, datasetId: null, outcome: null, error: null }
    this.receivedBytes = receivedBytes
    this.#expectedBytes = expectedBytes
    this.#stop = stop
    this.#onEnd = onEnd
    const known = { id, owner, sender, createdAt, expiresAt: null, idempotencyKey, remark, fileName }
    this.#facts = { ...known, phase: 'receiving', ...nothing }
    this.#status = this.#look(0)
  }

  get id(): string {
    return this.#facts.id
  }

  /** Its status; counts may be 0.1 s old. */
  status(): UploadStatus {
    const nowMs = performance.now()
    if (isFinished(this.#status) || nowMs - this.#lookedAtMs < freshMs) return this.#status
    this.#lookedAtMs = nowMs
    const { bytes, records, version } = this.#status
    const isSame = bytes.received === this.receivedBytes && records?.total === this.#records()?.total
    if (!isSame) this.#status = this.#look(version)
    return this.#status
  }

  /** Resolves when the status no longer has this version; if `signal` is aborted, resolves to the last one. */
  async changed(version: number, signal: AbortSignal): Promise<UploadStatus> {
    if (this.status().version !== version || isFinished(this.#status) || signal.aborted) return this.#status
    const { promise: changed, resolve } = Promise.withResolvers<void>()
    const watcher = { version, resolve: () => resolve() }
    this.#watchers.add(watcher)
    this.#looking ??= setInterval(() => this.#wake(this.status().version), lookEveryMs)
    signal.addEventListener('abort', watcher.resolve)
    await changed
    signal.removeEventListener('abort', watcher.resolve)
    this.#watchers.delete(watcher)
    if (this.#watchers.size === 0) {
      clearInterval(this.#looking)
      this.#looking = undefined
    }
    return this.#status
  }

  /** Ends it, keeping nothing. Resolves once that is done. @throws {ServiceError} UPLOAD_FINISHED if it is too late. */
  async cancel(): Promise<void> {
    if (this.#facts.phase === 'writing' || isFinished(this.#facts)) {
      throw new ServiceError('UPLOAD_FINISHED', { id: this.id })
    }
    if (this.#cancelled === null) {
      this.#cancelled = new ServiceError('UPLOAD_CANCELLED', {})
      this.#stop(this.#cancelled)
    }
    if (!this.#ended.signal.aborted) await once(this.#ended.signal, 'abort')
  }

  /** Expected total of bytes. */
  expects(bytes: number): void {
    this.#expectedBytes = bytes
    this.#change({})
  }

  named(fileName: string): void {
    this.#change({ fileName })
  }

  reads({ encoding, dialect, names, before }: Reading, counted: CountedRecords): void {
    this.#before = before
    this.#counted = counted
    const columns = this.#facts.columns ?? names.map((name) => ({ name, type: null }))
    this.#change({ encoding, dialect, columns })
  }

  typed(columns: readonly ColumnSoFar[]): void {
    this.#change({ columns: columns.map(({ name, type }) => ({ name, type })) })
  }

  received(): void {
    if (this.#facts.phase === 'receiving') this.#change({ phase: 'reading' })
  }

  writes(): void {
    if (this.#cancelled !== null) throw this.#cancelled
    this.#change({ phase: 'writing' })
  }

  /** It starts over from its first byte, or waits for its client: what was read no longer counts. */
  restarts(isComplete: boolean): void {
    if (isFinished(this.#facts)) return
    this.#before = null
    this.#counted = null
    this.#change({ phase: isComplete ? 'reading' : 'receiving' })
  }

  /** It has its dataset. @param expiresAt Epoch milliseconds. */
  done({ receipt, upload }: UploadReply, expiresAt: number): void {
    const { encoding, dialect, columns, records } = receipt
    const { datasetId, fileName, outcome } = upload
    this.#finalRecords = records
    const shown = columns.map(({ name, type }) => ({ name, type }))
    this.#end('done', { fileName, encoding, dialect, columns: shown, datasetId, outcome, expiresAt })
  }

  /**
   * Returns the error for its client: that it was cancelled, if that is why it failed. @param expiresAt Epoch
   * milliseconds.
   */
  failed(error: unknown, expiresAt: number): unknown {
    const reason = this.#cancelled ?? error
    this.#end('failed', { error: failureOf(reason), expiresAt })
    return reason
  }

  /** Its client did not return in time. @param expiresAt Epoch milliseconds. */
  expired(expiresAt: number): void {
    this.#end('expired', { expiresAt })
  }

  #end(phase: UploadPhase, facts: Partial<Facts>): void {
    if (isFinished(this.#facts)) return
    this.#change({ ...facts, phase })
    this.#onEnd(this.#status)
    this.#wake(null)
    this.#ended.abort()
  }

  /** Wakes those who wait for another version than this one, or all. */
  #wake(version: number | null): void {
    for (const watcher of this.#watchers) if (watcher.version !== version) watcher.resolve()
  }

  #change(facts: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...facts }
    this.#status = this.#look(this.#status.version)
  }

  #look(lastVersion: number): UploadStatus {
    const updatedAt = Date.now()
    const bytes = { received: this.receivedBytes, expected: this.#expectedBytes }
    // Based on the time of day, so that no version is used again after a restart.
    const version = Math.max(lastVersion + 1, updatedAt)
    return { ...this.#facts, version, updatedAt, bytes, records: this.#records() }
  }

  #records(): RecordCounts | null {
    if (this.#finalRecords !== null) return this.#finalRecords
    if (this.#before === null || this.#counted === null) return null
    return recordCounts(this.#before, this.#counted)
  }
}

/** What the status says about an error. An internal fault is reported without details. */
function failureOf(error: unknown): UploadFailure {
  const refused = error instanceof ServiceError ? error : toStoreError(error)
  const isFault = refused !== error && refused.code === 'STORE_FAILED'
  const { status, exception, message } = isFault ? new ServiceError('INTERNAL', {}) : refused
  return { timestamp: Date.now(), status, exception, message }
}
