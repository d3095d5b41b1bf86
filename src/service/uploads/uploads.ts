// Uploads: every upload of this process, those in progress and those that have ended. Bounded in number, bytes and time.
import { ServiceError } from '../../core/errors.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import type { OwnUploads, UploadPage, UploadsQuery, UploadWatch } from '../service.ts'
import { clientOf, SharedPlaces } from '../shared-places.ts'
import { LiveUpload, type NewUpload } from './live-upload.ts'

export interface UploadsLimits {
  /** How long an upload is remembered after its end. Milliseconds. */
  readonly uploadsKeepMs: number
}

/** Uploads that have ended, at most: of those who have the most, the oldest are forgotten first. */
const finishedMax = 10_000
/** What they hold, as JSON. Bytes: a name may be long, and columns may be many. */
const finishedBytesMax = 16 * 1_048_576
const sweepEveryMs = 60_000
/** Requests that wait for changes at once. One client gets three quarters of them when it is alone. */
const watchersMax = 1_000
const placesPerFreePlace = 3

interface Finished {
  readonly status: UploadStatus
  readonly bytes: number
}

export class Uploads implements Disposable {
  readonly #limits: UploadsLimits
  readonly #onEnd: (status: UploadStatus) => void
  readonly #live = new Map<string, LiveUpload>()
  /** In the order in which they ended, which is that in which they expire. */
  readonly #finished = new Map<string, Finished>()
  readonly #heldBy = new Map<string, { count: number; bytes: number }>()
  readonly #watchers = new SharedPlaces(watchersMax, placesPerFreePlace)
  readonly #sweeping: NodeJS.Timeout
  #finishedBytes = 0

  /** @param onEnd Called with the last status of each upload. */
  constructor(limits: UploadsLimits, onEnd: (status: UploadStatus) => void = () => {}) {
    this.#limits = limits
    this.#onEnd = onEnd
    this.#sweeping = setInterval(() => this.#sweep(), sweepEveryMs).unref()
  }

  /** Starts to report an upload; it is in progress until its end is reported. */
  begin(upload: NewUpload): LiveUpload {
    const live = new LiveUpload(upload, (status) => this.#end(status))
    this.#live.set(upload.id, live)
    return live
  }

  /** When an upload that ends now is forgotten. Epoch milliseconds. */
  expiresAt(): number {
    return Date.now() + this.#limits.uploadsKeepMs
  }

  /** What an owner may see and cancel. */
  of(owner: string): OwnUploads {
    return {
      get: (id) => this.#get(owner, id),
      list: (query) => this.#list(owner, query),
      watch: (id, network) => this.#watch(this.#get(owner, id), clientOf(owner, network)),
      remove: async (id) => {
        const status = this.#get(owner, id)
        if (isFinished(status)) this.#forget(status.id)
        else await this.#live.get(status.id)?.cancel()
      },
    }
  }

  /** One in progress; null for one that has ended. @throws {ServiceError} UPLOAD_NOT_FOUND */
  live(owner: string, id: string): LiveUpload | null {
    this.#get(owner, id)
    return this.#live.get(id) ?? null
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweeping)
  }

  #get(owner: string, id: string): UploadStatus {
    this.#sweep()
    const status = this.#live.get(id)?.status() ?? this.#finished.get(id)?.status
    if (status === undefined || status.owner !== owner) throw new ServiceError('UPLOAD_NOT_FOUND', { id })
    return status
  }

  #watch(status: UploadStatus, client: string): UploadWatch {
    if (!this.#watchers.hasPlaceFor(client)) throw new ServiceError('TOO_MANY_WATCHERS', { limit: watchersMax })
    const release = this.#watchers.hold(client)
    const live = this.#live.get(status.id)
    return {
      status: () => live?.status() ?? status,
      changed: async (version, signal) => (await live?.changed(version, signal)) ?? status,
      [Symbol.dispose]: release,
    }
  }

  #list(owner: string, { limit, after, idempotencyKey }: UploadsQuery): UploadPage {
    this.#sweep()
    const all = [
      ...this.#live.values().map((live) => live.status()),
      ...this.#finished.values().map(({ status }) => status),
    ]
    const own = all.filter((one) => one.owner === owner && (after === null || one.id < after))
    const named = own.filter((one) => idempotencyKey === null || one.idempotencyKey === idempotencyKey)
    // Ids sort by time.
    named.sort((one, other) => (one.id < other.id ? 1 : -1))
    const uploads = named.slice(0, limit)
    return { uploads, after: named.length > limit ? (uploads.at(-1)?.id ?? null) : null }
  }

  #end(status: UploadStatus): void {
    this.#live.delete(status.id)
    const bytes = Buffer.byteLength(JSON.stringify(status))
    this.#finished.set(status.id, { status, bytes })
    this.#count(status.owner, 1, bytes)
    while (this.#finished.size > finishedMax || this.#finishedBytes > finishedBytesMax) this.#forgetOne()
    this.#sweep()
    this.#onEnd(status)
  }

  #sweep(): void {
    const now = Date.now()
    for (const { status } of this.#finished.values()) {
      if ((status.expiresAt ?? now) > now) return
      this.#forget(status.id)
    }
  }

  /** Of the owner that holds most. */
  #forgetOne(): void {
    const [owner] = [...this.#heldBy].reduce((most, one) => (one[1].bytes > most[1].bytes ? one : most))
    const oldest = this.#finished.values().find(({ status }) => status.owner === owner)
    if (oldest !== undefined) this.#forget(oldest.status.id)
  }

  #forget(id: string): void {
    const finished = this.#finished.get(id)
    if (finished === undefined) return
    this.#finished.delete(id)
    this.#count(finished.status.owner, -1, -finished.bytes)
  }

  #count(owner: string, count: number, bytes: number): void {
    const held = this.#heldBy.get(owner) ?? { count: 0, bytes: 0 }
    held.count += count
    held.bytes += bytes
    this.#finishedBytes += bytes
    if (held.count === 0) this.#heldBy.delete(owner)
    else this.#heldBy.set(owner, held)
  }
}
