// Idempotency keys: the response for each key that a client has chosen, kept for a day (draft-ietf-httpapi-idempotency-key-header).

import { createHash } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Note } from '../../core/notes.ts'
import type { Upload } from '../../core/receipt.ts'
import type { UploadReply } from '../service.ts'
import { OwnedEntries } from './owned-entries.ts'

/**
 * What is remembered of an upload that was answered with its receipt. The receipt itself is stored with its dataset.
 */
export interface KeptResponse {
  readonly upload: Upload
  readonly notes: readonly Note[]
}

/** A key in use by one request, until it is released. Releasing twice does no harm. */
export interface HeldKey {
  /** The earlier response to this key; null for a new key. */
  readonly answer: KeptResponse | null
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

interface Entry extends KeptResponse {
  /** Hash of sender and key. */
  readonly hash: string
  /** Epoch milliseconds. */
  readonly at: number
}

const keepMs = 24 * 3_600_000
const countMax = 20_000
/** A response with longer notes is not remembered; a repeated request is then answered as a duplicate. */
const lineBytesMax = 65_536

export class IdempotencyKeys implements AsyncDisposable {
  readonly #entries: OwnedEntries<Entry>
  readonly #logger: Pick<Log, 'error'>
  readonly #held = new Set<string>()

  private constructor(entries: OwnedEntries<Entry>, logger: Pick<Log, 'error'>) {
    this.#entries = entries
    this.#logger = logger
  }

  /** @param path Of the file in which keys are remembered. */
  static async open(path: string, logger: Pick<Log, 'error'>): Promise<IdempotencyKeys> {
    const options = {
      countMax,
      idOf: ({ hash }: Entry) => hash,
      ownerOf: ({ upload }: Entry) => upload.owner,
      isExpired: ({ at }: Entry) => at <= Date.now() - keepMs,
    }
    return new IdempotencyKeys(await OwnedEntries.open(path, options), logger)
  }

  /** Does not throw: other errors, for which the body is needed, come before a refused key. */
  hold({ owner, sender }: KeySender, key: string | ServiceError): HeldKey {
    if (typeof key !== 'string') return refusedKey(key)
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
      answer: this.#entries.get(hash),
      refusal: null,
      keep: ({ upload, notes }) => this.#keep({ hash, at: Date.now(), upload, notes }),
      release,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#entries[Symbol.asyncDispose]()
  }

  async #keep(entry: Entry): Promise<void> {
    if (Buffer.byteLength(JSON.stringify(entry)) > lineBytesMax) return
    const line = this.#entries.add(entry)
    await this.#entries.write(line === null ? [] : [line]).catch((error: unknown) => {
      // The upload exists, and so its key is kept until a restart.
      this.#logger.error({ err: error }, 'cannot remember an idempotency key across a restart')
    })
  }
}

function refusedKey(refusal: ServiceError): HeldKey {
  return { answer: null, refusal, keep: async () => {}, release() {} }
}
