// Other replicas: the unfinished uploads of all processes on a store, and which of them have been abandoned.
import { isFinished, type UploadStatus } from '../../core/upload-status.ts'
import { forEachLimit } from '../../io/for-each-limit.ts'
import type { SharedSpools, SpoolSight } from '../../store/store.ts'
import type { UploadDetails } from './resumable-upload.ts'
import type { HeldPlace, UnfinishedPlaces } from './unfinished-places.ts'

export interface OtherReplicasOptions {
  readonly shared: SharedSpools
  /** Uploads of other processes count here, too. */
  readonly places: UnfinishedPlaces
  /** How long an upload is kept after its last byte. Milliseconds. */
  readonly keepMs: number
  /** Whether this process has an upload. */
  readonly has: (id: string) => boolean
  /** Continues one that still has this version; resolves when that has ended. Must not reject. */
  readonly recover: (id: string, version: string) => Promise<void>
  /** Called after each scan of all of them. */
  readonly onScan: () => void
  readonly onFailed: (error: unknown) => void
}

/** The state of an upload when last seen. */
interface Seen extends Disposable {
  readonly version: string
  /** By `performance.now()`: clocks of different machines are never compared. */
  readonly sinceMs: number
  readonly isHeld: boolean
  readonly wasOurs: boolean
  readonly isComplete: boolean
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The status of an upload when last listed: requested again only if it has changed. */
interface Listed {
  readonly version: string
  readonly owner: string
  readonly status: UploadStatus
}

/** Statuses that are cached, of at most 64 KB each. */
const listedMax = 500
const looksAtOnce = 8
/** Uploads of others that are continued at once. */
const recoveredAtOnce = 2
/** Fraction of a lease between scans. */
const scanPart = 1 / 3
/** An upload that could not be stored here is left to others for this long. Milliseconds. */
const restMs = 60_000

export class OtherReplicas {
  readonly #options: OtherReplicasOptions
  readonly #seen = new Map<string, Seen>()
  /** The oldest first. */
  readonly #listed = new Map<string, Listed>()
  readonly #restsUntilMs = new Map<string, number>()
  readonly #recovering = new Set<string>()
  #timer: NodeJS.Timeout | null = null
  #scanning: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: OtherReplicasOptions) {
    this.#options = options
    this.#scanSoon(0)
  }

  /** Does not continue it for a minute. */
  rest(id: string): void {
    this.#restsUntilMs.set(id, performance.now() + restMs)
  }

  /** Status of an upload that this process does not have; null if there is none. */
  async get(owner: string, id: string): Promise<UploadStatus | null> {
    const sight = this.#options.has(id) ? null : await this.#options.shared.look(id)
    return sight?.facts.owner === owner ? statusOf(sight) : null
  }

