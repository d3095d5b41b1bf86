// Uploads: those in progress in this process, and those that have ended. Each owner sees their own.
import { ServiceError } from '../../core/errors.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import type { OwnUploads, UploadPage, UploadsQuery, UploadWatch } from '../service.ts'
import { clientOf, SharedPlaces } from '../shared-places.ts'
import type { EndedUploads } from './ended-uploads.ts'
import { LiveUpload, type NewUpload } from './live-upload.ts'

export interface UploadsLimits {
  /** How long an upload is remembered after its end. Milliseconds. */
  readonly uploadsKeepMs: number
}

/** Requests that wait for changes at once. One client gets three quarters of them when it is alone. */
const watchersMax = 1_000
const placesPerFreePlace = 3

export class Uploads {
  readonly #limits: UploadsLimits
  readonly #ended: EndedUploads
  readonly #onEnd: (status: UploadStatus) => void
  readonly #live = new Map<string, LiveUpload>()
  readonly #watchers = new SharedPlaces(watchersMax, placesPerFreePlace)

  /** @param onEnd Called with the last status of each upload. */
  constructor(limits: UploadsLimits, ended: EndedUploads, onEnd: (status: UploadStatus) => void = () => {}) {
    this.#limits = limits
    this.#ended = ended
    this.#onEnd = onEnd
  }

  /** Resolves when the ends of all uploads so far survive a restart. */
  async written(): Promise<void> {
    await this.#ended.write()
  }

  /** Whether an upload has ended, and is remembered. */
  hasEnded(id: string): boolean {
    return this.#ended.get(id) !== undefined
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
        if (isFinished(status)) await this.#ended.remove(status.id)
        else await this.#live.get(status.id)?.cancel()
      },
    }
  }

  /** One in progress; null for one that has ended. @throws {ServiceError} UPLOAD_NOT_FOUND */
  live(owner: string, id: string): LiveUpload | null {
    this.#get(owner, id)
    return this.#live.get(id) ?? null
  }

  #get(owner: string, id: string): UploadStatus {
    const status = this.#live.get(id)?.status() ?? this.#ended.get(id)
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
    const all = [...this.#live.values().map((live) => live.status()), ...this.#ended.all()]
    const own = all.filter((one) => one.owner === owner && (after === null || one.id < after))
    const named = own.filter((one) => idempotencyKey === null || one.idempotencyKey === idempotencyKey)
    // Ids sort by time.
    named.sort((one, other) => (one.id < other.id ? 1 : -1))
    const uploads = named.slice(0, limit)
    return { uploads, after: named.length > limit ? (uploads.at(-1)?.id ?? null) : null }
  }

  #end(status: UploadStatus): void {
    this.#live.delete(status.id)
    this.#ended.add(status)
    this.#onEnd(status)
  }
}
