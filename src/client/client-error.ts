// Client error: every way in which a request to the service can fail, as a value. Does not know how requests are sent.
import { hasMembers, parseJson } from './members.ts'

/** The six fields of an error record, as the service sent them. */
export interface ErrorRecord {
  readonly timestamp: number
  readonly status: number
  readonly error: string
  readonly exception: string
  readonly message: string
  readonly path: string
}

export type Failure =
  /** The server refused. `record` is null if an intermediary answered without one. */
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly message: string
      readonly record: ErrorRecord | null
      /** From `Retry-After`; null without one. */
      readonly retryAfterMs: number | null
    }
  /** No connection was established; `isFinal` if there was never one, and none is accepted at that address. */
  | { readonly kind: 'unreachable'; readonly message: string; readonly isFinal: boolean }
  /** The connection ended, or stalled, before the response was complete. */
  | { readonly kind: 'cut'; readonly message: string }
  /** What arrived differs from what was expected, such as bytes with another SHA-256, or an untrusted certificate. */
  | { readonly kind: 'wrong'; readonly message: string }

/** A failed request, as an error to throw. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly failure: Failure

  constructor(failure: Failure, cause?: unknown) {
    super(failure.message, cause === undefined ? undefined : { cause })
    this.failure = failure
  }

  static of(kind: 'cut' | 'wrong', message: string, cause?: unknown): ClientError {
    return new ClientError({ kind, message }, cause)
  }
}

const statusesToRepeat: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** True if retrying may help: no response, or one that says so by its status or `Retry-After`. */
export function isTransient(failure: Failure): boolean {
  if (failure.kind === 'wrong') return false
  if (failure.kind === 'unreachable') return !failure.isFinal
  if (failure.kind !== 'refused') return true
  return failure.retryAfterMs !== null || statusesToRepeat.has(failure.status)
}

const textLengthMax = 1_000

/** The failure that an unsuccessful response describes. */
export function refusal(status: number, retryAfter: string | undefined, body: string): Failure {
  const record = readRecord(body)
  // The reference's message for an unknown path; the other fields say more.
  const isEmpty = record?.message === 'No message available'
  const message =
    (isEmpty ? `${record.error}: the server has nothing to say on ${record.path}` : record?.message) ??
    `the server answered ${status}${body === '' ? '' : `: ${body.slice(0, textLengthMax)}`}`
  return { kind: 'refused', status, message, record, retryAfterMs: readRetryAfter(retryAfter, Date.now()) }
}

function readRecord(body: string): ErrorRecord | null {
  const value = parseJson(body)
  return hasMembers(value, recordMembers) ? (value as ErrorRecord) : null // it has all members
}

const recordMembers = {
  timestamp: 'number',
  status: 'number',
  error: 'string',
  exception: 'string',
  message: 'string',
  path: 'string',
} as const

/** `Retry-After` in its two forms (RFC 9110 section 10.2.3): seconds, or a date. Milliseconds from now. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
