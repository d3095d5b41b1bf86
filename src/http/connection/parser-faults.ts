// Parser faults: turns what Node's HTTP parser reports about bytes that are not a request into errors. Knows no connection.
import type { Socket } from 'node:net'
import { ServiceError } from '../../core/errors.ts'
import { isKnownVersion, type SeenRequest } from './request-target.ts'

/** What Node reports. It also holds the bytes, so it must not get into the log. */
export interface ParserFault extends Error {
  readonly code?: string
  /** The reason that the parser gives. */
  readonly reason?: string
  readonly rawPacket?: Buffer
}

/** The error to answer with; null if no client is waiting for an answer. */
export function toRequestError(fault: ParserFault, seen: SeenRequest, socket: Socket): ServiceError | null {
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
export function toBodyError(fault: ParserFault): ServiceError {
  const problem =
    fault.code === 'HPE_INVALID_EOF_STATE'
      ? 'the connection was closed before the end of the body'
      : `its chunked transfer coding is malformed (${fault.reason ?? fault.code})`
  return new ServiceError('BAD_MULTIPART', { problem })
}
