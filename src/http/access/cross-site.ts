// Cross site: which pages of other sites may make a browser send a request, and which may read the response (CORS).
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { ServiceError } from '../../core/errors.ts'
import { hostName } from '../connection/request-target.ts'

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

const requestHeaders = [
  'authorization, content-type, range, if-match, if-none-match, if-range, traceparent, prefer',
  // For uploads; clients of tus in browsers send the last two.
  'tus-resumable, upload-length, upload-defer-length, upload-offset, upload-metadata, upload-checksum',
  'content-disposition, idempotency-key, x-http-method-override, x-request-id, x-requested-with',
].join(', ')
const exposedHeaders = [
  'accept-ranges, allow, content-disposition, content-range, etag, link, repr-digest, retry-after, traceresponse',
  'www-authenticate, preference-applied, location, content-location, upload-offset, upload-length, upload-defer-length',
  'upload-metadata, upload-expires, tus-resumable, tus-version, tus-extension, tus-max-size, tus-checksum-algorithm',
  'idempotent-replayed',
].join(', ')
const maxAgeSeconds = 600

/** The origin of the page that sends the request, if that is allowed; null otherwise. */
export function allowedOrigin(request: IncomingMessage, allowedOrigins: readonly string[]): string | null {
  const { origin } = request.headers
  return origin !== undefined && allowedOrigins.includes(origin.toLowerCase()) ? origin : null
}

/** Lets the page read the response, errors included. No cookies are involved: a page sends its own key. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', exposedHeaders)
}

/** Answers a browser's preflight request: whether a page may send a request with these methods. */
export function allowMethods(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): void {
  if (request.headers['access-control-request-method'] === undefined) return
  response.setHeader('access-control-allow-methods', methods.join(', '))
  response.setHeader('access-control-allow-headers', requestHeaders)
  response.setHeader('access-control-max-age', String(maxAgeSeconds))
  // A page on the internet must ask before it may reach into a private network.
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('access-control-allow-private-network', 'true')
  }
}
