// Description routes: the OpenAPI document, for programs.
import Type from 'typebox'
import type { App } from './app.ts'
import { type DescribedRoute, openApi } from './openapi.ts'
import { failures, json } from './operation.ts'
import { noQuery } from './schemas.ts'
import { sendJson } from './send.ts'

const get = ['GET', 'HEAD']

/** Takes note of the routes that are added from now on, and describes them. */
export function addDescriptionRoutes(app: App): void {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, schema }) => {
    routes.push({ methods: [method].flat(), url, schema: schema ?? {} })
  })
  app.route({
    method: get,
    url: '/openapi.json',
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
}
