// Server: puts the HTTP side together over a service, starts it and ends it. The one place that makes a Fastify.
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { ServiceError } from '../core/errors.ts'
import { type Meter, noMeter } from '../core/meter.ts'
import type { Service } from '../service/service.ts'
import type { App } from './app.ts'
import { type ConnectionOptions, createConnectionServer } from './connection.ts'
import { checkHost, checkSite } from './cross-site.ts'
import { addDatasetRoutes } from './dataset-routes.ts'
import { addDescriptionRoutes } from './description-routes.ts'
import { addDownloadRoutes } from './download-routes.ts'
import { answerError, toServiceError } from './error-record.ts'
import { checkExpectation, checkHead, KnownPaths } from './head-checks.ts'
import { addHealthRoutes } from './health-routes.ts'
import { defaultLingerLimits } from './lingering-close.ts'
import { addMetricsRoute } from './metrics-route.ts'
import type { DescribedRoute } from './openapi.ts'
import { addQueryRoute } from './query-route.ts'
import { compileQuery } from './query-values.ts'
import { logUnreadable, logWhenAnswered, noteFailure } from './request-log.ts'
import { isPlainPath, originForm, requestPath } from './request-target.ts'
import { addUploadRoute } from './upload-route.ts'

export interface HttpOptions extends ConnectionOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** Names in a Host header that are ours beside addresses and `localhost`; in lower case, without port. */
  readonly allowedHosts: readonly string[]
  /** Longest wait for the next bytes of a request body. */
  readonly bodyIdleMs: number
  /** Longest wait for a client to take the next bytes of a download. */
  readonly writeIdleMs: number
  /** How long requests in progress may go on after `close` was called. */
  readonly shutdownGraceMs: number
}

export const defaultHttpOptions: HttpOptions = {
  host: '127.0.0.1',
  port: 8080,
  allowedHosts: [],
  headersMs: 15_000,
  keepAliveMs: 15_000,
  bodyIdleMs: 30_000,
  writeIdleMs: 60_000,
  shutdownGraceMs: 30_000,
  linger: defaultLingerLimits,
}

export interface HttpServer {
  /** Where: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly port: number
  /** Takes no more requests, lets those in progress end within the grace, then cuts the rest. Resolves when all is closed. */
  close(): Promise<void>
}

/** Starts the HTTP side of a service; resolves when it listens. `meter` is told of every request. */
export async function createHttpServer(
  service: Service,
  options: HttpOptions,
  logger: FastifyBaseLogger,
  meter: Meter = noMeter,
): Promise<HttpServer> {
  const app = createApp(options, logger, meter)
  let isClosing = false
  const paths = new KnownPaths()
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ url, method, schema = {} }) => {
    const methods = [method].flat()
    paths.add(url, methods)
    routes.push({ url, methods, schema })
  })
  app.addHook('onRequest', async (request, reply) => {
    logWhenAnswered(request.raw, reply.raw, { logger: request.log, meter, route: request.routeOptions.url ?? null })
    checkHead(request.raw, request.originalUrl)
    checkHost(request.raw, options.allowedHosts)
    checkSite(request.raw)
    if (isClosing) throw new ServiceError('SHUTTING_DOWN', {})
    const path = requestPath(request.originalUrl)
    const allow = isPlainPath(path) ? paths.allowed(path) : []
    if (allow.length === 0) throw new ServiceError('NOT_FOUND', {})
    if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow.join(', ')).send()
    if (request.is404) throw new ServiceError('METHOD_NOT_ALLOWED', { method: request.method, allow })
    checkExpectation(request.raw)
  })
  app.addHook('onSend', async (request, reply) => {
    for (const [name, value] of guardHeaders) if (!reply.hasHeader(name)) reply.header(name, value)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    // A client that has ended its side sends nothing more. Kept alive, a connection whose client is gone altogether would
    // stay open for as long as an idle one, since nobody reads or writes on it any more.
    if (request.raw.socket.readableEnded) reply.raw.shouldKeepAlive = false
    if (isClosing) reply.header('connection', 'close')
    // The reference says nothing of a connection that stays open, which is HTTP/1.1's default.
    else if (reply.raw.shouldKeepAlive && request.raw.httpVersion === '1.1') reply.raw.removeHeader('connection')
  })
  addDescriptionRoutes(app, routes)
  addUploadRoute(app, service, options)
  addDatasetRoutes(app, service)
  addDownloadRoutes(app, service, options)
  addQueryRoute(app, service, options)
  addHealthRoutes(app, service)
  addMetricsRoute(app, meter)

  const url = await app.listen({ host: options.host, port: options.port })
  // Listening on a port makes it one of those addresses; a path would be text.
  const { port } = app.server.address() as AddressInfo
  return {
    url,
    port,
    close: async () => {
      isClosing = true
      const cut = setTimeout(() => app.server.closeAllConnections(), options.shutdownGraceMs)
      await app.close().finally(() => clearTimeout(cut))
    },
  }
}

/** What keeps an answer from being run, framed or read by a page of another origin, unless its route says otherwise. */
const guardHeaders = [
  ['x-content-type-options', 'nosniff'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
] as const

/** A Fastify whose every failure, its own included, becomes an error record. */
function createApp(options: HttpOptions, logger: FastifyBaseLogger, meter: Meter): App {
  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toServiceError(error, request.routeOptions.bodyLimit)
    reply.hijack()
    // With the client gone, what failed is usually only that.
    if (!reply.raw.destroyed) noteFailure(reply.raw, refusal)
    answerError(request.raw, reply.raw, refusal, options.linger)
  }
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Unique also among processes, whose logs may come together.
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    rewriteUrl: (request) => originForm(request.url ?? '/'),
    // What Fastify cannot decode in a path is no path of ours.
    frameworkErrors: (_error, request, reply) => {
      logWhenAnswered(request.raw, reply.raw, { logger: request.log, meter, route: null })
      answer(new ServiceError('NOT_FOUND', {}), request, reply)
    },
    // The server below deals with them, for this listener would come too late to do so.
    clientErrorHandler: () => {},
    serverFactory: (handle) =>
      createConnectionServer(options, handle, (error, path) => logUnreadable(logger, error, path)),
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(compileQuery)
  // Answers leave as streams; their schemas are for the description of the routes, and tests hold answers to them.
  app.setSerializerCompiler(() => JSON.stringify)
  app.setErrorHandler(answer)
  app.setNotFoundHandler((request, reply) => answer(new ServiceError('NOT_FOUND', {}), request, reply))
  return app
}
