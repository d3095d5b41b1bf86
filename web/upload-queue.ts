// Upload queue: files that were chosen, and those on their way, two at a time, each with its phase, rate and outcome. Knows no element.
import type { DeclaredDialect } from '../src/reading/reading.ts'
import { ApiError, type Receipt, uploadFile } from './api.ts'
import { t } from './texts.ts'

export type Phase = 'ready' | 'waiting' | 'sending' | 'processing' | 'done' | 'failed' | 'canceled'

export interface QueuedUpload {
  readonly number: number
  readonly file: File
  /** What the person declares about it; sent along. */
  readonly dialect: DeclaredDialect
  readonly phase: Phase
  readonly sentBytes: number
  /** Bytes a second, smoothed; 0 while unknown. */
  readonly rate: number
  readonly receipt: Receipt | null
  readonly error: unknown
}

/** Browsers open six connections to a server; some are for the rest of the page. */
const runningMax = 2
/** Share of the latest sample in the smoothed rate. */
const rateWeight = 0.3

export class UploadQueue {
  #uploads: readonly QueuedUpload[] = []
  readonly #listeners = new Set<() => void>()
  readonly #controllers = new Map<number, AbortController>()
  #lastNumber = 0

  constructor() {
    // Only while something would be lost.
    addEventListener('beforeunload', (event) => {
      if (this.#uploads.some(({ phase }) => phase === 'sending' || phase === 'waiting')) event.preventDefault()
    })
    addEventListener('online', () => {
      for (const upload of this.#uploads) if (isLost(upload.error)) this.retry(upload.number)
    })
  }

  get uploads(): readonly QueuedUpload[] {
    return this.#uploads
  }

  /** Calls back after every change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Nothing is sent before the person says so. */
  add(files: Iterable<File>): void {
    for (const file of files) {
      const number = ++this.#lastNumber
      const error = file.size === 0 ? new Error(t.emptyFile) : null
      const phase = error === null ? 'ready' : 'failed'
      const fresh = { number, file, dialect: {}, phase, sentBytes: 0, rate: 0, receipt: null, error } as const
      this.#uploads = [...this.#uploads, fresh]
    }
    this.#changed()
  }

  setDialect(number: number, dialect: DeclaredDialect): void {
    this.#update(number, { dialect })
  }

  send(...numbers: readonly number[]): void {
    for (const number of numbers) this.#update(number, { phase: 'waiting' })
    this.#startNext()
  }

  cancel(number: number): void {
    this.#controllers.get(number)?.abort(new Error(t.canceled))
    this.#update(number, { phase: 'canceled' })
    this.#startNext()
  }

  retry(number: number): void {
    this.#update(number, { phase: 'waiting', error: null, sentBytes: 0, rate: 0 })
    this.#startNext()
  }

  remove(number: number): void {
    this.#uploads = this.#uploads.filter((upload) => upload.number !== number)
    this.#changed()
  }

  #startNext(): void {
    const running = this.#uploads.filter(({ phase }) => phase === 'sending' || phase === 'processing').length
    const waiting = this.#uploads.filter(({ phase }) => phase === 'waiting')
    for (const upload of waiting.slice(0, Math.max(0, runningMax - running))) void this.#run(upload)
  }

  async #run({ number, file, dialect }: QueuedUpload): Promise<void> {
    const controller = new AbortController()
    this.#controllers.set(number, controller)
    this.#update(number, { phase: 'sending' })
    const meter = new RateMeter()
    try {
      const receipt = await uploadFile(
        file,
        dialect,
        ({ sentBytes, totalBytes }) => {
          const phase = sentBytes >= totalBytes ? 'processing' : 'sending'
          this.#update(number, { sentBytes: Math.min(sentBytes, file.size), rate: meter.rate(sentBytes), phase })
        },
        controller.signal,
      )
      this.#update(number, { phase: 'done', receipt, sentBytes: file.size })
    } catch (error) {
      if (!controller.signal.aborted) this.#update(number, { phase: 'failed', error })
    }
    this.#startNext()
  }

  #update(number: number, change: Partial<QueuedUpload>): void {
    this.#uploads = this.#uploads.map((upload) => (upload.number === number ? { ...upload, ...change } : upload))
    this.#changed()
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

function isLost(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

class RateMeter {
  #lastMs = performance.now()
  #lastBytes = 0
  #rate = 0

  rate(bytes: number): number {
    const nowMs = performance.now()
    const elapsedMs = nowMs - this.#lastMs
    if (elapsedMs < 200) return this.#rate
    const sample = ((bytes - this.#lastBytes) / elapsedMs) * 1_000
    this.#rate = this.#rate === 0 ? sample : this.#rate * (1 - rateWeight) + sample * rateWeight
    this.#lastMs = nowMs
    this.#lastBytes = bytes
    return this.#rate
  }
}
