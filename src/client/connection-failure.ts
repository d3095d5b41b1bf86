// Connection failure: why a request got no response, and what to do. Sends nothing.
import type { Socket } from 'node:net'
import { errorCode } from '../core/storage-error.ts'
import { ClientError } from './client-error.ts'

const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
])

/** @param socket Of the request; null if it got none. */
export function connectionFailure(error: unknown, url: URL, socket: Socket | null): ClientError {
  const [first = error] = error instanceof AggregateError ? error.errors : [error]
  const reason = first instanceof Error ? first.message : String(first)
  const code = errorCode(first)
  const isTimeout = code === 'ETIMEDOUT' || reason.startsWith('no connection')
  if (isTimeout || unreachableCodes.has(code)) {
    const hint = code === 'ECONNREFUSED' ? '; is the service running there?' : ''
    return new ClientError({ kind: 'unreachable', message: `Cannot reach ${url.origin}: ${reason}${hint}` }, error)
  }
  const message = untrusted(reason, code, url, socket) ?? withoutTls(reason, url)
  if (message !== null) return new ClientError({ kind: 'wrong', message }, error)
  return new ClientError({ kind: 'cut', message: `Cannot get an answer from ${url.origin}: ${reason}` }, error)
}

/** Null unless the certificate of the server was refused. */
function untrusted(reason: string, code: unknown, { origin }: URL, socket: Socket | null): string | null {
  if (socket === null || !('authorizationError' in socket) || !socket.authorizationError) return null
  // After a semicolon, Node names an option that users of this program cannot set.
  const why = reason.split(';')[0]!.replace(/[\s:]+$/, '')
  const isUnknown = /SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(String(code))
  const hint = '; if you trust it, set NODE_EXTRA_CA_CERTS to the file of its authority'
  return `Cannot trust ${origin}: ${why}${isUnknown ? hint : ''}`
}

/** Null unless the server answers without TLS, as OpenSSL says at its first byte. */
function withoutTls(reason: string, { origin }: URL): string | null {
  if (!/wrong version number|packet length too long/.test(reason)) return null
  return `Cannot reach ${origin}: the server there does not use TLS; is its address ${origin.replace('https', 'http')}?`
}
