// Request log: one line a request, without anything a client may hold secret: no query, no header, no content.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { ServiceError } from '../core/errors.ts'
import { requestPath } from './request-target.ts'

const counted = new WeakMap<Socket, { readonly read: number; readonly written: number }>()
const failures = new WeakMap<ServerResponse, ServiceError>()
const pathLengthMax = 200

/** Keeps why this request failed for its line in the log. */
export function noteFailure(response: ServerResponse, error: ServiceError): void {
  failures.set(response, error)
}

/** Writes the line once the answer is complete or the client gone. Bytes are those of the connection, heads included. */
export function logWhenAnswered(logger: FastifyBaseLogger, request: IncomingMessage, response: ServerResponse): void {
  const beganMs = performance.now()
  const { socket } = request
  response.once('close', () => {
    const before = counted.get(socket) ?? { read: 0, written: 0 }
    const now = { read: socket.bytesRead, written: socket.bytesWritten }
    counted.set(socket, now)
    logLine(logger, failures.get(response), {
      method: request.method,
      path: shownPath(requestPath(request.url ?? '/')),
      status: response.headersSent ? response.statusCode : null,
      receivedBytes: now.read - before.read,
      sentBytes: now.written - before.written,
      durationMs: Math.round(performance.now() - beganMs),
      isWhole: response.writableFinished,
    })
  })
}

/** The line of a request that could not be read. */
export function logUnreadable(logger: FastifyBaseLogger, error: ServiceError, path: string): void {
  logLine(logger, error, { path: shownPath(path), status: error.status })
}

/** What failed with a cause is an error, with the cause that the client is never told; the rest is a day's work. */
function logLine(logger: FastifyBaseLogger, failure: ServiceError | undefined, facts: object): void {
  if (failure === undefined) logger.info(facts, 'request')
  else if (failure.cause === undefined) logger.info({ ...facts, code: failure.code }, 'request')
  else logger.error({ ...facts, code: failure.code, err: failure.cause }, 'request')
}

function shownPath(path: string): string {
  return path.slice(0, pathLengthMax)
}
