// Route: a row that says everything about one route: what it needs, accepts and returns, and what it does.
import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from '../../core/errors.ts'
import type { Meter } from '../../core/meter.ts'
import type { App } from '../app.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import type { DescribedRoute } from '../openapi/openapi.ts'
import { failures, type ResponseTable, type Tag } from '../openapi/operation.ts'
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
  /** Every route of the app; complete once all are added. */
  readonly routes: readonly DescribedRoute[]
  /** Aborted when requests must stop waiting. */
  readonly closing: AbortSignal
}

type RouteSchema = Pick<FastifySchema, 'operationId' | 'summary' | 'description' | 'requestBody' | 'requestHeaders'>

/** One route. What is not described is hidden: an alias, or a route for one protocol. */
interface Row<Params extends TSchema, Query extends TSchema, Body extends TSchema> extends RouteSchema {
  /** GET includes HEAD, unless `hasOwnHead`. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  readonly hasOwnHead?: boolean
  readonly url: string
  readonly tag?: Tag
  readonly scope?: FastifyContextConfig['scope']
  readonly isForAnyHost?: boolean
  readonly optionsFields?: (context: RouteContext) => Readonly<Record<string, string>>
  readonly params?: Params
  /** By default, any parameter is an error. */
  readonly querystring?: Query | 'ignored'
  readonly body?: Body
  /** Bytes of a JSON body. */
  readonly bodyLimit?: number
  readonly answers?: ResponseTable
  /** Errors in addition to those that follow from the rest of the row. */
  readonly failures?: readonly ErrorCode[]
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
  const { method, hasOwnHead, url, scope, isForAnyHost, optionsFields, bodyLimit, onRequest, handler } = row
  app.route({
    method: method === 'GET' && !hasOwnHead ? ['GET', 'HEAD'] : method,
    url,
    // A host app may add HEAD routes automatically.
    exposeHeadRoute: false,
    config: {
      ...(scope !== undefined && { scope }),
      ...(isForAnyHost !== undefined && { isForAnyHost }),
      ...(optionsFields !== undefined && { optionsFields: optionsFields(context) }),
    },
    ...(bodyLimit !== undefined && { bodyLimit }),
    ...(onRequest !== undefined && { onRequest }),
    schema: schemaOf(row),
    handler: async (request, reply) => await handler(request, reply, context),
  })
}

function schemaOf(row: Route): FastifySchema {
  const { operationId, summary, description, requestBody, requestHeaders, tag, params, body, answers } = row
  const querystring = row.querystring ?? noQuery
  return {
    isHidden: operationId === undefined,
    ...(params && { params }),
    ...(querystring !== 'ignored' && { querystring }),
    ...(body && { body }),
    ...(operationId && { operationId, response: { ...answers, ...failures(...errorsOf(row)) } }),
    ...(summary && { summary }),
    ...(description && { description }),
    ...(requestBody && { requestBody }),
    ...(requestHeaders && { requestHeaders }),
    ...(tag && { tags: [tag] }),
  }
}

function errorsOf({ querystring, body, requestHeaders = {}, failures: own = [] }: Route): readonly ErrorCode[] {
  return [
    ...own,
    ...(querystring === 'ignored' ? [] : (['BAD_PARAMETER'] as const)),
    ...(body === undefined ? [] : (['NOT_JSON', 'CONTENT_CODED', 'REQUEST_TOO_LARGE'] as const)),
    ...('If-Match' in requestHeaders ? (['PRECONDITION_FAILED'] as const) : []),
    ...('Range' in requestHeaders ? (['RANGE_NOT_SATISFIABLE'] as const) : []),
  ]
}
