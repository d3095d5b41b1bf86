// Webhook: reports ended uploads to one URL, signed (Standard Webhooks), with retries for a day, without ever delaying an upload.

import { createHmac } from 'node:crypto'
import type { Log } from '../core/log.ts'
import { Semaphore } from '../io/turns/semaphore.ts'
import { AddressRefused, type PostOptions, type PostResponse, postJson } from './post-json.ts'
import { publicOr } from './public-addresses.ts'

export interface WebhookOptions extends Pick<PostOptions, 'resolve'> {
  readonly url: string
  /** As given: `whsec_` and Base64, or any text, whose bytes are the key. */
  readonly secret: string
  /** Networks that may be connected to although they are not public. */
  readonly networks: readonly string[]
  readonly logger: Pick<Log, 'warn'>
  /** Called once for every message, when it has been delivered or given up. */
  readonly onSettled: (outcome: WebhookOutcome) => void
  /** Waits before each further try. Milliseconds. */
  readonly retryMs?: readonly number[]
  /** Maximum number of messages that are being sent or wait for a retry. */
  readonly pendingMax?: number
}

export type WebhookOutcome = 'delivered' | 'failed' | 'dropped'

export interface WebhookMessage {
  /** The type of event, for the receiver to branch on. */
  readonly type: 'upload.done' | 'upload.failed'
  /** The same for every try, and different for every message. */
  readonly id: string
  readonly data: object
}

/** Eleven tries within about a day. */
const retryMsByDefault = [1, 5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200].map((seconds) => seconds * 1_000)
const timeoutMs = 15_000
const pendingMaxByDefault = 1_000
/** A longer `Retry-After` is not honoured. Milliseconds. */
const retryAfterMsMax = 43_200_000

interface PendingMessage extends WebhookMessage {
  readonly body: string
  tries: number
  isSending: boolean
  timer: NodeJS.Timeout | null
}

export class Webhook implements Disposable {
  readonly #options: WebhookOptions
  readonly #post: PostOptions
  readonly #key: Buffer
  readonly #retryMs: readonly number[]
  readonly #closing = new AbortController()
  /** Oldest first. */
  readonly #pending = new Set<PendingMessage>()
  readonly #sending = new Semaphore(4)

  constructor(options: WebhookOptions) {
    const { url, secret, networks, resolve, retryMs = retryMsByDefault } = options
    this.#options = options
    this.#post = { url: new URL(url), isAllowed: publicOr(networks), timeoutMs, ...(resolve && { resolve }) }
    this.#key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
    this.#retryMs = retryMs
  }

  /** Messages that are neither delivered nor given up. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /** Sends it as soon as a place is free; beyond the limit, the oldest waiting message is dropped. Never throws. */
  send(message: WebhookMessage): void {
    const { type, data } = message
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data })
    const one = { ...message, body, tries: 0, isSending: false, timer: null }
    this.#pending.add(one)
    if (this.#pending.size > (this.#options.pendingMax ?? pendingMaxByDefault)) this.#dropOldest()
    this.#enqueue(one)
  }

  /** Stops everything; pending messages are not sent. */
  [Symbol.dispose](): void {
    this.#closing.abort()
    for (const { timer } of this.#pending) if (timer !== null) clearTimeout(timer)
    this.#pending.clear()
  }

  #enqueue(one: PendingMessage): void {
    // It may have been dropped while it waited.
    void this.#sending.run(async () => {
      if (this.#pending.has(one)) await this.#send(one)
    })
  }

  async #send(one: PendingMessage): Promise<void> {
    one.tries += 1
    one.isSending = true
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signed = createHmac('sha256', this.#key).update(`${one.id}.${timestamp}.${one.body}`).digest('base64')
    const headers = { 'webhook-id': one.id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signed}` }
    try {
      const answer = await postJson(this.#post, one.body, headers, this.#closing.signal)
      if (answer.status >= 200 && answer.status < 300) this.#end(one, 'delivered')
      // The receiver wants no more of them (Standard Webhooks).
      else if (answer.status === 410) this.#giveUp(one, `answered with status ${answer.status}`)
      else this.#tryAgain(one, `answered with status ${answer.status}`, answer)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      // Another try would meet the same options.
      if (error instanceof AddressRefused) this.#giveUp(one, problem)
      else this.#tryAgain(one, problem, null)
    }
  }

  #tryAgain(one: PendingMessage, problem: string, answer: PostResponse | null): void {
    // The webhook is closed.
    if (!this.#pending.has(one)) return
    one.isSending = false
    const backOffMs = this.#retryMs[one.tries - 1]
    if (backOffMs === undefined) {
      this.#giveUp(one, problem)
      return
    }
    const wantedMs = Math.min(1_000 * (Number(answer?.retryAfter) || 0), retryAfterMsMax)
    // Half of it is random, so that messages that failed together are not retried together.
    const waitMs = Math.max(wantedMs, backOffMs * (0.5 + Math.random() / 2))
    one.timer = setTimeout(() => {
      one.timer = null
      this.#enqueue(one)
    }, waitMs).unref()
  }

  #giveUp(one: PendingMessage, problem: string): void {
    this.#options.logger.warn({ webhookId: one.id, tries: one.tries, problem }, 'webhook not delivered')
    this.#end(one, 'failed')
  }

  #dropOldest(): void {
    // Of those being sent, some arrive.
    const oldest = this.#pending.values().find(({ isSending }) => !isSending)
    if (oldest === undefined) return
    if (oldest.timer !== null) clearTimeout(oldest.timer)
    this.#options.logger.warn({ webhookId: oldest.id, tries: oldest.tries }, 'webhook dropped: too many wait')
    this.#end(oldest, 'dropped')
  }

  #end(one: PendingMessage, outcome: WebhookOutcome): void {
    if (this.#pending.delete(one)) this.#options.onSettled(outcome)
  }
}
