// Cross site: refuses what a stranger's web page makes a browser send here. Knows nothing of routes, keys or owners.
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { ServiceError } from '../../core/errors.ts'
import { hostName } from '../connection/request-target.ts'

/** Methods that change nothing: what they give, a page of another origin cannot read (no CORS, CORP same-origin). */
const harmless = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Refuses a host name that is not ours: a page can make its own name point at this machine ("DNS rebinding") and would
 * then count as our origin. Addresses in digits and `localhost` cannot be made to point elsewhere.
 *
 * @param allowedHosts Other names of ours, in lower case, without port.
 * @throws {ServiceError} HOST_NOT_ALLOWED
 */
export function checkHost(request: IncomingMessage, allowedHosts: readonly string[]): void {
  // A request without one was let pass by checkHead, or not: that is not the question here.
  const { host } = request.headers
  if (host === undefined) return
  const name = hostName(host)
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) !== 0 || name === 'localhost' || name.endsWith('.localhost') || allowedHosts.includes(name)) return
  throw new ServiceError('HOST_NOT_ALLOWED', { host: host.slice(0, 100) })
}

/**
 * Refuses a change that a page of another origin asks for. An upload is a request that browsers send across origins
 * without asking first, so this is looked at before anything else of it. Programs send neither header and are let pass.
 *
 * @throws {ServiceError} CROSS_SITE
 */
export function checkSite(request: IncomingMessage): void {
  if (harmless.has(request.method ?? '')) return
  const { origin, host = '', 'sec-fetch-site': site } = request.headers
  // `none` is the person at the browser, not a page.
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  if (isForeignSite || (origin !== undefined && !isOwnOrigin(origin, host))) throw new ServiceError('CROSS_SITE', {})
}

/** Browsers leave the standard port out of both; a proxy may have put either scheme in front of us. */
function isOwnOrigin(origin: string, host: string): boolean {
  const authority = /^https?:\/\/(.+)$/i.exec(origin)?.[1]
  return authority !== undefined && withoutStandardPort(authority) === withoutStandardPort(host)
}

function withoutStandardPort(authority: string): string {
  return authority.toLowerCase().replace(/:(80|443)$/, '')
}
