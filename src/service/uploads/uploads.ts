// Uploads: those in progress, here or in another process, and ended ones. Each owner sees their own.
import { setTimeout } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.ts'
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import type { OwnUploads, UploadPage, UploadsQuery, UploadWatch } from '../service.ts'
import { clientOf, SharedPlaces } from '../shared-places.ts'
import { type Ends, newestOf } from './ends.ts'
import { LiveUpload, type NewUpload } from './live-upload.ts'

export interface UploadsLimits {
  /** How long an upload is remembered after its end. Milliseconds. */
  readonly uploadsKeepMs: number
}

/** Uploads in progress in other processes on the same store. */
export interface OtherUploads {
  /** Null if it is unknown, or belongs to another owner. `id` may be any text. */
  get(owner: string, id: string): Promise<UploadStatus | null>
  list(owner: string): Promise<readonly UploadStatus[]>
  /** Releases an upload that waits for its client here if another process has taken it. */
  check(id: string): Promise<void>
  /**
   * Resolves when nothing of it is left; false if this process has taken it, or it has ended, in the meantime. @throws
   * {ServiceError} UPLOAD_FINISHED
   */
  cancel(owner: string, id: string): Promise<boolean>
}

/** How often other processes are asked. Milliseconds. */
const askEveryMs = 1_000

/** Requests that may wait for changes at once. A single client gets three quarters of them. */
const watchersMax = 1_000
const placesPerFreePlace = 3

export class Uploads {
  readonly #limits: UploadsLimits
  readonly #ended: Ends
  readonly #onEnd: (status: UploadStatus) => void
  readonly #live = new Map<string, LiveUpload>()
  #others: OtherUploads | null = null
  readonly #watchers = new SharedPlaces(watchersMax, placesPerFreePlace)

  /** @param onEnd Called with the last status of each upload. */
  constructor(limits: UploadsLimits, ended: Ends, onEnd: (status: UploadStatus) => void = () => {}) {
    this.#limits = limits
    this.#ended = ended
    this.#onEnd = onEnd
  }

  /** Resolves when the ends of all uploads so far survive a restart. */
  async written(): Promise<void> {
    await this.#ended.write()
  }

  /** Whether an upload has ended, and is remembered. */
  async hasEnded(owner: string, id: string): Promise<boolean> {
    return (await this.#ended.get(owner, id)) !== null
  }

  /** Includes the uploads of other processes from now on. */
  joins(others: OtherUploads): void {
    this.#others = others
  }

  /** Another process has it: nothing more is reported here. */
  abandon(id: string): void {
    const live = this.#live.get(id)
    this.#live.delete(id)
    live?.abandon()
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
      watch: async (id, network) => this.#watch(await this.#get(owner, id), clientOf(owner, network)),
      remove: (id) => this.#remove(owner, id),
    }
  }

  async #get(owner: string, id: string): Promise<UploadStatus> {
    if (this.#live.has(id)) await this.#others?.check(id)
    const live = this.#live.get(id)?.status()
    const status = live ?? (await this.#others?.get(owner, id)) ?? (await this.#ended.get(owner, id))
    if (status === null || status.owner !== owner) throw new ServiceError('UPLOAD_NOT_FOUND', { id })
    return status
  }

  async #remove(owner: string, id: string): Promise<void> {
    for (;;) {
      const live = this.#live.get(id)
      // Another process may take it, or end it, at any moment.
      if (live?.owner === owner && (await live.cancel())) return
      const status = await this.#get(owner, id)
      if (isFinished(status)) return await this.#ended.remove(owner, id)
      if (!this.#live.has(id) && (await this.#others?.cancel(owner, id))) return
    }
  }

  #watch(first: UploadStatus, client: string): UploadWatch {
    if (!this.#watchers.hasPlaceFor(client)) throw new ServiceError('TOO_MANY_WATCHERS', { limit: watchersMax })
    const release = this.#watchers.hold(client)
    const { id, owner } = first
    let last = first
    return {
      status: () => this.#live.get(id)?.status() ?? last,
      changed: async (version, signal) => {
        for (;;) {
          const live = this.#live.get(id)
          // One that is forgotten in the meantime no longer changes.
          last = (await live?.changed(version, signal)) ?? (await this.#get(owner, id).catch(() => last))
          if (last.version !== version || isFinished(last) || signal.aborted) return last
          if (!this.#live.has(id)) await pause(askEveryMs, signal)
        }
      },
      [Symbol.dispose]: release,
    }
  }

  async #list(owner: string, query: UploadsQuery): Promise<UploadPage> {
    const { limit } = query
    await Promise.all(this.#live.keys().map((id) => this.#others?.check(id)))
    const others = (await this.#others?.list(owner)) ?? []
    const ended = await this.#ended.newest(owner, query)
    const live = [...this.#live.values().map((one) => one.status())]
    // An upload that has ended in the meantime counts as ended, and one that is here counts as it is here.
    const byId = new Map([...others, ...live, ...ended].map((one) => [one.id, one]))
    const newest = newestOf([...byId.values()], owner, query)
    const uploads = newest.slice(0, limit)
    return { uploads, after: newest.length > limit ? (uploads.at(-1)?.id ?? null) : null }
  }

  #end(status: UploadStatus): void {
    this.#live.delete(status.id)
    void this.#ended.add(status).then((isFirst) => {
      if (isFirst) this.#onEnd(status)
    })
  }
}

/** Ends early when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => {})
}
