// Request body: the bytes of a request as they come, with back-pressure and a limit on waiting. Knows nothing of CSV.
import type { IncomingMessage } from 'node:http'
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
   * drips single bytes could stay for ever. No limit on the whole time, so an honest upload may be as slow as this.
   */
  readonly bodyBytesPerSecondMin: number
}

/** For each body that is being read: how long its client has been waited for. */
const waits = new WeakMap<IncomingMessage, () => number>()
const failures = new WeakMap<IncomingMessage, ServiceError>()

/**
 * How long the client keeps the reader of its body waiting for as many bytes as make a pace: 0 where nobody waits for it,
 * and little where the bytes come well. Milliseconds.
 */
export function bodyWaitedMs(request: IncomingMessage): number {
  return waits.get(request)?.() ?? 0
}

/** Makes the body end with this error, now or when it is read: for what the HTTP parser finds wrong in it. */
export function failBody(request: IncomingMessage, error: ServiceError): void {
  failures.set(request, error)
  request.emit('bodyFailed')
}

/**
 * The chunks of the body exactly as the HTTP parser gives them, each valid until the next one is asked for. (Iterating over the request itself would glue the
 * buffered ones together, which copies every byte, and would destroy the connection when the consumer stops early.)
 *
 * @param pace Time in which the consumer is busy does not count, nor does the pace once the body has ended.
 * @throws {ServiceError} REQUEST_TIMEOUT, and what `failBody` was given. Any other error: the client has gone.
 */
export async function* requestBody(request: IncomingMessage, pace: BodyPace): AsyncGenerator<Uint8Array, void> {
  const idleMs = pace.bodyIdleMs
  const progressBytesMin = Math.max(1, Math.ceil((pace.bodyBytesPerSecondMin * idleMs) / 1_000))
  const queue = new ChunkQueue()
  let progressBytes = 0
  let waitedMs = 0
  let waitsSinceMs: number | null = null
  let hasEnded = request.readableEnded
  let isGone = request.destroyed && !hasEnded
  let wake = () => {}

  const { socket } = request
  let isFull = false
  // The socket is paused, not the request: that would buffer 64 KB more, as single bytes in chunks of their own 30 MB. Node
  // resumes the socket of a request that is not paused, so it is paused again while somebody reads here.
  const onSocketResumed = () => {
    if (isFull && request.listenerCount('data') > 0) socket.pause()
  }
  const onData = (chunk: Buffer) => {
    queue.add(chunk)
    if (!isFull && queue.bytes >= queuedBytesMax) {
      isFull = true
      socket.pause()
    }
    wake()
  }
  const onEnd = () => {
    hasEnded = true
    wake()
  }
  const onGone = () => {
    isGone = !hasEnded
    wake()
  }
  const onFailed = () => wake()
  waits.set(request, () => (waitsSinceMs === null ? 0 : waitedMs + performance.now() - waitsSinceMs))
  socket.on('resume', onSocketResumed)
  request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone).on('bodyFailed', onFailed)
  try {
    while (true) {
      const chunk = queue.shift()
      if (chunk !== undefined) {
        progressBytes += chunk.length
        if (progressBytes >= progressBytesMin) {
          progressBytes = 0
          waitedMs = 0
        }
        yield chunk
        giveBack(chunk)
        continue
      }
      const failure = failures.get(request)
      if (failure !== undefined) throw failure
      if (hasEnded) return
      if (isGone) throw new Error('The client closed the connection before the end of the body')
      if (waitedMs >= idleMs) throw new ServiceError('REQUEST_TIMEOUT', { problem: stalled(progressBytesMin, idleMs) })
      if (isFull) {
        isFull = false
        socket.resume()
      }
      waitsSinceMs = performance.now()
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, idleMs - waitedMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      waitedMs += performance.now() - waitsSinceMs
      waitsSinceMs = null
    }
  } finally {
    waits.delete(request)
    socket.off('resume', onSocketResumed)
    if (isFull) socket.resume()
    // The listener for errors stays: a request that fails with nobody listening would be thrown at the process.
    request.off('data', onData).off('end', onEnd).off('close', onGone).off('bodyFailed', onFailed)
  }
}

function stalled(progressBytesMin: number, idleMs: number): string {
  return `fewer than ${progressBytesMin} bytes of its body came in ${idleMs / 1_000} seconds`
}