  async list(owner: string): Promise<readonly UploadStatus[]> {
    const { shared, has } = this.#options
    const versions = await shared.list()
    for (const id of this.#listed.keys()) if (!versions.has(id)) this.#listed.delete(id)
    const statuses: UploadStatus[] = []
    await forEachLimit(versions, looksAtOnce, async ([id, version]) => {
      if (has(id)) return
      const known = this.#listed.get(id)
      const listed = known?.version === version ? known : await this.#list(id)
      if (listed?.owner === owner) statuses.push(listed.status)
    })
    return statuses
  }

  /** Starts nothing new; does not wait for uploads being continued. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#scanning
  }

  async #list(id: string): Promise<Listed | null> {
    const sight = await this.#options.shared.look(id)
    if (sight === null) return null
    const listed = { version: sight.version, owner: sight.facts.owner, status: statusOf(sight) }
    this.#listed.delete(id)
    this.#listed.set(id, listed)
    const [oldest] = this.#listed.keys()
    if (this.#listed.size > listedMax && oldest !== undefined) this.#listed.delete(oldest)
    return listed
  }

  #scanSoon(ms: number): void {
    if (this.#isClosed) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#scanning = this.#scanning.then(() => this.#scan()).catch(this.#options.onFailed)
      void this.#scanning.finally(() => this.#scanSoon(this.#options.shared.leaseMs * scanPart * (0.5 + Math.random())))
    }, ms).unref()
  }

  async #scan(): Promise<void> {
    if (this.#isClosed) return
    const { shared, has } = this.#options
    const versions = await shared.list()
    for (const id of this.#seen.keys()) if (!versions.has(id) || has(id)) this.#forget(id)
    const nowMs = performance.now()
    for (const [id, untilMs] of this.#restsUntilMs) if (untilMs < nowMs) this.#restsUntilMs.delete(id)
    const unseen = [...versions].filter(([id, version]) => !has(id) && this.#seen.get(id)?.version !== version)
    await forEachLimit(unseen, looksAtOnce, async ([id]) => {
      const sight = await shared.look(id)
      if (sight !== null && !has(id)) this.#see(sight, nowMs)
    })
    const due = [...this.#seen].filter(([id, seen]) => this.#isDue(id, seen, nowMs))
    // Processes that scan at the same time start with different ones.
    for (const [id, { version }] of due.toSorted(() => Math.random() - 0.5)) this.#recover(id, version)
    this.#options.onScan()
  }

  #see({ facts, state, version, isHeld, wasOurs }: SpoolSight, sinceMs: number): void {
    const { places, keepMs } = this.#options
    this.#forget(facts.id)
    // The service wrote them itself.
    const { client } = facts.details as UploadDetails
    const held: HeldPlace = places.hold(client, Math.max(state.bytes, state.expectedBytes ?? 0))
    const expiresAt = state.changedAt + keepMs
    const { isComplete } = state
    const seen = { version, sinceMs, isHeld, wasOurs, isComplete, expiresAt }
    this.#seen.set(facts.id, { ...seen, [Symbol.dispose]: () => held[Symbol.dispose]() })
  }

  #forget(id: string): void {
    this.#seen.get(id)?.[Symbol.dispose]()
    this.#seen.delete(id)
  }

  /** Whether the process that should work on it has died, or its client did not return in time. */
  #isDue(id: string, { isHeld, wasOurs, sinceMs, isComplete, expiresAt }: Seen, nowMs: number): boolean {
    if (this.#restsUntilMs.has(id)) return false
    // The previous process: a directory has one at a time.
    if (isHeld) return wasOurs || nowMs - sinceMs > this.#options.shared.leaseMs
    return isComplete || expiresAt < Date.now()
  }

  #recover(id: string, version: string): void {
    if (this.#recovering.size >= recoveredAtOnce || this.#recovering.has(id) || this.#isClosed) return
    this.#recovering.add(id)
    void this.#options.recover(id, version).finally(() => {
      this.#recovering.delete(id)
      // There may be more of them.
      this.#scanSoon(0)
    })
  }
}

/** The known status of an upload that another process has, or none. */
function statusOf({ facts, state, status, isHeld }: SpoolSight): UploadStatus {
  const { id, owner, createdAt } = facts
  const { form, fileName, idempotencyKey } = facts.details as UploadDetails
  const nothing = { records: null, encoding: null, dialect: null, columns: null }
  const noEnd = { datasetId: null, outcome: null, error: null, expiresAt: null }
  const begun: UploadStatus = {
    ...{ id, owner, createdAt, idempotencyKey, ...nothing, ...noEnd },
    fileName: form === null ? fileName : null,
    phase: 'receiving',
    version: state.changedAt,
    updatedAt: state.changedAt,
    bytes: { received: state.bytes, expected: state.expectedBytes },
  }
  // Only live uploads report their status. One that has just ended shows its end once that is remembered.
  const reported = status as UploadStatus | null
  if (reported === null || isFinished(reported)) return begun
  // For one that waits for its client, the durable bytes are all that has arrived.
  const received = isHeld ? Math.max(state.bytes, reported.bytes.received) : state.bytes
  return { ...reported, bytes: { ...reported.bytes, received } }
}
