// Connection: what happens below a request: 100-continue, order of pipelined requests, and what Node cannot parse.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ServiceError } from '../../core/errors.ts'
import { answerErrorOnSocket, isEnding } from './error-record.ts'
import type { LingerLimits } from './lingering-close.ts'
import { RequestBody } from './request-body.ts'
import { isKnownVersion, requestPath } from './request-target.ts'

export interface ConnectionOptions {
  /** Longest wait for the whole head of a request. */
  readonly headersMs: number
  /** How long a connection without a request stays open. */
  readonly keepAliveMs: number
  readonly linger: LingerLimits
}

/** Bytes of a request head; the record for a larger one names the figure too. */
const headBytesMax = 16_384
/** Requests that a client may send ahead of the answers; with more, the connection is cut. */
const requestsAheadMax = 32

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** What is going on on a connection. */
interface Talk {
  /** The request last begun. */
  request: IncomingMessage
  /** Resolves when everything before and with that request has been answered, or the connection has gone. */
  answered: Promise<void>
  ahead: number
}

/** Called for requests that could not be read. */
export type OnUnreadable = (error: ServiceError, path: string) => void

interface SeenRequest {
  readonly path: string
  readonly version: string
}

/** Creates the HTTP server under the routes. `handle` gets one request at a time of each connection. */
export function createConnectionServer(options: ConnectionOptions, handle: Handle, onUnreadable: OnUnreadable): Server {
  const talks = new WeakMap<Duplex, Talk>()
  const server = createServer({
    maxHeaderSize: headBytesMax,
    headersTimeout: options.headersMs,
    // It would end an honest upload over a slow line; the body has a limit on waiting of its own.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5_000, options.headersMs),
    keepAliveTimeout: options.keepAliveMs,
    // Node would answer without our record.
    requireHostHeader: false,
    noDelay: true,
  })
  // Not in Node's documentation, but the only way to answer a client that ends its side after the request
  // (`shutdown(SHUT_WR)`), as HTTP/1.0 tools do. Without it Node closes before we have answered.
  Object.assign(server, { httpAllowHalfOpen: true })
  // All header lines are kept, so that none is dropped silently; the bytes of the head bound them.
  server.maxHeadersCount = 0
  endSilentConnections(server)

  const takeTurn: Handle = (request, response) => {
    const { socket } = request
    if (isEnding(socket)) {
      // A request behind an error: nothing more is read, or a flood of them would pile up.
      socket.pause()
      return
    }
    const talk = talks.get(socket)
    const isBusy = talk !== undefined && talk.ahead > 0
    const before = isBusy ? talk.answered : Promise.resolve()
    const next = talk ?? { request, answered: before, ahead: 0 }
    next.request = request
    next.ahead += 1
    next.answered = Promise.all([before, closed(response)]).then(() => {
      next.ahead -= 1
    })
    talks.set(socket, next)
    if (next.ahead > requestsAheadMax) socket.destroy()
    else if (!isBusy) handle(request, response)
    else void before.then(() => isEnding(socket) || socket.destroyed || handle(request, response))
  }
  server.on('request', takeTurn)
  // Both only tell that there is an `Expect` header: the routes read it and decide.
  server.on('checkContinue', takeTurn)
  server.on('checkExpectation', takeTurn)

  const refuse = (socket: Socket, error: ServiceError, seen: SeenRequest) => {
    if (isEnding(socket) || !socket.writable) return
    onUnreadable(error, seen.path)
    answerErrorOnSocket(socket, error, seen, options.linger)
  }
  server.on('clientError', (fault: ParserFault, stream) => {
    // A TCP server has TCP sockets; Node's type allows for more.
    const socket = stream as Socket
    if (isEnding(socket)) return
    const seen = readRequestLine(fault.rawPacket)
    const error = socket.writable ? readFault(fault, seen, socket) : null
    if (error === null) {
      socket.destroy()
      return
    }
    const talk = talks.get(socket)
    if (talk === undefined || talk.ahead === 0) {
      refuse(socket, error, seen)
      return
    }
    // What is broken is the body of the request in progress, or a later request: that one is refused after the answer.
    if (!talk.request.complete) RequestBody.of(talk.request).fail(bodyFault(fault))
    void talk.answered.then(() => refuse(socket, error, seen))
  })
  server.on('connect', (request: IncomingMessage, stream: Duplex) => {
    const socket = stream as Socket
    const error = new ServiceError('METHOD_NOT_ALLOWED', { method: 'CONNECT', allow: [] })
    socket.on('error', () => socket.destroy())
    socket.resume()
    refuse(socket, error, { path: requestPath(request.url ?? '/'), version: request.httpVersion })
  })
  return server
}

/** Node takes a connection on which nothing came yet for a busy one: a browser's spare one would hold up the end. */
function endSilentConnections(server: Server): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  // Called by close() too.
  server.closeIdleConnections = () => {
    closeIdle()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
}

/** What Node says of bytes that are no request. It holds those bytes too, so it must not get into the log. */
interface ParserFault extends Error {
  readonly code?: string
  /** What the parser stumbled over, in words of its own. */
  readonly reason?: string
  readonly rawPacket?: Buffer
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', resolve))
}

/** What to tell the client; null where there is nobody to tell. */
function readFault(fault: ParserFault, seen: SeenRequest, socket: Socket): ServiceError | null {
  if (fault.code === 'HPE_HEADER_OVERFLOW') return new ServiceError('HEADERS_TOO_LARGE', {})
  if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    // A connection on which nothing was ever sent (browsers open some in advance) waits for no answer.
    return socket.bytesRead === 0
      ? null
      : new ServiceError('REQUEST_TIMEOUT', { problem: 'its head did not come in time' })
  }
  if (!fault.code?.startsWith('HPE_')) return null
  // The parser gives the same code for a version it does not know and for a wrong line end behind one it knows.
  if (fault.code === 'HPE_INVALID_VERSION' && !isKnownVersion(seen.version)) {
    return new ServiceError('VERSION_NOT_SUPPORTED', {})
  }
  return new ServiceError('BAD_REQUEST', { problem: `it is not well-formed HTTP (${fault.reason ?? fault.code})` })
}

function bodyFault(fault: ParserFault): ServiceError {
  const problem =
    fault.code === 'HPE_INVALID_EOF_STATE'
      ? 'the connection was ended before the end of the body'
      : `its chunked transfer coding is malformed (${fault.reason ?? fault.code})`
  return new ServiceError('BAD_MULTIPART', { problem })
}

/** Path and version, as far as the bytes at hand begin with a request line; Node keeps no more of a broken request. */
function readRequestLine(packet: Buffer | undefined): SeenRequest {
  const text = packet?.subarray(0, 4_096).toString('latin1').trimStart() ?? ''
  const [, target = '/', version = '1.1'] = /^[!-~]+ ([^\s]+)(?: HTTP\/(\d\.\d))?/.exec(text) ?? []
  return { path: requestPath(target), version }
}
