// CORS: lets pages of the allowed origins use the service from a browser. Knows nothing of routes.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Request headers that API clients send, beyond those that need no permission. */
const requestHeaders = [
  'authorization, content-type, range, if-match, if-none-match, if-range, traceparent, prefer',
  // For uploads; clients of tus in browsers send the last two.
  'tus-resumable, upload-length, upload-defer-length, upload-offset, upload-metadata, upload-checksum',
  'content-disposition, idempotency-key, x-http-method-override, x-request-id, x-requested-with',
].join(', ')
/** Response headers that a page may read, beyond those that need no permission. */
const exposedHeaders = [
  'accept-ranges, allow, content-disposition, content-range, etag, link, repr-digest, retry-after, traceresponse',
  'www-authenticate, preference-applied, location, content-location, upload-offset, upload-length, upload-defer-length',
  'upload-metadata, upload-expires, tus-resumable, tus-version, tus-extension, tus-max-size, tus-checksum-algorithm',
  'idempotent-replayed',
].join(', ')
/** How long a browser remembers a permission. */
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
