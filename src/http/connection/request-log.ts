// Request log: writes one line per request, without anything that may be secret: no query, headers or content.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { secretPrefix } from '../../access/api-keys.ts'
import type { ServiceError } from '../../core/errors.ts'
import type { Meter } from '../../core/meter.ts'
import type { UnreadableRequest } from './connection.ts'
import { requestPath } from './request-target.ts'

const counted = new WeakMap<Socket, { readonly read: number; readonly written: number }>()
const failures = new WeakMap<ServerResponse, ServiceError>()
const pathLengthMax = 200
/** A key or JSON Web Token that was put into a path by mistake must not stay in a log. */
const secretLike = new RegExp(`${secretPrefix}[\\w-]+|eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*`, 'g')

/** Keeps the reason why this request failed for its line in the log. */
export function noteFailure(response: ServerResponse, error: ServiceError): void {
  failures.set(response, error)
}

/** What the log knows in addition to the request. */
export interface RequestContext {
  readonly logger: FastifyBaseLogger
  readonly meter: Meter
  /** Pattern of its route; null where there is none. */
  readonly route: string | null
}

/**
 * Writes the line, and counts the request, once the response is complete or the client has disconnected. The bytes are
 * those of the connection, heads included. The line contains the client's trace, which the response returns with our
 * span.
 */
export function logWhenAnswered(request: IncomingMessage, response: ServerResponse, context: RequestContext): void {
  const { logger, meter, route } = context
  const beganMs = performance.now()
  const { socket } = request
  const trace = readTrace(request.headers.traceparent)
  if (trace !== null) response.setHeader('traceresponse', trace.response)
  response.once('close', () => {
    const before = counted.get(socket) ?? { read: 0, written: 0 }
    const now = { read: socket.bytesRead, written: socket.bytesWritten }
    counted.set(socket, now)
    const durationMs = performance.now() - beganMs
    const facts = {
      method: request.method ?? '',
      status: response.headersSent ? response.statusCode : null,
      receivedBytes: now.read - before.read,
      sentBytes: now.written - before.written,
    }
    meter.answered({ ...facts, route, durationMs })
    logLine(logger, failures.get(response), {
      ...facts,
      path: shownPath(requestPath(request.url ?? '/')),
      durationMs: Math.round(durationMs),
      isWhole: response.writableFinished,
      ...(trace !== null && { traceId: trace.traceId, spanId: trace.spanId, parentId: trace.parentId }),
    })
  })
}

/**
 * The line for a request that could not be read. It contains nothing of the request, any part of which may be secret.
 */
export function logUnreadable(logger: FastifyBaseLogger, { error, ...facts }: UnreadableRequest): void {
  logLine(logger, error, { ...facts, status: error.status })
}

/** Logs a failure that has a cause as an error, with the cause, which the client never sees; anything else as info. */
function logLine(logger: FastifyBaseLogger, failure: ServiceError | undefined, facts: object): void {
  if (failure === undefined) logger.info(facts, 'request')
  else if (failure.cause === undefined) logger.info({ ...facts, code: failure.code }, 'request')
  else logger.error({ ...facts, code: failure.code, err: loggableCause(failure.cause) }, 'request')
}

/** DuckDB failures whose texts name files and sizes; the texts of others may quote SQL, patterns and values. */
const harmlessKinds: ReadonlySet<string> = new Set(['IO', 'Out of Memory'])

/** A cause as the log may contain it: of DuckDB errors, only the kind if the text may quote what a client sent. */
export function loggableCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause
  const [found = '', kind = ''] = /([A-Z][A-Za-z ]*?) (?:Error|Exception): .*/s.exec(cause.message) ?? []
  const isHarmless = found === '' || (harmlessKinds.has(kind) && !/\nLINE \d+:/.test(found))
  if (isHarmless && cause.cause === undefined) return cause
  const message = isHarmless ? cause.message : cause.message.replace(found, `${kind} Error`)
  const copy = new Error(message, cause.cause === undefined ? undefined : { cause: loggableCause(cause.cause) })
  copy.name = cause.name
  // Only the frames: a stack begins with the message.
  const frames = (cause.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  copy.stack = [`${cause.name}: ${message}`, ...frames].join('\n')
  return copy
}

export function shownPath(path: string): string {
  const shown = path.replaceAll(secretLike, '…').slice(0, pathLengthMax)
  // JSON does not escape these, and a terminal may act on them.
  return shown.replaceAll(/[\x7f-\x9f]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
}

const pattern = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/**
 * Parses a `traceparent` header; null if there is none or it is invalid (section 3.2). `parentId` is the span of the
 * caller, `spanId` that of this request, `response` the header `traceresponse`.
 */
export function readTrace(traceparent: string | readonly string[] | undefined) {
  if (typeof traceparent !== 'string') return null
  const [, traceId, parentId, flags, rest] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return null
  // Version 00 has nothing after its flags; later versions may.
  if (rest === '-' && traceparent.startsWith('00')) return null
  const spanId = randomBytes(8).toString('hex')
  return { traceId, parentId, spanId, response: `00-${traceId}-${spanId}-${flags}` }
}
