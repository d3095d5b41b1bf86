// Description routes: the OpenAPI document as JSON and as a page.
import Type from 'typebox'
import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { docsPage, docsPolicy, readDocsAssets } from './docs-page.ts'
import { type DescribedRoute, openApi } from './openapi.ts'
import { failures, json, page } from './operation.ts'
import { noQuery } from './request-schemas.ts'
import { shareRepeated } from './share-repeated.ts'

const get = ['GET', 'HEAD']

/** @param routes Every route of `app`, including these; read at each request. */
export function addDescriptionRoutes(app: App, routes: readonly DescribedRoute[]): void {
  const assets = readDocsAssets()
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
  app.route({
    method: get,
    url: '/docs',
    config: { scope: 'none' },
    schema: {
      operationId: 'getDocs',
      tags: ['service'],
      summary: 'Read this description as a page',
      description: 'One HTML page that loads nothing from elsewhere and is complete without scripts.',
      querystring: noQuery,
      response: { 200: page('The page.'), ...failures('BAD_PARAMETER') },
    },
    handler: async (_request, reply) =>
      reply
        .headers({ 'content-type': 'text/html;charset=UTF-8', 'content-security-policy': docsPolicy })
        .send(docsPage(openApi(routes), assets)),
  })
}
