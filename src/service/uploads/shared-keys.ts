// Shared keys: the response for each key that a client has chosen, at every process on a store, for a day. One object per key.
import { createHash, randomUUID } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { SharedObjects, SharedSpools } from '../../store/store.ts'
import type { UploadReply } from '../upload-reply.ts'
import type { HeldKey, KeptAnswer, Keys } from './idempotency-keys.ts'

interface SharedKeysOptions {
  readonly shared: SharedObjects
  readonly spools: Pick<SharedSpools, 'look' | 'leaseMs'>
  readonly logger: { error(fields: object, message: string): void }
}

/**
 * Content of the object of a key. `turn` makes each one unique: between two writers of the same bytes, nobody knows who
 * was first.
 */
type Kept =
  | { readonly kind: 'held'; readonly turn: string; readonly uploadId: string | null }
  | { readonly kind: 'free'; readonly turn: string }
  | ({ readonly kind: 'answered'; readonly at: number } & KeptAnswer)

const keepMs = 24 * 3_600_000
const sweepEveryMs = 3_600_000
/** A response with longer notes is not remembered; a repeated request is then answered as a duplicate. */
const answerBytesMax = 65_536
const takesMax = 5
const prefix = 'keys/'
/** Keys of others that were seen in use. */
const seenMax = 1_000

/**
 * A request that holds a key renews its object. A key in use that has not changed for a whole lease, by the clock of
 * the process that asks, was left by a process that has died. The key of an upload in several requests is in use for as
 * long as the upload exists, whichever process has it.
 */
export class SharedKeys implements Keys {
  readonly #options: SharedKeysOptions
  readonly #held = new Set<string>()
  /** Keys that are just being released. */
  readonly #freeing = new Map<string, Promise<void>>()
  readonly #seen = new Map<string, { readonly version: string; readonly sinceMs: number }>()
  readonly #sweeping: NodeJS.Timeout

  constructor(options: SharedKeysOptions) {
    this.#options = options
    this.#sweeping = setInterval(() => void this.sweep(), sweepEveryMs * (0.5 + Math.random())).unref()
  }

