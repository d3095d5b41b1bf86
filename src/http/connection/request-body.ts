// Request body: the bytes of a request as they come, with back-pressure and a limit on waiting. Knows nothing of CSV.
import type { IncomingMessage } from 'node:http'
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { giveBack } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import { ChunkQueue } from './chunk-queue.ts'

/** Bytes held here while the consumer is busy, those with it included; reading from the socket stops above. */
const queuedBytesMax = 262_144

/**
 * Once so much of a body has come, what the socket gives is collected until the event loop goes on or `queuedBytesMax` are
 * there: each passing on goes through a dozen generators. Bytes.
 */
const collectedFrom = 262_144

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
  /** True while the loop is waited for, and what comes before it goes on is not passed on yet. */
  #isCollecting = false
  #arrivedBytes = 0
  /** What the reader is busy with. */
  #lentBytes = 0
  #waitedMs = 0
  #waitsSinceMs: number | null = null
  #timer: NodeJS.Timeout | null = null
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
   * The chunks exactly as the HTTP parser gives them, as many at a time as have come; to be read once. (Iterating over the
   * request itself would join the buffered ones, which copies every byte, and would destroy the connection when the consumer
   * stops early.)
   *
   * @param pace Time in which the consumer is busy does not count, nor does the pace once the body has ended.
   * @throws {ServiceError} REQUEST_TIMEOUT, and what `fail` was given. Any other error: the client has gone.
   */
  async *chunks({ bodyIdleMs, bodyBytesPerSecondMin }: BodyPace): AsyncGenerator<readonly BorrowedBytes[], void> {
    const progressBytesMin = Math.max(1, Math.ceil((bodyBytesPerSecondMin * bodyIdleMs) / 1_000))
    const request = this.#request
    let progressBytes = 0
    using _ = this.#listen()
    for (;;) {
      const chunks = this.#queue.take()
      if (chunks.length > 0) {
        progressBytes += lengthOf(chunks)
        if (progressBytes >= progressBytesMin) {
          progressBytes = 0
          this.#waitedMs = 0
        }
        this.#lentBytes = lengthOf(chunks)
        yield chunks
        this.#lentBytes = 0
        for (const chunk of chunks) giveBack(chunk)
        continue
      }
      // What came before the failure is not lost by it: an upload that is resumed goes on behind it.
      if (this.#failure !== null && (request.readableLength === 0 || request.destroyed)) throw this.#failure
      if (this.#hasEnded) return
      if (this.#isGone) throw new Error('The client closed the connection before the end of the body')
      if (this.#waitedMs >= bodyIdleMs) throw tooSlow(progressBytesMin, bodyIdleMs)
      await this.#wait(bodyIdleMs)
    }
  }

  /** Waits for the next event of the body, or until all waiting since the last progress has taken so long. */
  async #wait(idleMs: number): Promise<void> {
    if (this.#isFull) {
      this.#isFull = false
      this.#request.socket.resume()
    }
    const sinceMs = performance.now()
    this.#waitsSinceMs = sinceMs
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    if (this.#timer === null) this.#startTimer(idleMs)
    await promise
    this.#waitedMs += performance.now() - sinceMs
    this.#waitsSinceMs = null
  }

  /** One timer for many waits: to set and clear one for each takes longer than the rest of a wait. */
  #startTimer(idleMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#waitsSinceMs === null) return
      if (this.waitedMs() >= idleMs) this.#wake()
      else this.#startTimer(idleMs)
    }, idleMs - this.waitedMs())
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
    const onCollected = () => {
      this.#isCollecting = false
      this.#wake()
    }
    const onData = (chunk: Buffer) => {
      this.#queue.add(chunk)
      this.#arrivedBytes += chunk.length
      const isEnough = this.#queue.bytes + this.#lentBytes >= queuedBytesMax
      if (this.#waitsSinceMs === null) {
        if (this.#isFull || !isEnough) return
        this.#isFull = true
        socket.pause()
      } else if (isEnough || this.#arrivedBytes <= collectedFrom) this.#wake()
      else if (!this.#isCollecting) {
        this.#isCollecting = true
        setImmediate(onCollected)
      }
    }
    const onEnd = () => {
      this.#hasEnded = true
      this.#wake()
    }
    const onGone = () => {
      this.#isGone = !this.#hasEnded
      this.#wake()
    }
    // The parser hands each chunk to the request by this. What the request would do with it takes longer than the rest of a
    // chunk's way to its reader, and is of use only to what was buffered before.
    const { push } = request
    request.push = (chunk, encoding) => {
      const isOurs = chunk !== null && request.readableLength === 0 && request.listenerCount('data') > 0
      if (!isOurs) return push.call(request, chunk, encoding)
      onData(chunk)
      return true
    }
    socket.on('resume', onSocketResumed)
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
    return {
      [Symbol.dispose]: () => {
        this.#waitsSinceMs = null
        if (this.#timer !== null) clearTimeout(this.#timer)
        request.push = push
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
