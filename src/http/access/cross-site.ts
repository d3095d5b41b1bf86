// Cross site: rejects requests that a page of another site makes a browser send. Knows nothing of routes, keys or owners.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { ServiceError } from '../../core/errors.ts'
import { hostName } from '../connection/request-target.ts'
import { allowedOrigin } from './cors.ts'

/** Methods that change nothing; a page of another origin cannot read their answers (no CORS, CORP same-origin). */
const harmless = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Rejects a host name that is not ours: a page can make its own name resolve to this machine ("DNS rebinding"), and
 * would then count as our origin. Numeric addresses and `localhost` cannot be redirected like that.
 *
 * @param allowedHosts Our other names, in lower case, without port.
 * @throws {ServiceError} HOST_NOT_ALLOWED
 */
export function checkHost(request: IncomingMessage, allowedHosts: readonly string[]): void {
  // `checkHead` decides whether a request needs a Host header.
  const { host } = request.headers
  if (host === undefined) return
  const name = hostName(host)
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0 || name === 'localhost' || name.endsWith('.localhost') || allowedHosts.includes(name)) return
  throw new ServiceError('HOST_NOT_ALLOWED', { host: host.slice(0, 100) })
}

/**
 * Rejects a change requested by a page of an origin that is neither ours nor allowed. Browsers send an upload to
 * another origin without asking first, so this check comes before all others. Programs send neither header.
 *
 * @throws {ServiceError} CROSS_SITE
 */
export function checkSite(request: IncomingMessage, allowedOrigins: readonly string[]): void {
  if (harmless.has(request.method ?? '') || allowedOrigin(request, allowedOrigins) !== null) return
  const { origin, host = '', 'sec-fetch-site': site } = request.headers
  // `none` means that the user started the request, not a page.
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (isForeignSite || (origin !== undefined && !isOwnOrigin(origin, host))) throw new ServiceError('CROSS_SITE', {})
}

/** Browsers leave out the standard port in both; a proxy in front of us may use either scheme. */
function isOwnOrigin(origin: string, host: string): boolean {
  const authority = /^https?:\/\/(.+)$/i.exec(origin)?.[1]
  return authority !== undefined && withoutStandardPort(authority) === withoutStandardPort(host)
}

function withoutStandardPort(authority: string): string {
  return authority.toLowerCase().replace(/:(80|443)$/, '')
}
