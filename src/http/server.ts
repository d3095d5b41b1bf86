// Server: starts the HTTP side of a service on a port, and stops it. The one place that creates a Fastify app.
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { openAccess } from '../access/access.ts'
import { ServiceError } from '../core/errors.ts'
import { type Meter, noMeter } from '../core/meter.ts'
import type { Service } from '../service/service.ts'
import { dropForwardedPorts } from './access/client-network.ts'
import type { App } from './app.ts'
import { type ConnectionOptions, createConnectionServer } from './connection/connection.ts'
import { defaultLingerLimits } from './connection/lingering-close.ts'
import { logUnreadable, logWhenAnswered } from './connection/request-log.ts'
import { originForm } from './connection/request-target.ts'
import { addRoutes, failureResponse, type RouteOptions } from './routes.ts'

export interface HttpOptions extends ConnectionOptions, RouteOptions {
  readonly host: string
  /** 0 picks any free port. */
  readonly port: number
  /** Addresses or networks whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[]
  /** How long requests in progress may continue after `close` was called. */
  readonly shutdownGraceMs: number
  /** How much of this time datasets can still be read. */
  readonly drainMs: number
}

export const defaultHttpOptions: HttpOptions = {
  host: '127.0.0.1',
  port: 8080,
  allowedHosts: [],
  allowedOrigins: [],
  trustedProxies: [],
  access: openAccess,
  frameAncestors: [],
  hasPage: true,
  requestsPerMinuteMax: Number.POSITIVE_INFINITY,
  headersMs: 15_000,
  keepAliveMs: 15_000,
  bodyIdleMs: 30_000,
  bodyBytesPerSecondMin: 1_024,
  writeIdleMs: 60_000,
  shutdownGraceMs: 30_000,
  drainMs: 0,
  linger: defaultLingerLimits,
}

export type HttpServer = Awaited<ReturnType<typeof createHttpServer>>

/** Starts the HTTP side of a service; resolves when it listens. `meter` counts every request. */
export async function createHttpServer(
  service: Service,
  options: HttpOptions,
  logger: FastifyBaseLogger,
  meter: Meter = noMeter,
) {
  const running = new Set<Promise<unknown>>()
  const app = createApp(options, logger, meter, (response) => {
    const ended = new Promise((resolve) => response.once('close', resolve))
    running.add(ended)
    void ended.then(() => running.delete(ended))
  })
  const [closing, drained] = [new AbortController(), new AbortController()]
  addRoutes(app, service, options, meter, { closing: closing.signal, drained: drained.signal })
  const url = await app.listen({ host: options.host, port: options.port })
  // On a port, this is an address object; it is a text only for a path.
  const { port } = app.server.address() as AddressInfo
  return {
    /** Base URL: `http://127.0.0.1:8080`. */
    url,
    port,
    /**
     * Accepts no more uploads, and after a time no more reads; lets those in progress finish within the grace period,
     * then cuts off the rest. Health and metrics are served until then. Resolves when everything is closed.
     */
    close: async () => {
      closing.abort()
      const cut = setTimeout(() => app.server.closeAllConnections(), options.shutdownGraceMs)
      await sleep(Math.min(options.drainMs, options.shutdownGraceMs))
      drained.abort()
      await Promise.all(running)
      await app.close().finally(() => clearTimeout(cut))
    },
  }
}

/** While there is no service yet: says that the process lives, and to everything else that it is not ready. */
export async function createWaitingServer(options: HttpOptions, logger: FastifyBaseLogger): Promise<AsyncDisposable> {
  const app = createApp(options, logger, noMeter)
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.all('/*', async () => {
    throw new ServiceError('NOT_READY', { problem: 'the object storage does not answer' })
  })
  app.setErrorHandler(failureResponse(options.linger))
  await app.listen({ host: options.host, port: options.port })
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = app.close()
      app.server.closeAllConnections()
      await closed
    },
  }
}

function neverBuilt(): never {
  throw new Error('Cannot build a compiler: a route was added before addRoutes() had set one')
}

/** A Fastify app that turns every failure, its own included, into an error record. */
function createApp(
  options: HttpOptions,
  logger: FastifyBaseLogger,
  meter: Meter,
  onRequest: (response: ServerResponse) => void = () => {},
): App {
  const answer = failureResponse(options.linger)
  const app = fastify({
    loggerInstance: logger,
    // The routes bring their own compilers. With these in place, Fastify does not load its own, which consist of a
    // hundred modules.
    schemaController: { compilersFactory: { buildValidator: neverBuilt, buildSerializer: neverBuilt } },
    logController: new LogController({ disableRequestLogging: true }),
    // Unique across processes, whose logs may be merged.
    genReqId: () => randomUUID(),
    // The client is the last address that is not a trusted proxy; nothing else of X-Forwarded-* is used.
    ...(options.trustedProxies.length > 0 && { trustProxy: [...options.trustedProxies] }),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    rewriteUrl: (request) => originForm(request.url ?? '/'),
    // We have no paths that Fastify cannot decode.
    frameworkErrors: (_error, request, reply) => {
      logWhenAnswered(request.raw, reply.raw, { logger: request.log, meter, route: null })
      answer(new ServiceError('NOT_FOUND', {}), request, reply)
    },
    // The server below handles them; this listener would come too late.
    clientErrorHandler: () => {},
    serverFactory: (handle) => {
      const handlePlain: typeof handle = (request, response) => {
        dropForwardedPorts(request)
        onRequest(response)
        handle(request, response)
      }
      return createConnectionServer(options, handlePlain, (request) => {
        logUnreadable(logger, request)
        meter.unreadable(request.error.status)
      })
    },
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setNotFoundHandler((request, reply) => answer(new ServiceError('NOT_FOUND', {}), request, reply))
  return app
}
