// Pipelines: handles the requests of a connection one at a time, in the order in which they arrived. Knows no route.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isEnding } from './error-record.ts'

/** A connection with more unanswered requests than this is not read until some are answered. */
const requestsAheadMax = 32

/**
 * Requests that may wait on all connections together. Node parses all requests in the bytes that it has read, at most
 * 64 KB, so a client that pipelines gets all of its answers (RFC 9112 section 9.3.2). Beyond this number, the connection
 * with the most waiting requests is cut off: 13,000 of ten clients took 40 MB (Node 24, 2026-11-21).
 */
const requestsWaitingMaxUsual = 16_384

/** Number of requests on this connection that have not been answered. */
interface Pipeline {
  latest: IncomingMessage
  ahead: number
  /** Resolves when all of them are answered, or the connection is closed. */
  answered: Promise<void>
  /** True if something must still be answered after the last request. */
  hasMore: boolean
  isHeld: boolean
}

const pipelineOf = new WeakMap<Socket, Pipeline>()

/** True if another answer follows that of the request in progress on this connection. */
export function hasMoreToResponse(socket: Socket): boolean {
  const pipeline = pipelineOf.get(socket)
  return pipeline !== undefined && (pipeline.ahead > 1 || pipeline.hasMore)
}

export class Pipelines {
  readonly #handle: (request: IncomingMessage, response: ServerResponse) => void
  readonly #requestsWaitingMax: number
  /** Number of requests that wait, by connection, for those where any do; and their sum. */
  readonly #waiting = new Map<Socket, number>()
  #waitingCount = 0

  constructor(
    handle: (request: IncomingMessage, response: ServerResponse) => void,
    requestsWaitingMax = requestsWaitingMaxUsual,
  ) {
    this.#handle = handle
    this.#requestsWaitingMax = requestsWaitingMax
  }

  /** Handles a request once those before it are answered. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    if (isEnding(socket)) {
      // A request after an error: stop reading, or many of them would pile up.
      socket.pause()
      return
    }
    const pipeline = pipelineOf.get(socket) ?? open(socket, request)
    const isFirst = pipeline.ahead === 0
    const before = isFirst ? Promise.resolve() : pipeline.answered
    pipeline.latest = request
    pipeline.ahead += 1
    const closed = new Promise((resolve) => response.once('close', resolve))
    pipeline.answered = Promise.all([before, closed]).then(() => {
      pipeline.ahead -= 1
      if (!isFirst) this.#wait(socket, -1)
      if (!pipeline.isHeld || pipeline.ahead > requestsAheadMax) return
      pipeline.isHeld = false
      socket.resume()
    })
    if (isFirst) {
      this.#handle(request, response)
      return
    }
    this.#wait(socket, 1)
    if (this.#waitingCount > this.#requestsWaitingMax) this.#cutOffLongest()
    if (pipeline.ahead > requestsAheadMax) {
      pipeline.isHeld = true
      socket.pause()
    }
    void before.then(() => isEnding(socket) || socket.destroyed || this.#handle(request, response))
  }

  #wait(socket: Socket, change: 1 | -1): void {
    const count = this.#waiting.get(socket)
    // A connection that was cut off no longer counts.
    if (socket.destroyed && count === undefined) return
    this.#waitingCount += change
    if (count === 1 && change === -1) this.#waiting.delete(socket)
    else this.#waiting.set(socket, (count ?? 0) + change)
  }

  /** Makes room immediately: the requests of a destroyed connection are let go of before their responses are closed. */
  #cutOffLongest(): void {
    const [longest] = [...this.#waiting].reduce((most, one) => (one[1] > most[1] ? one : most))
    this.#waitingCount -= this.#waiting.get(longest) ?? 0
    this.#waiting.delete(longest)
    longest.destroy()
  }

  /** The last request if requests are still unanswered; otherwise null. */
  last(socket: Socket): IncomingMessage | null {
    const pipeline = pipelineOf.get(socket)
    return pipeline === undefined || pipeline.ahead === 0 ? null : pipeline.latest
  }

  /** The last request that arrived, answered or not. */
  latest(socket: Socket): IncomingMessage | null {
    return pipelineOf.get(socket)?.latest ?? null
  }

  /** Runs `work` once every request on the connection is answered; keeps the connection open until then. */
  afterAll(socket: Socket, work: () => void): void {
    const pipeline = pipelineOf.get(socket)
    if (pipeline === undefined || pipeline.ahead === 0) {
      work()
      return
    }
    pipeline.hasMore = true
    void pipeline.answered.then(() => {
      pipeline.hasMore = false
      work()
    })
  }
}

function open(socket: Socket, latest: IncomingMessage): Pipeline {
  const pipeline = { latest, ahead: 0, answered: Promise.resolve(), hasMore: false, isHeld: false }
  pipelineOf.set(socket, pipeline)
  // Node resumes the socket whenever it reads a request. After an error, the rest is read and discarded.
  socket.on('resume', () => {
    if (pipeline.isHeld && !isEnding(socket)) socket.pause()
  })
  return pipeline
}
