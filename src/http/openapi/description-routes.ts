// Description routes: the OpenAPI document as JSON.
import { gzipSync } from 'node:zlib'
import Type from 'typebox'
import type { App } from '../app.ts'
import { jsonContentType } from '../connection/error-record.ts'
import { acceptedType } from '../exchange/accept.ts'
import { type DescribedRoute, openApi } from './openapi.ts'
import { failures, json } from './operation.ts'
import { noQuery } from './request-schemas.ts'

const get = ['GET', 'HEAD']

/** @param routes Every route of `app`, including these; read at the first request. */
export function addDescriptionRoutes(app: App, routes: readonly DescribedRoute[]): void {
  let plain: Buffer | null = null
  let compressed: Buffer | null = null
  app.route({
    method: get,
    url: '/openapi.json',
    config: { scope: 'none' },
    schema: {
      operationId: 'getOpenApi',
      tags: ['service'],
      summary: 'Get this description',
      description:
        'OpenAPI 3.1, generated from the schemas that validate requests; gzipped for clients that accept it.',
      querystring: noQuery,
      response: {
        200: json('The document.', Type.Object({}, { description: 'OpenAPI 3.1.' })),
        ...failures('BAD_PARAMETER'),
      },
    },
    handler: async ({ headers }, reply) => {
      plain ??= Buffer.from(`${JSON.stringify(openApi(routes))}\n`)
      reply.type(jsonContentType).header('vary', 'accept-encoding')
      // Codings are rated as types are; without the header, a client may know none.
      if (acceptedType(headers['accept-encoding'] || 'identity', ['gzip']) === null) return reply.send(plain)
      compressed ??= gzipSync(plain)
      return reply.header('content-encoding', 'gzip').send(compressed)
    },
  })
}
