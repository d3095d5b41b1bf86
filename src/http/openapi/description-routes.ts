// Description routes: the OpenAPI document as JSON.
import Type from 'typebox'
import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { type DescribedRoute, openApi } from './openapi.ts'
import { failures, json } from './operation.ts'
import { noQuery } from './request-schemas.ts'
import { shareRepeated } from './share-repeated.ts'

const get = ['GET', 'HEAD']

/** @param routes Every route of `app`, including these; read at each request. */
export function addDescriptionRoutes(app: App, routes: readonly DescribedRoute[]): void {
  app.route({
    method: get,
    url: '/openapi.json',
    config: { scope: 'none' },
    schema: {
      operationId: 'getOpenApi',
      tags: ['service'],
      summary: 'Get this description',
      description: 'OpenAPI 3.1, generated from the schemas that validate requests.',
      querystring: noQuery,
      response: {
        200: json('The document.', Type.Object({}, { description: 'OpenAPI 3.1.' })),
        ...failures('BAD_PARAMETER'),
      },
    },
    handler: async (_request, reply) => sendJson(reply, shareRepeated(openApi(routes))),
  })
}
