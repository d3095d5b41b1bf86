// Trace context: the client's trace that a request belongs to, by W3C Trace Context. Knows nothing of logs.
import { randomBytes } from 'node:crypto'

/** Our part in a trace, as the log shows it. */
export interface Trace {
  readonly traceId: string
  /** The span of the caller. */
  readonly parentId: string
  /** The span of this request. */
  readonly spanId: string
  /** The response header `traceresponse`. */
  readonly response: string
}

const pattern = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/** Parses a `traceparent` header; null if there is none or it is invalid (section 3.2). */
export function readTrace(traceparent: string | readonly string[] | undefined): Trace | null {
  if (typeof traceparent !== 'string') return null
  const [, traceId, parentId, flags, rest] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return null
  // Version 00 has nothing after its flags; later versions may.
  if (rest === '-' && traceparent.startsWith('00')) return null
  const spanId = randomBytes(8).toString('hex')
  return { traceId, parentId, spanId, response: `00-${traceId}-${spanId}-${flags}` }
}
