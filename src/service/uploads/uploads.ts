// Uploads: those in progress, and ended ones. Each owner sees their own.
import { once } from 'node:events'
import { ServiceError } from '../../core/errors.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import { clientOf, FairPlaces } from '../fair-places.ts'
import type { OwnUploads, UploadPage, UploadsQuery, UploadWatch } from '../service.ts'
import { type EndedUploads, newestOf } from './ended-uploads.ts'
import { LiveUpload, type NewUpload } from './live-upload.ts'

export interface UploadsLimits {
  /** How long an upload is remembered after its end. Milliseconds. */
  readonly uploadsKeepMs: number
}

/** Requests that may wait for changes at once. A single client gets three quarters of them. */
const watchersMax = 1_000
const placesPerFreePlace = 3

export class Uploads {
  readonly #limits: UploadsLimits
  readonly #ended: EndedUploads
  readonly #onEnd: (status: UploadStatus) => void
  readonly #live = new Map<string, LiveUpload>()
  readonly #endListeners = new Set<(status: UploadStatus) => void>()
  readonly #watchers = new FairPlaces(watchersMax, placesPerFreePlace)

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
  hasEnded(owner: string, id: string): boolean {
    return this.#ended.get(owner, id) !== null
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

  /** What an owner may see and cancel. @param sender Only what this key has sent; null for all. */
  of(owner: string, sender: string | null = null): OwnUploads {
    const get = (id: string) => this.#get(owner, sender, id)
    return {
      get,
      list: (query) => this.#list(owner, { ...query, sender }),
      watch: (id, network) => this.#watch(get(id), clientOf(owner, network)),
      watchAll: (network, onEnd) => {
        const isShown = (one: UploadStatus) => one.owner === owner && (sender === null || one.sender === sender)
        return this.#watchAll(isShown, clientOf(owner, network), onEnd)
      },
      remove: async (id) => this.#remove(get(id)),
    }
  }

  #get(owner: string, sender: string | null, id: string): UploadStatus {
    const status = this.#live.get(id)?.status() ?? this.#ended.get(owner, id)
    const isShown = status?.owner === owner && (sender === null || status.sender === sender)
    if (status === null || !isShown) throw new ServiceError('UPLOAD_NOT_FOUND', { id })
    return status
  }

  async #remove({ id }: UploadStatus): Promise<void> {
    await (this.#live.get(id)?.cancel() ?? this.#ended.remove(id))
  }

  #hold(client: string): () => void {
    if (!this.#watchers.hasPlaceFor(client)) throw new ServiceError('TOO_MANY_WATCHERS', { limit: watchersMax })
    return this.#watchers.hold(client)
  }

  #watchAll(isShown: (one: UploadStatus) => boolean, client: string, onEnd: (status: UploadStatus) => void) {
    const release = this.#hold(client)
    const listener = (status: UploadStatus) => isShown(status) && onEnd(status)
    this.#endListeners.add(listener)
    const dispose = () => {
      this.#endListeners.delete(listener)
      release()
    }
    const live = () => [...this.#live.values()].map((one) => one.status()).filter(isShown)
    return { live, [Symbol.dispose]: dispose }
  }

  #watch(first: UploadStatus, client: string): UploadWatch {
    const release = this.#hold(client)
    const { id, owner } = first
    let last = first
    return {
      status: () => this.#live.get(id)?.status() ?? last,
      changed: async (version, signal) => {
        last = (await this.#live.get(id)?.changed(version, signal)) ?? this.#ended.get(owner, id) ?? last
        // One that is forgotten in the meantime no longer changes.
        if (last.version === version && !isFinished(last) && !signal.aborted) await once(signal, 'abort')
        return last
      },
      [Symbol.dispose]: release,
    }
  }

  #list(owner: string, query: UploadsQuery): UploadPage {
    const { limit } = query
    const live = this.#live.values().map((one) => one.status())
    const newest = newestOf([...live, ...this.#ended.all()], owner, query)
    const uploads = newest.slice(0, limit)
    return { uploads, after: newest.length > limit ? (uploads.at(-1)?.id ?? null) : null }
  }

  #end(status: UploadStatus): void {
    this.#live.delete(status.id)
    this.#ended.add(status)
    this.#onEnd(status)
    for (const listener of this.#endListeners) listener(status)
  }
}
