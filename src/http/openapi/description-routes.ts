// Description routes: the OpenAPI document, for programs and as a page for people.
import Type from 'typebox'
import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { docsPage, docsPolicy } from './docs-page.ts'
import { type DescribedRoute, openApi } from './openapi.ts'
import { failures, json, page } from './operation.ts'
import { noQuery } from './request-schemas.ts'

const get = ['GET', 'HEAD']

/** @param routes Every route of `app`, these too; read when somebody asks. */
export function addDescriptionRoutes(app: App, routes: readonly DescribedRoute[]): void {
  app.route({
    method: get,
    url: '/openapi.json',
    config: { scope: 'none' },
    schema: {
      operationId: 'getOpenApi',
      tags: ['service'],
      summary: 'This description',
      description: 'OpenAPI 3.1, made of the schemas by which requests are checked.',
      querystring: noQuery,
      response: {
        200: json('The document.', Type.Object({}, { description: 'OpenAPI 3.1.' })),
        ...failures('BAD_PARAMETER'),
      },
    },
    handler: async (_request, reply) => sendJson(reply, openApi(routes)),
  })
  app.route({
    method: get,
    url: '/docs',
    config: { scope: 'none' },
    schema: {
      operationId: 'getDocs',
      tags: ['service'],
      summary: 'This description, for people',
      description: 'One page of HTML without scripts; nothing of it is loaded from elsewhere.',
      querystring: noQuery,
      response: { 200: page('The page.'), ...failures('BAD_PARAMETER') },
    },
    handler: async (_request, reply) =>
      reply
        .headers({ 'content-type': 'text/html;charset=UTF-8', 'content-security-policy': docsPolicy })
        .send(docsPage(openApi(routes))),
  })
}