  async hold(owner: string, key: string, uploadId: string | null = null): Promise<HeldKey> {
    const name = prefix + hashOf(owner, key)
    if (this.#held.has(name)) throw new ServiceError('IDEMPOTENCY_KEY_IN_USE', {})
    this.#held.add(name)
    try {
      await this.#freeing.get(name)
      const { version, answer } = await this.#take(name, uploadId)
      const held = new SharedKey(this.#options, { name, version, answer })
      if (answer === null && uploadId === null) held.renew()
      return this.#returning(name, held)
    } catch (error) {
      this.#held.delete(name)
      throw error
    }
  }

  /** Forgets what is older than a day. Never rejects. */
  async sweep(now = Date.now()): Promise<void> {
    const { shared, logger } = this.#options
    try {
      const old: string[] = []
      for await (const { name, changedAt } of shared.list(prefix)) if (changedAt + keepMs < now) old.push(name)
      await shared.delete(old)
    } catch (error) {
      logger.error({ err: error }, 'cannot forget old idempotency keys: tried again in an hour')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping)
    await Promise.all(this.#freeing.values())
  }

  #returning(name: string, held: SharedKey): HeldKey {
    let isHeld = true
    const giveBack = (work: () => Promise<void>) => {
      if (!isHeld) return
      isHeld = false
      this.#held.delete(name)
      const freeing = work().finally(() => {
        if (this.#freeing.get(name) === freeing) this.#freeing.delete(name)
      })
      this.#freeing.set(name, freeing)
    }
    return {
      answer: held.answer,
      keep: (reply) => held.keep(reply),
      belongsTo: (id) => held.belongsTo(id),
      leave: () => giveBack(() => held.stop()),
      release: () => giveBack(() => held.free()),
    }
  }

  /** @throws {ServiceError} IDEMPOTENCY_KEY_IN_USE, STORE_UNAVAILABLE, STORE_FAILED */
  async #take(name: string, uploadId: string | null) {
    const { shared } = this.#options
    for (let tries = 0; tries < takesMax; tries += 1) {
      const found = await shared.get(name)
      const version = found?.version ?? null
      // Only processes like this one write them.
      const kept = found === null ? null : (JSON.parse(found.bytes.toString()) as Kept)
      if (version !== null && kept?.kind === 'answered' && kept.at + keepMs > Date.now()) {
        return { version, answer: { upload: kept.upload, notes: kept.notes } }
      }
      if (version !== null && kept?.kind === 'held') {
        if (uploadId !== null && kept.uploadId === uploadId) return { version, answer: null }
        if (await this.#isInUse(name, version, kept.uploadId)) break
      }
      const taken = await shared.write(name, textOf({ kind: 'held', turn: randomUUID(), uploadId }), version)
      if (taken !== null) return { version: taken, answer: null }
    }
    throw new ServiceError('IDEMPOTENCY_KEY_IN_USE', {})
  }

  async #isInUse(name: string, version: string, uploadId: string | null): Promise<boolean> {
    if (uploadId !== null) return (await this.#options.spools.look(uploadId)) !== null
    const known = this.#seen.get(name)
    const nowMs = performance.now()
    if (known?.version === version) return nowMs - known.sinceMs <= this.#options.spools.leaseMs
    this.#seen.delete(name)
    this.#seen.set(name, { version, sinceMs: nowMs })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > seenMax && oldest !== undefined) this.#seen.delete(oldest)
    return true
  }
}

/** The object of a key that this process holds. Another process that writes it takes the key. */
class SharedKey {
  readonly answer: KeptAnswer | null
  readonly #options: SharedKeysOptions
  readonly #name: string
  /** Null once another process has it, or nothing remains to be written. */
  #version: string | null
  #renewing: NodeJS.Timeout | undefined
  /** One write after the other. */
  #last: Promise<void> = Promise.resolve()

  constructor(
    options: SharedKeysOptions,
    { name, version, answer }: { readonly name: string; readonly version: string; readonly answer: KeptAnswer | null },
  ) {
    this.#options = options
    this.#name = name
    this.#version = version
    this.answer = answer
  }

  renew(): void {
    let isWriting = false
    const write = async () => {
      // While the store does not respond, writes must not queue: the response to the request would wait for all of them.
      if (isWriting) return
      isWriting = true
      await this.#write({ kind: 'held', turn: randomUUID(), uploadId: null })
      isWriting = false
    }
    this.#renewing = setInterval(() => void write(), this.#options.spools.leaseMs / 3).unref()
  }

  async belongsTo(uploadId: string): Promise<void> {
    clearInterval(this.#renewing)
    if (this.answer === null) await this.#write({ kind: 'held', turn: randomUUID(), uploadId })
  }

  async keep({ upload, notes }: UploadReply): Promise<void> {
    clearInterval(this.#renewing)
    await this.#write({ kind: 'answered', at: Date.now(), upload, notes }, true)
  }

  /** Leaves the key to the process that continues its upload. */
  async stop(): Promise<void> {
    clearInterval(this.#renewing)
    await this.#last
    this.#version = null
  }

  async free(): Promise<void> {
    clearInterval(this.#renewing)
    // An earlier response stays.
    if (this.answer === null) await this.#write({ kind: 'free', turn: randomUUID() }, true)
  }

  /** Never rejects: the upload itself does not depend on it. */
  #write(kept: Kept, isLast = false): Promise<void> {
    this.#last = this.#last.then(async () => {
      const text = textOf(kept)
      if (this.#version === null || text.length > answerBytesMax) return
      try {
        this.#version = await this.#options.shared.write(this.#name, text, this.#version)
        if (isLast) this.#version = null
      } catch (error) {
        this.#options.logger.error({ err: error }, 'cannot tell other processes the outcome of an idempotency key')
      }
    })
    return this.#last
  }
}

function hashOf(owner: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, key]))
    .digest('hex')
}

function textOf(kept: Kept): Buffer {
  return Buffer.from(JSON.stringify(kept))
}
