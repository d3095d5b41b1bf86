// Connection: what happens below a request: 100-continue, order of pipelined requests, and what Node cannot parse.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'
import { nodeHttp } from '../../core/node-http.ts'
import { isEnding, sendErrorOnSocket } from './error-record.ts'
import type { LingerLimits } from './lingering-close.ts'
import { allowHalfOpen, closeSilentConnections } from './node-patches.ts'
import { Pipelines } from './pipelines.ts'
import { RequestBody } from './request-body.ts'
import { isKnownVersion, requestPath, type SeenRequest, seenRequest } from './request-target.ts'

export interface ConnectionOptions {
  /** Longest time that a client may take to send the whole head of a request. */
  readonly headersMs: number
  /** How long a connection without a request stays open. */
  readonly keepAliveMs: number
  readonly linger: LingerLimits
}

/** Size limit of a request head in bytes; the error record for a larger one states the figure, too. */
const headBytesMax = 16_384

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** What we know about a request that could not be read: none of its content. */
export interface UnreadableRequest {
  readonly error: ServiceError
  /** Error code of the parser. */
  readonly reason: string
  /** Bytes read on the whole connection. */
  readonly receivedBytes: number
  readonly address: string | undefined
}

/** Creates the HTTP server under the routes. `handle` gets one request at a time of each connection. */
export function createConnectionServer(
  options: ConnectionOptions,
  handle: Handle,
  onUnreadable: (request: UnreadableRequest) => void,
): Server {
  const server = nodeHttp.createServer({
    maxHeaderSize: headBytesMax,
    headersTimeout: options.headersMs,
    // Node's limit would end a large upload over a slow line; bodies have their own limit on waiting.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5_000, options.headersMs),
    keepAliveTimeout: options.keepAliveMs,
    // Otherwise Node would answer without our error record.
    requireHostHeader: false,
    noDelay: true,
  })
  allowHalfOpen(server)
  // Keep all header lines, so that none is dropped silently; the size limit of the head bounds them.
  server.maxHeadersCount = 0
  closeSilentConnections(server)

  const pipelines = new Pipelines(handle)
  const takeTurn: Handle = (request, response) => pipelines.add(request, response)
  server.on('request', takeTurn)
  // Both only signal that there is an `Expect` header; the routes read it and decide.
  server.on('checkContinue', takeTurn)
  server.on('checkExpectation', takeTurn)
  rejectUnreadable(server, pipelines, options, onUnreadable)
  return server
}

/** Answers what Node cannot parse, after the answers to the requests before it. */
function rejectUnreadable(
  server: Server,
  pipelines: Pipelines,
  { linger, headersMs }: ConnectionOptions,
  onUnreadable: (request: UnreadableRequest) => void,
): void {
  const reject = (socket: Socket, error: ServiceError, reason: string, seen: SeenRequest) => {
    if (isEnding(socket) || !socket.writable) return
    onUnreadable({ error, reason, receivedBytes: socket.bytesRead, address: socket.remoteAddress })
    sendErrorOnSocket(socket, error, seen, linger)
  }
  server.on('clientError', (fault: ParserFault, stream) => {
    // A TCP server has TCP sockets; Node's type allows for more.
    const socket = stream as Socket
    if (isEnding(socket)) return
    const seen = seenRequest(fault.rawPacket)
    const error = socket.writable ? toRequestError(fault, seen, socket) : null
    if (error === null) {
      socket.destroy()
      return
    }
    const last = pipelines.last(socket)
    const rejectIt = () => reject(socket, error, fault.code ?? 'none', seen)
    if (last?.complete && fault.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // We may not have read the rest of the head yet: the time for it starts once the requests before it are answered.
      pipelines.afterAll(socket, () => setTimeout(() => pipelines.latest(socket) === last && rejectIt(), headersMs))
      return
    }
    // Either the body of the request in progress is broken, or a later request.
    if (last !== null && !last.complete) RequestBody.of(last).fail(toBodyError(fault))
    pipelines.afterAll(socket, rejectIt)
  })
  server.on('connect', (request: IncomingMessage, stream: Duplex) => {
    const socket = stream as Socket
    const error = new ServiceError('METHOD_NOT_ALLOWED', { method: 'CONNECT', allow: [] })
    socket.on('error', () => socket.destroy())
    socket.resume()
    const seen = { method: 'CONNECT', path: requestPath(request.url ?? '/'), version: request.httpVersion }
    reject(socket, error, 'CONNECT', seen)
  })
}

/** What Node reports. It also holds the bytes, so it must not get into the log. */
interface ParserFault extends Error {
  readonly code?: string
  /** The reason that the parser gives. */
  readonly reason?: string
  readonly rawPacket?: Buffer
}

/** The error to answer with; null if no client is waiting for an answer. */
function toRequestError(fault: ParserFault, seen: SeenRequest, socket: Socket): ServiceError | null {
  if (fault.code === 'HPE_HEADER_OVERFLOW') return new ServiceError('HEADERS_TOO_LARGE', {})
  if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // A connection on which nothing was ever sent (browsers open some in advance) expects no answer.
    return socket.bytesRead === 0
      ? null
      : new ServiceError('REQUEST_TIMEOUT', { problem: 'its head did not arrive in time' })
  }
  if (!fault.code?.startsWith('HPE_')) return null
  // The parser uses one code both for an unknown version and for a wrong line end after a known one.
  if (fault.code === 'HPE_INVALID_VERSION' && !isKnownVersion(seen.version)) {
    return new ServiceError('VERSION_NOT_SUPPORTED', {})
  }
  return new ServiceError('BAD_REQUEST', { problem: `it is not well-formed HTTP (${fault.reason ?? fault.code})` })
}

/** The error with which the body of the request in progress ends. */
function toBodyError(fault: ParserFault): ServiceError {
  const problem =
    fault.code === 'HPE_INVALID_EOF_STATE'
      ? 'the connection was closed before the end of the body'
      : `its chunked transfer coding is malformed (${fault.reason ?? fault.code})`
  return new ServiceError('BAD_MULTIPART', { problem })
}
