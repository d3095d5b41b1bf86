// Request body: the bytes of a request as they arrive, with back-pressure and a limit on waiting. Knows nothing of CSV.
import type { IncomingMessage } from 'node:http'
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { releaseChunk } from '../../core/byte-stream.ts'
import { ServiceError } from '../../core/errors.ts'
import { takeChunks } from './node-patches.ts'

/** Bytes queued here, including those that the consumer is working on. Above this, the socket is paused. */
const queuedBytesMax = 262_144

/** How fast a body must arrive. */
export interface BodyPace {
  /** Longest wait for the next bytes. */
  readonly bodyIdleMs: number
  /**
   * Bytes that must arrive per second, on average over `bodyIdleMs` of waiting. With a limit on the single wait alone,
   * a client that sends one byte now and then could stay forever. The total time has no limit, so an upload may take as
   * long as this rate allows.
   */
  readonly bodyBytesPerSecondMin: number
}

/** The body of each request for which one was requested. */
const bodies = new WeakMap<IncomingMessage, RequestBody>()

/** The body of one request. A route reads it; the code that finds it broken or too slow ends it. */
export class RequestBody {
  readonly #request: IncomingMessage
  readonly #queue = new ChunkQueue()
  #hasEnded = false
  #isGone = false
  #failure: ServiceError | null = null
  /** True while the socket is paused because enough bytes are queued. */
  #isFull = false
  /**
   * True until the next turn of the event loop, when the chunks that arrive in between are handed over together: each
   * hand-over passes through a dozen generators.
   */
  #isCollecting = false
  /** Bytes that the reader is working on. */
  #lentBytes = 0
  #waitedMs = 0
  #waitsSinceMs: number | null = null
  #timer: NodeJS.Timeout | null = null
  #wake = () => {}

  private constructor(request: IncomingMessage) {
    this.#request = request
  }

  /** Returns the body of a request, always the same object. */
  static of(request: IncomingMessage): RequestBody {
    const body = bodies.get(request) ?? new RequestBody(request)
    bodies.set(request, body)
    return body
  }

  /**
   * How long the reader has been waiting for the bytes that the pace demands, in milliseconds: 0 while it is not
   * waiting, and little while the bytes arrive fast enough.
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
   * Yields the chunks exactly as the HTTP parser delivers them, all that have arrived at a time. Read it only once.
   * (Iterating over the request itself would join buffered chunks, which copies every byte, and would destroy the
   * connection when the consumer stops early.)
   *
   * @param pace The time that the consumer takes does not count. Once the body has ended, there is no limit.
   * @throws {ServiceError} REQUEST_TIMEOUT, or the error passed to `fail`. Any other error: the client has
   * disconnected.
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
        for (const chunk of chunks) releaseChunk(chunk)
        continue
      }
      // The bytes before the failure are kept: a resumed upload continues after them.
      if (this.#failure !== null && (request.readableLength === 0 || request.destroyed)) throw this.#failure
      if (this.#hasEnded) return
      if (this.#isGone) throw new Error('The client closed the connection before the end of the body')
      if (this.#waitedMs >= bodyIdleMs) {
        const problem = `fewer than ${progressBytesMin} bytes of its body arrived in ${bodyIdleMs / 1_000} seconds`
        throw new ServiceError('REQUEST_TIMEOUT', { problem })
      }
      await this.#wait(bodyIdleMs)
    }
  }

  /**
   * Waits for the next event of the body, or until the time spent waiting since the last progress reaches the limit.
   */
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

  /** One timer serves many waits: setting and clearing one for each takes longer than the rest of a wait. */
  #startTimer(idleMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#waitsSinceMs === null) return
      if (this.waitedMs() >= idleMs) this.#wake()
      else this.#startTimer(idleMs)
    }, idleMs - this.waitedMs())
  }

  /** Queues chunks as they arrive. Disposing leaves the request flowing, for other readers. */
  #listen(): Disposable {
    const request = this.#request
    const { socket } = request
    this.#hasEnded = request.readableEnded
    this.#isGone = request.destroyed && !this.#hasEnded
    // Pause the socket, not the request: a paused request would buffer 64 KB more, which take 30 MB as chunks of one
    // byte. Node resumes the socket of any request that is not paused, so pause the socket again while this reader is
    // active.
    const onSocketResumed = () => {
      if (this.#isFull && request.listenerCount('data') > 0) socket.pause()
    }
    const onCollected = () => {
      this.#isCollecting = false
      this.#wake()
    }
    const onData = (chunk: Buffer) => {
      this.#queue.add(chunk)
      const isEnough = this.#queue.bytes + this.#lentBytes >= queuedBytesMax
      if (this.#waitsSinceMs === null) {
        if (this.#isFull || !isEnough) return
        this.#isFull = true
        socket.pause()
      } else if (isEnough) this.#wake()
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
    const restorePush = takeChunks(request, onData)
    socket.on('resume', onSocketResumed)
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
    return {
      [Symbol.dispose]: () => {
        this.#waitsSinceMs = null
        if (this.#timer !== null) clearTimeout(this.#timer)
        restorePush()
        socket.off('resume', onSocketResumed)
        if (this.#isFull) socket.resume()
        // The error listener stays: without one, a failing request would throw in the process.
        request.off('data', onData).off('end', onEnd).off('close', onGone)
      },
    }
  }
}

/** Chunks of up to this many bytes are joined. */
const smallBytesMax = 1_024
/** Size in bytes of the block in which small chunks are joined. */
const blockBytes = 16_384
/** Overhead in bytes of each chunk: a client may send every byte as a separate chunk. */
const chunkOverheadBytes = 512

interface QueuedChunk {
  readonly memory: Uint8Array
  /** Number of its bytes in use. */
  length: number
}

/**
 * Returns chunks in the order in which they were added. Large chunks stay as they are; small ones are joined while they
 * wait.
 */
export class ChunkQueue {
  /** Memory that the waiting chunks take up. */
  bytes = 0
  #queued: QueuedChunk[] = []
  /** The last queued block, while small chunks are being joined in it. */
  #block: QueuedChunk | null = null

  add(chunk: Uint8Array): void {
    if (chunk.length > smallBytesMax || this.#queued.length === 0) {
      this.#push(chunk, chunk.length)
      this.#block = null
      return
    }
    if (this.#block === null || this.#block.length + chunk.length > blockBytes) {
      this.#block = this.#push(Buffer.allocUnsafeSlow(blockBytes), 0)
    }
    this.#block.memory.set(chunk, this.#block.length)
    this.#block.length += chunk.length
  }

  /** Takes all waiting chunks. */
  take(): readonly Uint8Array[] {
    const queued = this.#queued
    this.#queued = []
    this.bytes = 0
    return queued.map(({ memory, length }) => (length === memory.length ? memory : memory.subarray(0, length)))
  }

  #push(memory: Uint8Array, length: number): QueuedChunk {
    const queued = { memory, length }
    this.#queued.push(queued)
    this.bytes += memory.length + chunkOverheadBytes
    return queued
  }
}
