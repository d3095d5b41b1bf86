// Trace context: which trace of a client a request belongs to, by W3C Trace Context. Knows nothing of logs.
import { randomBytes } from 'node:crypto'

/** Our part in a trace, as it stands in the log. */
export interface Trace {
  readonly traceId: string
  /** Who asked. */
  readonly parentId: string
  /** This request. */
  readonly spanId: string
  /** What goes back to the client: the header `traceresponse`. */
  readonly response: string
}

const pattern = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** The trace that a `traceparent` header names; null where there is none, or one that is not to be understood (section 3.2). */
export function readTrace(traceparent: string | readonly string[] | undefined): Trace | null {
  if (typeof traceparent !== 'string') return null
  const [, traceId, parentId, flags, rest] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return null
  // Version 00 has nothing behind its flags; a later one may.
  if (rest === '-' && traceparent.startsWith('00')) return null
  const spanId = randomBytes(8).toString('hex')
  return { traceId, parentId, spanId, response: `00-${traceId}-${spanId}-${flags}` }
}
