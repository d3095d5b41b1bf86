// Request body: the bytes of a request as they come, with back-pressure and a limit on waiting. Knows nothing of CSV.
import type { IncomingMessage } from 'node:http'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { giveBack } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import { ChunkQueue } from './chunk-queue.ts'

/** Bytes held here while the consumer is busy; reading from the socket stops above. */
const queuedBytesMax = 262_144

/** How fast a body must come. */
export interface BodyPace {
  /** Longest wait for the next bytes. */
  readonly bodyIdleMs: number
  /**
   * What must come in a second, on average over `bodyIdleMs` of waiting: with a limit on the wait alone, a client that
   * drips single bytes could stay forever. The total time has no limit, so an upload may take as long as this rate allows.
   */
  readonly bodyBytesPerSecondMin: number
}

/** The body of each request that somebody has asked for. */
const bodies = new WeakMap<IncomingMessage, RequestBody>()

/** The body of one request: read by its route, and ended by the code that finds it broken or too slow. */
export class RequestBody {
  readonly #request: IncomingMessage
  readonly #queue = new ChunkQueue()
  #hasEnded = false
  #isGone = false
  #failure: ServiceError | null = null
  /** True while the socket is paused because enough is queued. */
  #isFull = false
  #waitedMs = 0
  #waitsSinceMs: number | null = null
  #wake = () => {}

  private constructor(request: IncomingMessage) {
    this.#request = request
  }

  /** The one body of a request. */
  static of(request: IncomingMessage): RequestBody {
    const body = bodies.get(request) ?? new RequestBody(request)
    bodies.set(request, body)
    return body
  }

  /**
   * How long the client keeps the reader waiting for as many bytes as make the pace: 0 when nobody waits for it, and little
   * when the bytes come fast enough. Milliseconds.
   */
  waitedMs(): number {
    return this.#waitsSinceMs === null ? 0 : this.#waitedMs + performance.now() - this.#waitsSinceMs
  }

  /** Makes the body end with this error, now or when it is read. */
  fail(error: ServiceError): void {
    this.#failure ??= error
    this.#wake()
  }

  /**
   * The chunks exactly as the HTTP parser gives them; to be read once. (Iterating over the request itself would join the
   * buffered ones, which copies every byte, and would destroy the connection when the consumer stops early.)
   *
   * @param pace Time in which the consumer is busy does not count, nor does the pace once the body has ended.
   * @throws {ServiceError} REQUEST_TIMEOUT, and what `fail` was given. Any other error: the client has gone.
   */
  async *chunks({ bodyIdleMs, bodyBytesPerSecondMin }: BodyPace): AsyncGenerator<BorrowedBytes, void> {
    const progressBytesMin = Math.max(1, Math.ceil((bodyBytesPerSecondMin * bodyIdleMs) / 1_000))
    const request = this.#request
    let progressBytes = 0
    using _ = this.#listen()
    for (;;) {
      const chunk = this.#queue.shift()
      if (chunk !== undefined) {
        progressBytes += chunk.length
        if (progressBytes >= progressBytesMin) {
          progressBytes = 0
          this.#waitedMs = 0
        }
        yield chunk
        giveBack(chunk)
        continue
      }
      // What came before the failure is not lost by it: an upload that is resumed goes on behind it.
      if (this.#failure !== null && (request.readableLength === 0 || request.destroyed)) throw this.#failure
      if (this.#hasEnded) return
      if (this.#isGone) throw new Error('The client closed the connection before the end of the body')
      if (this.#waitedMs >= bodyIdleMs) throw tooSlow(progressBytesMin, bodyIdleMs)
      await this.#wait(bodyIdleMs - this.#waitedMs)
    }
  }

  /** Waits for the next event of the body, or so long. */
  async #wait(ms: number): Promise<void> {
    if (this.#isFull) {
      this.#isFull = false
      this.#request.socket.resume()
    }
    const sinceMs = performance.now()
    this.#waitsSinceMs = sinceMs
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
    this.#waitedMs += performance.now() - sinceMs
    this.#waitsSinceMs = null
  }

  /** Queues what comes; disposing leaves the request to others, flowing. */
  #listen(): Disposable {
    const request = this.#request
    const { socket } = request
    this.#hasEnded = request.readableEnded
    this.#isGone = request.destroyed && !this.#hasEnded
    // The socket is paused, not the request: that would buffer 64 KB more, as single bytes in chunks of their own 30 MB.
    // Node resumes the socket of a request that is not paused, so it is paused again while somebody reads here.
    const onSocketResumed = () => {
      if (this.#isFull && request.listenerCount('data') > 0) socket.pause()
    }
    const onData = (chunk: Buffer) => {
      this.#queue.add(chunk)
      if (!this.#isFull && this.#queue.bytes >= queuedBytesMax) {
        this.#isFull = true
        socket.pause()
      }
      this.#wake()
    }
    const onEnd = () => {
      this.#hasEnded = true
      this.#wake()
    }
    const onGone = () => {
      this.#isGone = !this.#hasEnded
      this.#wake()
    }
    socket.on('resume', onSocketResumed)
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
    return {
      [Symbol.dispose]: () => {
        this.#waitsSinceMs = null
        socket.off('resume', onSocketResumed)
        if (this.#isFull) socket.resume()
        // The listener for errors stays: a request that fails with nobody listening would be thrown at the process.
        request.off('data', onData).off('end', onEnd).off('close', onGone)
      },
    }
  }
}

function tooSlow(progressBytesMin: number, idleMs: number): ServiceError {
  const problem = `fewer than ${progressBytesMin} bytes of its body came in ${idleMs / 1_000} seconds`
  return new ServiceError('REQUEST_TIMEOUT', { problem })
}
