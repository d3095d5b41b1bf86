// Resumable reading: reads one resumable upload, and starts over when the reading was given up or the storage failed.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { UploadReply } from '../service.ts'
import type { AdmissionControl } from '../upload/admission.ts'
import type { UploadTools } from '../upload/upload.ts'
import type { IdempotencyKeys } from '../uploads/idempotency-keys.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { readSpool } from './read-spool.ts'
import type { ResumableUpload } from './resumable-upload.ts'

export interface ReadingTools extends UploadTools {
  /** The meaning of an error: if the storage is gone, the storage's own error. */
  readonly explain: (error: unknown) => Promise<unknown>
}

export interface ResumableTools extends ReadingTools {
  readonly uploads: Uploads
  readonly keys: IdempotencyKeys
  readonly admissionControl: AdmissionControl
}

/** Receives the outcome of the upload. */
interface Ends {
  done(reply: UploadReply): void
  /** Called if the upload will never become a dataset. */
  failed(error: ServiceError): void
}

interface Running {
  readonly stopping: AbortController
  readonly reply: Promise<UploadReply>
}

/** Failures that pass without a change of the bytes. */
const passing = ['DISK_FULL', 'STORE_UNAVAILABLE', 'TOO_MANY_OPEN_FILES'] as const

export class ResumableReading {
  readonly #tools: ReadingTools
  readonly #upload: ResumableUpload
  readonly #ends: Ends
  #running: Running | null = null
  /** Why the last reading failed; null while one runs. */
  failure: ServiceError | null = null
  /** True once another reading makes no sense. */
  #isOver = false

  constructor(tools: ReadingTools, upload: ResumableUpload, ends: Ends) {
    this.#tools = tools
    this.#upload = upload
    this.#ends = ends
  }

  /** Reads the upload unless that is in progress; resolves when its dataset is durable. */
  begin(): Promise<UploadReply> {
    if (this.#isOver) return Promise.reject(this.failure)
    const before = this.#running
    if (before !== null && !before.stopping.signal.aborted) return before.reply
    const stopping = new AbortController()
    this.failure = null
    const running = { stopping, reply: this.#read(stopping.signal, before) }
    this.#running = running
    // Reported to the request that waits for it, if there is one.
    running.reply.catch(() => {})
    return running.reply
  }

  /** Ends the reading so that it can start over; resolves when nothing of it is left. */
  async giveUp(reason: ServiceError = new ServiceError('SHUTTING_DOWN', {})): Promise<void> {
    if (this.#running === null) return
    this.#running.stopping.abort(reason)
    await this.#running.reply.catch(() => {})
  }

  /** Ends it for good. */
  async end(reason: ServiceError): Promise<void> {
    this.#isOver = true
    this.failure ??= reason
    await this.giveUp(reason)
  }

  async #read(signal: AbortSignal, before: Running | null): Promise<UploadReply> {
    await before?.reply.catch(() => {})
    try {
      signal.throwIfAborted()
      const reply = await readSpool(this.#tools, this.#upload, signal)
      this.#ends.done(reply)
      return reply
    } catch (error) {
      const explained = signal.aborted ? error : await this.#tools.explain(error)
      if (this.#running?.stopping.signal === signal) this.#running = null
      // Until the next try, its client can cancel it.
      this.#upload.live.restarts(this.#upload.spool.state.isComplete)
      if (signal.aborted) throw signal.reason
      const failure = explained instanceof ServiceError ? explained : new ServiceError('INTERNAL', {}, explained)
      this.failure = failure
      // After a failure that passes, bytes can still be added: a later reading reads them.
      this.#isOver = !passing.some((code) => isServiceError(failure, code))
      if (this.#isOver) this.#ends.failed(failure)
      throw failure
    }
  }
}
