// Ended uploads: the last status of ended uploads, in a file of this process, across restarts. Bounded in number and bytes.
import type { UploadStatus } from '../../core/upload-status.ts'
import { LineJournal } from '../../io/line-journal.ts'
import type { UploadsQuery } from '../service.ts'

/** Beyond this number, the oldest uploads of the owner with the most are forgotten first. */
const countMax = 10_000
/** Size limit of their JSON, in bytes: names may be long, and columns many. */
const bytesMax = 16 * 1_048_576
const sweepEveryMs = 60_000
/**
 * A status that nobody waits for is written after this time, with all others up to then: a sync for each small upload
 * would be expensive.
 */
const gatherMs = 1_000
/** Forgotten uploads stay in the file until it has this many spare bytes. */
const spareBytes = 4 * 1_048_576

/** The methods of a pino logger that are used here. */
interface EndedLogger {
  error(fields: object, message: string): void
}

interface Ended {
  readonly status: UploadStatus
  readonly line: string
}

export class EndedUploads implements AsyncDisposable {
  readonly #logger: EndedLogger
  /** In order of their ends: that in which they expire, too, unless a restart has changed how long they are kept. */
  readonly #byId = new Map<string, Ended>()
  readonly #heldBy = new Map<string, { count: number; bytes: number }>()
  readonly #sweeping: NodeJS.Timeout
  #bytes = 0
  /** Lines that are not written yet. */
  #due: string[] = []
  #gathering: NodeJS.Timeout | null = null
  #last: Promise<void> = Promise.resolve()
  // Set by `open`, before the object is handed out.
  #journal!: LineJournal

  private constructor(logger: EndedLogger) {
    this.#logger = logger
    this.#sweeping = setInterval(() => this.#sweep(), sweepEveryMs).unref()
  }

  /** @param path Of the file in which they are remembered. */
  static async open(path: string, logger: EndedLogger): Promise<EndedUploads> {
    const ended = new EndedUploads(logger)
    ended.#journal = await LineJournal.open(path, (lines) => {
      for (const line of lines) ended.#read(line)
      ended.#sweep()
      return ended.#lines()
    })
    return ended
  }

  /** Null if it is unknown, or belongs to another owner. `id` may be any text. */
  get(owner: string, id: string): UploadStatus | null {
    this.#sweep()
    const status = this.#byId.get(id)?.status
    return status?.owner === owner && !isExpired(status) ? status : null
  }

  /** Newest first: at least one more than the query asks for, if there are that many. */
  newest(owner: string, query: UploadsQuery): readonly UploadStatus[] {
    this.#sweep()
    return newestOf([...this.#byId.values().map(({ status }) => status)], owner, query)
  }

  /** Remembers it: known at once, durable a second later, or once `write` resolves. */
  add(status: UploadStatus): void {
    const line = JSON.stringify(status)
    this.#remember({ status, line })
    if (this.#byId.has(status.id)) this.#due.push(line)
    this.#gathering ??= setTimeout(() => void this.write(), gatherMs).unref()
  }

  /** Durable when it resolves. */
  async remove(id: string): Promise<void> {
    if (!this.#byId.has(id)) return
    this.#forget(id)
    this.#due.push(JSON.stringify({ removed: id }))
    await this.write()
  }

  /**
   * Resolves when every status is as durable as the disk allows. Never rejects: the uploads have ended all the same.
   */
  write(): Promise<void> {
    if (this.#gathering !== null) clearTimeout(this.#gathering)
    this.#gathering = null
    const lines = this.#due
    this.#due = []
    // Also waits for what earlier calls have taken.
    this.#last = Promise.all([this.#last, this.#writeLines(lines)]).then(() => {})
    return this.#last
  }

  async #writeLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    try {
      await Promise.all(lines.map((line) => this.#journal.add(line)))
      await this.#journal.replaceBeyond(2 * this.#bytes + spareBytes, () => this.#lines())
    } catch (error) {
      this.#logger.error({ err: error }, 'cannot remember the ends of uploads across a restart')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping)
    await this.write()
    await this.#journal[Symbol.asyncDispose]()
  }

  #read(line: string): void {
    // Our own lines; one that a disk has damaged is skipped.
    try {
      const read = JSON.parse(line) as UploadStatus | { readonly removed: string }
      if ('removed' in read) this.#forget(read.removed)
      else this.#remember({ status: read, line })
    } catch {}
  }

  #lines(): readonly string[] {
    return [...this.#byId.values()].map(({ line }) => line)
  }

  #remember(one: Ended): void {
    this.#forget(one.status.id)
    this.#byId.set(one.status.id, one)
    this.#count(one, 1)
    while (this.#byId.size > countMax || this.#bytes > bytesMax) this.#forgetOne()
    this.#sweep()
  }

  /** Forgets expired ones up to the first that is not. */
  #sweep(): void {
    for (const { status } of this.#byId.values()) {
      if (!isExpired(status)) return
      this.#forget(status.id)
    }
  }

  /** The oldest of the owner that has the most. */
  #forgetOne(): void {
    const [owner] = [...this.#heldBy].reduce((most, one) => (one[1].bytes > most[1].bytes ? one : most))
    const oldest = this.#byId.values().find(({ status }) => status.owner === owner)
    if (oldest !== undefined) this.#forget(oldest.status.id)
  }

  #forget(id: string): void {
    const ended = this.#byId.get(id)
    if (ended === undefined) return
    this.#byId.delete(id)
    this.#count(ended, -1)
  }

  #count({ status, line }: Ended, change: 1 | -1): void {
    const bytes = change * (Buffer.byteLength(line) + 1)
    const held = this.#heldBy.get(status.owner) ?? { count: 0, bytes: 0 }
    held.count += change
    held.bytes += bytes
    this.#bytes += bytes
    if (held.count === 0) this.#heldBy.delete(status.owner)
    else this.#heldBy.set(status.owner, held)
  }
}

/** The uploads that a query selects, newest first: ids sort by time. Leaves out expired ones. */
export function newestOf(all: readonly UploadStatus[], owner: string, query: UploadsQuery): readonly UploadStatus[] {
  const { after, idempotencyKey, sender = null } = query
  return all
    .filter((one) => one.owner === owner && (after === null || one.id < after))
    .filter((one) => !isExpired(one) && (sender === null || one.sender === sender))
    .filter((one) => idempotencyKey === null || one.idempotencyKey === idempotencyKey)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
}

/** Whether the time for which it is remembered is over. */
function isExpired({ expiresAt }: Pick<UploadStatus, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}
