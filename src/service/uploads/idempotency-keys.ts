// Idempotency keys: the response for each key that a client has chosen, kept for a day (draft-ietf-httpapi-idempotency-key-header).
import { createHash } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { Note } from '../../core/notes.ts'
import type { Upload } from '../../core/receipt.ts'
import { LineJournal } from '../../io/line-journal.ts'
import type { UploadReply } from '../upload-reply.ts'

/**
 * What is remembered of an upload that was answered with its receipt. The receipt itself is stored with its dataset.
 */
export interface KeptAnswer {
  readonly upload: Upload
  readonly notes: readonly Note[]
}

/** A key in use by one request, until it is released. Releasing twice does no harm. */
export interface HeldKey {
  /** The earlier response to this key; null for a new key. */
  readonly answer: KeptAnswer | null
  /** Why the key cannot be used; null if it can. */
  readonly refusal: ServiceError | null
  /** Remembers the response; durable when it resolves. */
  keep(reply: UploadReply): Promise<void>
  release(): void
}

/** Whose key it is: another API key of the owner learns nothing by it. */
interface KeySender {
  readonly owner: string
  /** Name of the API key or token. */
  readonly sender: string
}

interface Entry extends KeptAnswer {
  /** Hash of sender and key. */
  readonly hash: string
  /** Epoch milliseconds. */
  readonly at: number
}

interface Remembered {
  readonly line: string
  readonly entry: Entry
}

const keepMs = 24 * 3_600_000
/** Beyond this number, the oldest keys of the owner with the most are forgotten first. */
const keysMax = 20_000
/** Total size of all lines. */
const bytesMax = 16 * 1_048_576
/** A response with longer notes is not remembered; a repeated request is then answered as a duplicate. */
const lineBytesMax = 65_536
/** Forgotten keys stay in the file until it has this many spare bytes. */
const spareBytes = 4 * 1_048_576

/** The methods of a pino logger that are used here. */
interface KeyLogger {
  error(fields: object, message: string): void
}

export class IdempotencyKeys implements AsyncDisposable {
  readonly #logger: KeyLogger
  readonly #held = new Set<string>()
  /** Oldest first. */
  readonly #kept = new Map<string, Remembered>()
  readonly #countOf = new Map<string, number>()
  #bytes = 0
  // Set by `open`, before the object is handed out.
  #journal!: LineJournal

  private constructor(logger: KeyLogger) {
    this.#logger = logger
  }

  /** @param path Of the file in which keys are remembered. */
  static async open(path: string, logger: KeyLogger): Promise<IdempotencyKeys> {
    const keys = new IdempotencyKeys(logger)
    keys.#journal = await LineJournal.open(path, (lines) => {
      for (const line of lines) keys.#read(line)
      keys.#sweep()
      return keys.#lines()
    })
    return keys
  }

  /** Does not throw: other errors, for which the body is needed, come before a refused key. */
  hold({ owner, sender }: KeySender, key: string | ServiceError): HeldKey {
    if (typeof key !== 'string') return refusedKey(key)
    this.#sweep()
    const hash = createHash('sha256')
      .update(JSON.stringify([owner, sender, key]))
      .digest('hex')
    if (this.#held.has(hash)) return refusedKey(new ServiceError('IDEMPOTENCY_KEY_IN_USE', {}))
    this.#held.add(hash)
    let isHeld = true
    const release = () => {
      if (isHeld) this.#held.delete(hash)
      isHeld = false
    }
    return {
      answer: this.#kept.get(hash)?.entry ?? null,
      refusal: null,
      keep: ({ upload, notes }) => this.#keep({ hash, at: Date.now(), upload, notes }),
      release,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal[Symbol.asyncDispose]()
  }

  async #keep(entry: Entry): Promise<void> {
    const line = JSON.stringify(entry)
    if (Buffer.byteLength(line) > lineBytesMax) return
    this.#remember({ line, entry })
    try {
      await this.#journal.add(line)
      await this.#journal.replaceBeyond(2 * this.#bytes + spareBytes, () => this.#lines())
    } catch (error) {
      // The upload exists, and so its key is kept until a restart.
      this.#logger.error({ err: error }, 'cannot remember an idempotency key across a restart')
    }
  }

  #read(line: string): void {
    // Our own lines; one that a disk has damaged is skipped.
    try {
      this.#remember({ line, entry: JSON.parse(line) as Entry })
    } catch {}
  }

  #lines(): readonly string[] {
    return [...this.#kept.values()].map(({ line }) => line)
  }

  #remember(one: Remembered): void {
    this.#forget(one.entry.hash)
    this.#kept.set(one.entry.hash, one)
    this.#count(one, 1)
    while (this.#kept.size > keysMax || this.#bytes > bytesMax) this.#forgetOne()
  }

  #sweep(): void {
    const before = Date.now() - keepMs
    for (const [hash, { entry }] of this.#kept) {
      if (entry.at > before) return
      this.#forget(hash)
    }
  }

  #forgetOne(): void {
    const [owner] = [...this.#countOf].reduce((most, one) => (one[1] > most[1] ? one : most))
    const oldest = this.#kept.values().find(({ entry }) => entry.upload.owner === owner)
    if (oldest !== undefined) this.#forget(oldest.entry.hash)
  }

  #forget(hash: string): void {
    const one = this.#kept.get(hash)
    if (one === undefined) return
    this.#kept.delete(hash)
    this.#count(one, -1)
  }

  #count({ line, entry }: Remembered, change: 1 | -1): void {
    const { owner } = entry.upload
    const count = (this.#countOf.get(owner) ?? 0) + change
    if (count === 0) this.#countOf.delete(owner)
    else this.#countOf.set(owner, count)
    this.#bytes += change * (Buffer.byteLength(line) + 1)
  }
}

function refusedKey(refusal: ServiceError): HeldKey {
  return { answer: null, refusal, keep: async () => {}, release() {} }
}
