// Upload queue: files on their way, two at a time, each with its phase, rate and outcome. Knows no element.
import { ApiError, type Receipt, uploadFile } from './api.ts'
import { t } from './texts.ts'

export type Phase = 'waiting' | 'sending' | 'processing' | 'done' | 'failed' | 'canceled'

export interface QueuedUpload {
  readonly number: number
  readonly file: File
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

  async add(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const number = ++this.#lastNumber
      const error = await problemOf(file)
      const phase = error === null ? 'waiting' : 'failed'
      this.#uploads = [...this.#uploads, { number, file, phase, sentBytes: 0, rate: 0, receipt: null, error }]
      this.#changed()
    }
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

  async #run({ number, file }: QueuedUpload): Promise<void> {
    const controller = new AbortController()
    this.#controllers.set(number, controller)
    this.#update(number, { phase: 'sending' })
    const meter = new RateMeter()
    try {
      const receipt = await uploadFile(
        file,
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

/** First bytes of files that people take for CSV because of their name. */
const signatures: readonly (readonly [string, readonly number[]])[] = [
  ['an Excel workbook or another ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['an old Excel workbook', [0xd0, 0xcf, 0x11, 0xe0]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46]],
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a JPEG image', [0xff, 0xd8, 0xff]],
  ['a 7z archive', [0x37, 0x7a, 0xbc, 0xaf]],
]

/** Why a file need not be sent at all; null for every other. */
async function problemOf(file: File): Promise<Error | null> {
  if (file.size === 0) return new Error(t.emptyFile)
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer())
  const found = signatures.find(([, bytes]) => bytes.every((byte, index) => head[index] === byte))
  return found === undefined ? null : new Error(t.notCsv(found[0]))
}
