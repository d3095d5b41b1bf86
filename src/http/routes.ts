// Routes: adds every route, with the checks around it, to a Fastify app. Knows nothing of ports and listening.
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../core/errors.ts'
import type { Meter } from '../core/meter.ts'
import type { Service } from '../service/service.ts'
import { type AuthorizationOptions, addAuthorization } from './access/authorize.ts'
import { allowedOrigin, allowMethods, allowOrigin, checkHost, checkSite } from './access/cross-site.ts'
import type { App } from './app.ts'
import { sendErrorRecord, toServiceError } from './connection/error-record.ts'
import { checkExpectation, checkHead, KnownPaths } from './connection/head-checks.ts'
import { closeLingering, type LingerLimits } from './connection/lingering-close.ts'
import { afterLastResponse } from './connection/node-patches.ts'
import { hasMoreToResponse } from './connection/pipelines.ts'
import type { BodyPace } from './connection/request-body.ts'
import { logWhenAnswered, noteFailure } from './connection/request-log.ts'
import { isPlainPath, requestPath } from './connection/request-target.ts'
import { addJsonBody } from './exchange/json-body.ts'
import { compileQuery } from './exchange/parse-query.ts'
import { datasetRoutes } from './routes/dataset-routes.ts'
import { downloadRoutes } from './routes/download-routes.ts'
import { pageRoutes } from './routes/page-routes.ts'
import { queryRoute } from './routes/query-route.ts'
import { addRoute, type Route } from './routes/route.ts'
import { serviceRoutes } from './routes/service-routes.ts'
import { trashRoutes } from './routes/trash-routes.ts'
import { formRoutes, uploadRoutes } from './routes/upload-routes.ts'
import { uploadStatusRoutes } from './routes/upload-status-routes.ts'

/** Every route except those of the page, in the order in which `Allow` lists their methods. */
const rows = [
  ...serviceRoutes,
  ...formRoutes,
  ...uploadStatusRoutes,
  ...uploadRoutes,
  ...datasetRoutes,
  ...trashRoutes,
  ...downloadRoutes,
  queryRoute,
]

/** What the routes need in addition to the service. */
export interface RouteOptions extends AuthorizationOptions, BodyPace {
  /** Our names in a Host header, besides addresses and `localhost`; in lower case, without port. */
  readonly allowedHosts: readonly string[]
  /** Origins whose pages may use the service, in lower case: `http://localhost:3000`. */
  readonly allowedOrigins: readonly string[]
  /** Longest wait for a client to read the next bytes of a download. */
  readonly writeIdleMs: number
  readonly linger: LingerLimits
  /** Origins whose pages may show ours in a frame. */
  readonly frameAncestors: readonly string[]
  /** False in a host's app, to which the page at `/` and the docs belong. */
  readonly hasPage: boolean
}

/** The end of an app: no more uploads, then no more reads. */
export interface Stopping {
  readonly closing: AbortSignal
  readonly drained: AbortSignal
}

/** Every route; in a host's app, those of the page are left out. */
export function routesOf(options: Pick<RouteOptions, 'hasPage' | 'frameAncestors'>): readonly Route[] {
  return options.hasPage ? [...rows, ...pageRoutes(frames(options))] : rows
}

/** Adds every route to an app, or to the part of one that is ours alone. */
export function addRoutes(
  app: App,
  service: Service,
  options: RouteOptions,
  meter: Meter,
  { closing, drained }: Stopping,
): void {
  app.setValidatorCompiler(compileQuery)
  // Responses are sent as streams. Their schemas serve the description of the routes, and tests check responses against
  // them.
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(failureResponse(options.linger, app.prefix, options.hasPage))
  const paths = new KnownPaths()
  addRequestChecks(app, { options, paths, meter, closing, drained })
  addResponseHeaders(app, options, closing)
  addAuthorization(app, service, options)
  addJsonBody(app, options)
  const routes = routesOf(options)
  const context = { ...options, resumableBytesMax: service.resumable.bytesMax, meter, routes, paths, closing }
  for (const row of routes) addRoute(app, row, context)
}

interface RequestChecks extends Stopping {
  readonly options: RouteOptions
  readonly paths: KnownPaths
  readonly meter: Meter
}

