// Parser faults: what Node's HTTP parser reports of bytes that are not a request, as errors. Knows no connection.
import type { Socket } from 'node:net'
import { ServiceError } from '../../core/errors.ts'
import { isKnownVersion, type SeenRequest } from './request-target.ts'

/** What Node reports. It holds the bytes as well, so it must not get into the log. */
export interface ParserFault extends Error {
  readonly code?: string
  /** What the parser stumbled over, in words of its own. */
  readonly reason?: string
  readonly rawPacket?: Buffer
}

/** The error to answer with; null if there is nobody to answer. */
export function toRequestError(fault: ParserFault, seen: SeenRequest, socket: Socket): ServiceError | null {
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

/** The error with which the body of the request in progress ends. */
export function toBodyError(fault: ParserFault): ServiceError {
  const problem =
    fault.code === 'HPE_INVALID_EOF_STATE'
      ? 'the connection was ended before the end of the body'
      : `its chunked transfer coding is malformed (${fault.reason ?? fault.code})`
  return new ServiceError('BAD_MULTIPART', { problem })
}
