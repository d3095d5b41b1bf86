// Ended uploads: the last status of ended uploads, in a file of this process, across restarts.
import type { Log } from '../../core/log.ts'
import type { UploadStatus } from '../../core/upload-status.ts'
import type { UploadsQuery } from '../service.ts'
import { OwnedEntries } from './owned-entries.ts'

const countMax = 10_000
/**
 * A status that nobody waits for is written after this time, with all others up to then: a sync for each small upload
 * would be expensive.
 */
const gatherMs = 1_000

export class EndedUploads implements AsyncDisposable {
  readonly #entries: OwnedEntries<UploadStatus>
  readonly #logger: Pick<Log, 'error'>
  /** Lines that are not written yet. */
  #due: string[] = []
  #gathering: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()

  private constructor(entries: OwnedEntries<UploadStatus>, logger: Pick<Log, 'error'>) {
    this.#entries = entries
    this.#logger = logger
  }

  /** @param path Of the file in which they are remembered. */
  static async open(path: string, logger: Pick<Log, 'error'>): Promise<EndedUploads> {
    const options = {
      countMax,
      idOf: ({ id }: UploadStatus) => id,
      ownerOf: ({ owner }: UploadStatus) => owner,
      isExpired,
    }
    return new EndedUploads(await OwnedEntries.open(path, options), logger)
  }

  /** Null if it is unknown, or belongs to another owner. `id` may be any text. */
  get(owner: string, id: string): UploadStatus | null {
    const status = this.#entries.get(id)
    return status?.owner === owner ? status : null
  }

  /** In no order; expired ones may be among them. */
  all(): readonly UploadStatus[] {
    return this.#entries.all()
  }

  /** Remembers it: known immediately, durable a second later, or once `write` resolves. */
  add(status: UploadStatus): void {
    const line = this.#entries.add(status)
    if (line !== null) this.#due.push(line)
    this.#gathering ??= setTimeout(() => void this.write(), gatherMs).unref()
  }

  /** Durable when it resolves. */
  async remove(id: string): Promise<void> {
    const line = this.#entries.remove(id)
    if (line === null) return
    this.#due.push(line)
    await this.write()
  }

  /**
   * Resolves when every status is as durable as the disk allows. Never rejects: the uploads have ended all the same.
   */
  async write(): Promise<void> {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    // Also waits for what earlier calls have taken; the result must not hold theirs.
    this.#last = Promise.all([this.#last, this.#writeLines(this.#due.splice(0))]).then(() => {})
    await this.#last
  }

  async #writeLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    await this.#entries.write(lines).catch((error: unknown) => {
      this.#logger.error({ err: error }, 'cannot remember the ends of uploads across a restart')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.write()
    await this.#entries[Symbol.asyncDispose]()
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
