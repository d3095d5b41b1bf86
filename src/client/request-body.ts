// Request body: writes the body of a request once the server wants it, and stops as soon as it has answered. Knows no route.
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Ask, type Http, idleMsMax, responseOf } from './http.ts'
import type { Attempts, RetryRules } from './retry.ts'

export interface OutgoingBody {
  /** The bytes before and after the file. */
  readonly before: Uint8Array
  readonly behind: Uint8Array
  /** Total number of bytes of the file that are sent; null if unknown. */
  readonly bytes: number | null
  /** What the bytes belong to, for errors. */
  readonly name: string
  open(): AsyncIterable<Uint8Array>
  /** @param offset Of the chunk in the file. */
  onChunk(chunk: Uint8Array, offset: number): void
}

/** The progress of an upload; changes while it is sent. */
export interface SendProgress extends Attempts {
  phase: 'asking' | 'sending' | 'waiting' | 'done'
  /** Bytes of the file, from its first byte. */
  sentBytes: number
  /** Of these, sent before this process began. */
  skippedBytes: number
}

/** A file on its way: where to, under which rules, and how far it is. */
export interface Transfer {
  readonly http: Http
  readonly rules: RetryRules
  readonly sending: SendProgress
  readonly signal: AbortSignal
}

/**
 * Sends a request with a body from `sending.sentBytes` on, and reads the response, which may arrive before the whole
 * body is sent. @throws {ClientError} and any error of reading the file or of `read`
 */
export async function sendBody<Value>(
  { http, sending, signal }: Transfer,
  ask: Omit<Ask, 'body' | 'bodyFile'>,
  body: OutgoingBody,
  read: (pending: Promise<IncomingMessage>, request: ClientRequest) => Promise<Value>,
): Promise<Value> {
  const request = http.begin(ask, signal)
  const pending = responseOf(request, http, signal)
  // It may reject while the body is being sent, before anyone awaits it.
  pending.catch(() => {})
  try {
    if (await writeBody(request, body, sending)) sending.phase = 'waiting'
    return await read(pending, request)
  } catch (error) {
    request.destroy()
    throw error
  }
}

/** A server that does not support `Expect` ignores it: after this time the body is sent anyway (RFC 9110 10.1.1). */
const continueMsMax = 1_000

/**
 * Writes the body until it is complete or a response has arrived. False in the second case.
 *
 * @throws {Error} if there are fewer bytes than were announced
 */
async function writeBody(request: ClientRequest, body: OutgoingBody, sending: SendProgress): Promise<boolean> {
  const gate = new Gate(request)
  request.flushHeaders()
  await gate.wait('continue', continueMsMax)
  if (gate.isClosed) return false
  sending.phase = 'sending'
  if (body.before.length > 0) request.write(body.before)
  const beganAt = sending.sentBytes
  const chunks = body.open()[Symbol.asyncIterator]()
  const read = () => chunks.next()
  for (let next = await gate.race(read); next?.done === false; next = await gate.race(read)) {
    body.onChunk(next.value, sending.sentBytes)
    sending.sentBytes += next.value.length
    if (!request.write(next.value) && !(await gate.wait('drain', idleMsMax))) {
      request.destroy(new Error('the server took nothing for 60 s'))
    }
  }
  // An endless stream may never yield another chunk: it is abandoned.
  if (gate.isClosed) void chunks.return?.()
  if (gate.isClosed) return false
  if (body.bytes !== null && sending.sentBytes - beganAt !== body.bytes) {
    throw new Error(`Cannot send ${body.name}: it became shorter while it was read`)
  }
  request.end(body.behind)
  return true
}

/**
 * Waits for the event that starts the body, or for one that ends the request: a response, early or not, or a failure.
 */
class Gate {
  isClosed = false
  readonly #request: ClientRequest
  #wake: () => void = () => {}

  constructor(request: ClientRequest) {
    this.#request = request
    const close = () => {
      this.isClosed = true
      this.#wake()
    }
    for (const event of ['response', 'close', 'error']) request.once(event, close)
  }

  /** The value, or null once nothing more is to be sent; what the work then fails with does not matter. */
  race<Value>(work: () => Promise<Value>): Promise<Value | null> {
    if (this.isClosed) return Promise.resolve(null)
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(null)
      work().then(resolve, reject)
    })
  }

  /** Resolves on that event or when nothing more is to be sent; to false after `msMax`. */
  async wait(event: 'continue' | 'drain', msMax: number): Promise<boolean> {
    const happens = () => once(this.#request, event, { signal: AbortSignal.timeout(msMax) })
    return await this.race(happens).then(
      () => true,
      () => this.isClosed,
    )
  }
}
