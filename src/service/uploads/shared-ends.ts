// Shared ends: the last status of ended uploads, as objects that every process on a store sees. Bounded in number and time.
import { setTimeout } from 'node:timers/promises'
import type { UploadStatus } from '../../core/upload-status.ts'
import type { SharedObjects } from '../../store/store.ts'
import type { UploadsQuery } from '../service.ts'
import { type Ends, isExpired, newestOf } from './ends.ts'

/** Limit for all owners; the oldest are forgotten first. There may be more until the next sweep. */
const countMax = 10_000
const sweepEveryMs = 600_000
/** Half of it is random, so that processes take turns. */
const retryMs = 5_000
/** While the store is unreachable, at most this many ends are remembered. */
const pendingMax = 1_000
/** Reads at once. */
const readsAtOnce = 16
/** These never change, so each is read once. Number of statuses. */
const cachedMax = 1_000

interface Options {
  readonly shared: SharedObjects
  /** How long each is kept. Milliseconds. */
  readonly uploadsKeepMs: number
  readonly logger: { error(fields: object, message: string): void }
}

export class SharedEnds implements Ends {
  readonly #options: Options
  /** Ends that are not written yet. */
  readonly #pending = new Map<string, { readonly status: UploadStatus; readonly written: Promise<boolean> }>()
  readonly #cached = new Map<string, UploadStatus>()
  readonly #closing = new AbortController()
  readonly #sweeping: NodeJS.Timeout

  constructor(options: Options) {
    this.#options = options
    this.#sweeping = setInterval(() => void this.sweep(), sweepEveryMs * (0.5 + Math.random())).unref()
  }

  add(status: UploadStatus): Promise<boolean> {
    const written = this.#write(status).finally(() => this.#pending.delete(status.id))
    this.#pending.set(status.id, { status, written })
    return written
  }

  async get(owner: string, id: string): Promise<UploadStatus | null> {
    const pending = this.#pending.get(id)?.status
    if (pending !== undefined) return pending.owner === owner ? pending : null
    if (!/^[0-9a-f-]{36}$/.test(id)) return null
    const found = await this.#options.shared.get(nameOf(owner, id))
    // Only `add` writes them.
    const status = found === null ? null : (JSON.parse(found.bytes.toString()) as UploadStatus)
    return status === null || isExpired(status) ? null : status
  }

  async newest(owner: string, query: UploadsQuery): Promise<readonly UploadStatus[]> {
    const { limit, after } = query
    const prefix = nameOf(owner, '')
    const names = await Array.fromAsync(this.#options.shared.list(prefix), ({ name }) => name)
    const ids = names
      .map((name) => name.slice(prefix.length))
      .filter((id) => (after === null || id < after) && !this.#pending.has(id))
      .toReversed()
    const pending = [...this.#pending.values().map(({ status }) => status)]
    const found: UploadStatus[] = []
    for (let from = 0; from < ids.length && found.length <= limit; from += readsAtOnce) {
      const read = await Promise.all(ids.slice(from, from + readsAtOnce).map((id) => this.#cachedOr(owner, id)))
      found.push(
        ...newestOf(
          read.filter((one) => one !== null),
          owner,
          query,
        ),
      )
    }
    return newestOf([...pending, ...found], owner, query)
  }

  async remove(owner: string, id: string): Promise<void> {
    await this.#pending.get(id)?.written
    this.#cached.delete(id)
    await this.#options.shared.delete([nameOf(owner, id)])
  }

  async write(): Promise<void> {
    await Promise.all(this.#pending.values().map(({ written }) => written))
  }

  /** Forgets what is too old or too much. Never rejects. */
  async sweep(now = Date.now()): Promise<void> {
    const { shared, uploadsKeepMs, logger } = this.#options
    try {
      const all = await Array.fromAsync(shared.list('ended/'))
      const newest = all.toSorted((one, other) => other.changedAt - one.changedAt)
      const old = newest.filter(({ changedAt }, at) => at >= countMax || changedAt + uploadsKeepMs < now)
      await shared.delete(old.map(({ name }) => name))
    } catch (error) {
      logger.error({ err: error }, 'cannot forget the ends of uploads: tried again in some minutes')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping)
    this.#closing.abort()
    await this.write()
  }

  async #cachedOr(owner: string, id: string): Promise<UploadStatus | null> {
    const cached = this.#cached.get(id)
    const status = cached ?? (await this.get(owner, id))
    if (cached !== undefined || status === null) return status
    this.#cached.set(id, status)
    const [oldest] = this.#cached.keys()
    if (this.#cached.size > cachedMax && oldest !== undefined) this.#cached.delete(oldest)
    return status
  }

  /** False also if it could not be written before the process ends: another process then ends the upload. */
  async #write(status: UploadStatus): Promise<boolean> {
    const { shared, logger } = this.#options
    for (;;) {
      try {
        const bytes = Buffer.from(JSON.stringify(status))
        return (await shared.write(nameOf(status.owner, status.id), bytes, null)) !== null
      } catch (error) {
        logger.error({ err: error, id: status.id }, 'cannot tell other processes that an upload has ended')
        if (this.#closing.signal.aborted || this.#pending.size > pendingMax) return false
        await setTimeout(retryMs * (0.5 + Math.random() / 2), null, this.#closing).catch(() => {})
      }
    }
  }
}

function nameOf(owner: string, id: string): string {
  return `ended/o${Buffer.from(owner).toString('base64url')}/${id}`
}