/** Rejects a request that is wrong whoever sends it, before its body is read; answers OPTIONS. */
function addRequestChecks(app: App, { options, paths, meter, closing, drained }: RequestChecks): void {
  const { allowedHosts, allowedOrigins } = options
  app.addHook('onRequest', async (request, reply) => {
    const { url = null, config } = request.routeOptions
    logWhenAnswered(request.raw, reply.raw, { logger: request.log, meter, route: url })
    if (allowedOrigins.length > 0) reply.raw.setHeader('vary', 'origin')
    const origin = allowedOrigin(request.raw, allowedOrigins)
    if (origin !== null) allowOrigin(reply.raw, origin)
    checkHead(request.raw, request.originalUrl)
    if (config.isForAnyHost !== true) checkHost(request.raw, allowedHosts)
    checkSite(request.raw, allowedOrigins)
    const isServed = config.isForAnyHost === true || (/^(GET|HEAD)$/.test(request.method) && !drained.aborted)
    if (closing.aborted && !isServed) throw new ServiceError('SHUTTING_DOWN', {})
    const path = requestPath(request.originalUrl)
    const asksWholeServer = request.method === 'OPTIONS' && request.originalUrl === '*'
    const allow = asksWholeServer ? paths.allowed(null) : isPlainPath(path) ? paths.allowed(path) : []
    if (allow.length === 0) throw new ServiceError('NOT_FOUND', {})
    if (request.method === 'OPTIONS') {
      if (origin !== null) allowMethods(request.raw, reply.raw, allow)
      return reply.code(204).headers(paths.options(path)).header('allow', allow.join(', ')).send()
    }
    if (request.is404) throw new ServiceError('METHOD_NOT_ALLOWED', { method: request.method, allow })
    checkExpectation(request.raw)
  })
}

/** Sets the headers that every successful response has, and decides whether the connection stays open. */
function addResponseHeaders(app: App, options: RouteOptions, closing: AbortSignal): void {
  const { allowedOrigins, linger } = options
  const guards = guardHeaders(frames(options))
  app.addHook('onSend', async (request, reply) => {
    for (const [name, value] of guards) if (!reply.hasHeader(name)) reply.header(name, value)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    if (allowedOrigins.length > 0) {
      const others = reply.getHeader('vary')
      reply.header('vary', others === undefined || others === 'origin' ? 'origin' : `${others}, origin`)
    }
    for (const name of app.prefix === '' ? [] : ['location', 'content-location']) {
      if (reply.hasHeader(name)) reply.header(name, `${app.prefix}${reply.getHeader(name)}`)
    }
    const { socket } = request.raw
    // A client that has ended its side sends nothing more. If it has disconnected altogether, a kept connection would
    // stay open until the idle timeout, since nobody reads or writes on it any more.
    if (socket.readableEnded && !hasMoreToResponse(socket)) reply.raw.shouldKeepAlive = false
    if (hasBody(request.raw) && !request.raw.complete) {
      // Nobody reads the body: it could drip in forever.
      reply.raw.shouldKeepAlive = false
      afterLastResponse(socket, () => closeLingering(socket, linger))
    }
    if (closing.aborted) reply.header('connection', 'close')
    // The reference omits the header if the connection stays open, which is HTTP/1.1's default.
    else if (reply.raw.shouldKeepAlive && request.raw.httpVersion === '1.1') reply.raw.removeHeader('connection')
  })
}

/** A request without a body may be answered before Node marks it as complete. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Headers that keep a page of another origin from running, framing or reading a response, unless a route sets them. */
const guardHeaders = (frameAncestors: string) =>
  [
    ['x-content-type-options', 'nosniff'],
    ['content-security-policy', `default-src 'none'; frame-ancestors ${frameAncestors}`],
    ['cross-origin-resource-policy', 'same-origin'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['referrer-policy', 'no-referrer'],
  ] as const

/** What `frame-ancestors` of a policy lists. */
function frames({ frameAncestors }: Pick<RouteOptions, 'frameAncestors'>): string {
  return frameAncestors.join(' ') || "'none'"
}

/** Turns every failure, including those of Fastify, into an error record. */
export function failureResponse(linger: LingerLimits, prefix = '', hasPage = true) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = toServiceError(error)
    reply.hijack()
    // If the client has disconnected, that is usually the only thing that failed.
    if (!reply.raw.destroyed) noteFailure(reply.raw, refusal)
    sendErrorRecord(request.raw, reply.raw, refusal, linger, hasPage ? undefined : `${prefix}/openapi.json`)
  }
}
