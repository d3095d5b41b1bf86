// CORS: lets pages of the allowed origins use the service from a browser. Knows nothing of routes.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Headers that clients of the API send, beside those that need no permission. */
const requestHeaders = [
  'authorization, content-type, range, if-match, if-none-match, if-range, traceparent, prefer',
  // Of resumable uploads; the last two are sent by clients in browsers.
  'tus-resumable, upload-length, upload-defer-length, upload-offset, upload-metadata, upload-checksum',
  'upload-complete, upload-draft-interop-version, content-disposition, content-digest',
  'idempotency-key, x-http-method-override, x-request-id, x-requested-with',
].join(', ')
/** Headers of answers that a page may read, beside those that need no permission. */
const exposedHeaders = [
  'accept-ranges, allow, content-disposition, content-range, etag, link, repr-digest, retry-after, traceresponse',
  'www-authenticate, preference-applied, location, content-location, upload-offset, upload-length, upload-defer-length',
  'upload-metadata, upload-expires, upload-complete, upload-limit, upload-draft-interop-version, tus-resumable',
  'tus-version, tus-extension, tus-max-size, tus-checksum-algorithm, idempotent-replayed, query-engine',
].join(', ')
/** How long a browser remembers a permission. */
const maxAgeSeconds = 600

/** The origin of the page that sends the request, if that is allowed; null otherwise. */
export function allowedOrigin(request: IncomingMessage, allowedOrigins: readonly string[]): string | null {
  const { origin } = request.headers
  return origin !== undefined && allowedOrigins.includes(origin.toLowerCase()) ? origin : null
}

/** Lets the page read the answer, an error too. No cookies are involved: a page sends a key of its own. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', exposedHeaders)
}

/** Answers the question of a browser whether a page may send a request with these methods. */
export function allowMethods(request: IncomingMessage, response: ServerResponse, methods: readonly string[]): void {
  if (request.headers['access-control-request-method'] === undefined) return
  response.setHeader('access-control-allow-methods', methods.join(', '))
  response.setHeader('access-control-allow-headers', requestHeaders)
  response.setHeader('access-control-max-age', String(maxAgeSeconds))
  // A page of the internet asks before it reaches into a private network.
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('access-control-allow-private-network', 'true')
  }
}
