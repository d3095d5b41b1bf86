// Error record: the one file that knows the six fields, their content type and framing, and that an error closes the connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { nodeHttp } from '../../core/node-http.ts'
import { toStoreError } from '../../core/storage-error.ts'
import { closeLingering, type LingerLimits } from './lingering-close.ts'
import { afterLastResponse } from './node-patches.ts'
import { requestPath, type SeenRequest } from './request-target.ts'

export const jsonContentType = 'application/json;charset=UTF-8'

/** Media type of the bytes that tus appends with PATCH. */
export const appendedType = 'application/offset+octet-stream'

/** Headers that an error keeps: which page may read it, and that tus is spoken. */
const keptHeaders: ReadonlySet<string> = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'vary',
  'tus-resumable',
])

const answered = new WeakSet<Socket>()

/** True once an error was answered on this connection: whatever else arrives must be neither answered nor acted on. */
export function isEnding(socket: Socket): boolean {
  return answered.has(socket)
}

/** What a caller may know about a failure: internal failures become INTERNAL, with the real error as its cause. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  // Fastify's own errors have a status and a fixed text.
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500) return new ServiceError('BAD_REQUEST', { problem: (error as Error).message })
  // A lack of file descriptors, space or a disk is not our failure, wherever it shows up.
  const refused = toStoreError(error)
  return refused.code === 'STORE_FAILED' ? new ServiceError('INTERNAL', {}, error) : refused
}

/**
 * Answers a request with an error record and closes the connection in such a way that a client that is still sending
 * can read it. A client that has disconnected gets nothing. A response that has already begun is cut off, so that no
 * client takes it for complete.
 */
export function sendErrorRecord(
  request: IncomingMessage,
  response: ServerResponse,
  error: ServiceError,
  limits: LingerLimits,
  helpPath = '/docs#uploadCsv',
): void {
  const { socket } = request
  if (response.destroyed || socket.destroyed) return
  if (response.headersSent) {
    response.destroy()
    return
  }
  answered.add(socket)
  afterLastResponse(socket, () => closeLingering(socket, limits))
  // Discard the rest of the body, whoever was reading it.
  request.removeAllListeners('data')
  request.resume()
  // The reader of the body may have paused the socket, see request-body.ts.
  socket.resume()
  // Headers set for a response that failed before its first byte do not apply to the error.
  for (const name of response.getHeaderNames()) if (!keptHeaders.has(name)) response.removeHeader(name)
  // The head is complete before the body, so Node frames the body: in chunks, until the close for HTTP/1.0, none for
  // HEAD. By itself, it would not use chunks for a version like 2.0, and use them for HTTP/1.0 with `TE: chunked`.
  response.useChunkedEncodingByDefault = request.httpVersion !== '1.0'
  response.writeHead(error.status, errorHeaders(error, request.method, helpPath))
  response.end(errorBody(error, requestPath(request.url ?? '/')))
}

/** Answers on a connection whose request could not be read, so there is no response object. */
export function sendErrorOnSocket(socket: Socket, error: ServiceError, seen: SeenRequest, limits: LingerLimits): void {
  answered.add(socket)
  const body = errorBody(error, seen.path)
  const isChunked = seen.version !== '1.0'
  const headers = {
    ...errorHeaders(error, seen.method),
    ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : {}),
    Date: new Date().toUTCString(),
  }
  const head = [`HTTP/1.1 ${error.status} ${phrase(error.status)}`]
  for (const [name, value] of Object.entries(headers)) head.push(`${name}: ${value}`)
  const framed = isChunked ? `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
  // A response to HEAD has no body (RFC 9110 section 9.3.2).
  socket.write(`${head.join('\r\n')}\r\n\r\n${seen.method === 'HEAD' ? '' : framed}`)
  closeLingering(socket, limits)
}

function errorBody(error: ServiceError, path: string): string {
  return JSON.stringify({
    timestamp: Date.now(),
    status: error.status,
    error: phrase(error.status),
    exception: error.exception,
    message: error.message,
    path,
  })
}

function errorHeaders(
  error: ServiceError,
  method: string | undefined,
  helpPath = '/docs#uploadCsv',
): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': jsonContentType,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  if (isServiceError(error, 'UNAUTHORIZED')) headers['WWW-Authenticate'] = 'Bearer realm="csv-upload"'
  const help = helpOf(error)
  if (help !== null) headers.Link = `<${helpPath}>; rel="help"; title="${help}"`
  if (isServiceError(error, 'UPLOAD_OFFSET_MISMATCH')) headers['Upload-Offset'] = String(error.details.expected)
  // RFC 5789 section 2.2, RFC 7694 section 3.
  if (isServiceError(error, 'NOT_BYTES') || (error.status === 415 && method === 'PATCH'))
    headers['Accept-Patch'] = appendedType
  if (isServiceError(error, 'CONTENT_CODED')) headers['Accept-Encoding'] = 'identity'
  if (isServiceError(error, 'PROTOCOL_NOT_SUPPORTED')) headers['Tus-Version'] = '1.0.0'
  if (isServiceError(error, 'METHOD_NOT_ALLOWED')) headers.Allow = error.details.allow.join(', ')
  if (isServiceError(error, 'RANGE_NOT_SATISFIABLE')) headers['Content-Range'] = `bytes */${error.details.bytes}`
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds)
  return headers
}

/** Reasons that the messages fixed by the specification leave out. Printable ASCII without double quotes. */
function helpOf(error: ServiceError): string | null {
  if (isServiceError(error, 'MISSING_FILE_PART')) return error.details.seen
  if (isServiceError(error, 'NO_BOUNDARY')) {
    return 'Content-Type has no boundary; do not set it yourself, the HTTP library adds it'
  }
  if (isServiceError(error, 'NOT_MULTIPART')) return 'send a plain file as the body of POST /qas/uploads'
  return null
}

export function phrase(status: number): string {
  // tus defines this status; Node does not know it.
  if (status === 460) return 'Checksum Mismatch'
  return nodeHttp.STATUS_CODES[status] ?? 'Unknown'
}
