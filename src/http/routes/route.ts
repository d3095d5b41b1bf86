// Route: a row that says everything about one route: what it needs, accepts and returns, and what it does.
import type { FastifyContextConfig, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Meter } from '../../core/meter.ts'
import type { App } from '../app.ts'
import type { KnownPaths } from '../connection/head-checks.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import type { Operation } from '../openapi/operation.ts'
import { datasetParams, noQuery } from '../openapi/request-schemas.ts'

/** What handlers get in addition to the request. */
export interface RouteContext extends BodyPace {
  /** Longest wait for a client to read the next bytes of a download. */
  readonly writeIdleMs: number
  /** Infinity for no limit. */
  readonly requestsPerMinuteMax: number
  /** Bytes of a resumable upload. */
  readonly resumableBytesMax: number
  readonly meter: Meter
  /** Every route of the app. */
  readonly routes: readonly Operation[]
  readonly paths: KnownPaths
  /** Aborted when requests must stop waiting. */
  readonly closing: AbortSignal
}

/** One route: its description, what it needs, and what it does. */
interface Row<Params extends TSchema, Query extends TSchema, Body extends TSchema> extends Operation {
  /** GET includes HEAD, unless this says otherwise. */
  readonly hasOwnHead?: boolean
  /** True if `Allow` leaves its method out. */
  readonly isUnlisted?: boolean
  readonly scope?: FastifyContextConfig['scope']
  readonly isForAnyHost?: boolean
  readonly optionsFields?: (context: RouteContext) => Readonly<Record<string, string>>
  readonly params?: Params
  readonly querystring?: Query | 'ignored'
  readonly body?: Body
  /** Bytes of a JSON body. */
  readonly bodyLimit?: number
  readonly onRequest?: onRequestHookHandler
  /** Called with a request that fits the schemas. */
  handler(
    request: FastifyRequest<{ Params: Static<Params>; Querystring: Static<Query>; Body: Static<Body> }>,
    reply: FastifyReply,
    context: RouteContext,
  ): Promise<FastifyReply> | FastifyReply
}

/** Errors of every request that makes a dataset. */
export const datasetFailures = ['TOO_MANY_UPLOADS', 'QUOTA_EXCEEDED', 'DISK_FULL', 'CONVERSION_FAILED'] as const

/** A row of any schemas. */
export type Route = Row<TSchema, TSchema, TSchema>

export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  row: Row<Params, Query, Body>,
): Route {
  // Fastify checks a request against the schemas of the same row before it calls the handler.
  return row as unknown as Route
}

/** A route below a dataset; `path` follows its id. */
export function datasetRoute<
  Query extends TSchema,
  Body extends TSchema,
  Params extends TSchema = typeof datasetParams,
>({ path, ...row }: Omit<Row<Params, Query, Body>, 'url'> & { readonly path: string }): Route {
  const errors = ['DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'STORE_FAILED', ...(row.failures ?? [])] as const
  return { params: datasetParams, ...route({ ...row, url: `${datasetsPath}/:id${path}` }), failures: errors }
}

/** Adds a route to the app. */
export function addRoute(app: App, row: Route, context: RouteContext): void {
  const { method, url, scope, isForAnyHost, bodyLimit, onRequest, params, body, handler } = row
  const { hasOwnHead, isUnlisted, optionsFields, querystring = noQuery } = row
  const methods = method === 'GET' && !hasOwnHead ? ['GET', 'HEAD'] : [method]
  context.paths.add(app.prefix + url, isUnlisted ? [] : methods, optionsFields?.(context))
  app.route({
    method: methods,
    url,
    // A host app may add HEAD routes automatically.
    exposeHeadRoute: false,
    config: { ...(scope !== undefined && { scope }), ...(isForAnyHost !== undefined && { isForAnyHost }) },
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(onRequest !== undefined && { onRequest }),
    schema: { ...(params && { params }), ...(querystring !== 'ignored' && { querystring }), ...(body && { body }) },
    handler: async (request, reply) => await handler(request, reply, context),
  })
}
