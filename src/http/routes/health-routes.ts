// Health routes: whether the process is alive, and whether it can accept uploads.
import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { failures, json } from '../openapi/operation.ts'
import { healthAnswer } from '../openapi/response-schemas.ts'

const get = ['GET', 'HEAD']

export function addHealthRoutes(app: App): void {
  app.route({
    method: get,
    url: '/healthz',
    config: { scope: 'none', isForAnyHost: true },
    schema: {
      operationId: 'isAlive',
      tags: ['service'],
      summary: 'Check that the process is alive',
      description: 'Answers as long as the process runs.',
      response: { 200: json('It is alive.', healthAnswer), ...failures('BAD_REQUEST') },
    },
    handler: async (_request, reply) => sendJson(reply, { status: 'ok' }),
  })
  app.route({
    method: get,
    url: '/readyz',
    config: { scope: 'none', isForAnyHost: true },
    schema: {
      operationId: 'isReady',
      tags: ['service'],
      summary: 'Check that uploads can be accepted',
      description: 'For load balancers.',
      response: {
        200: json('Uploads can be accepted.', healthAnswer),
        ...failures('BAD_REQUEST', 'STORE_FAILED', 'DISK_FULL', 'NOT_READY'),
      },
    },
    handler: async (request, reply) => {
      await request.service.ready()
      return sendJson(reply, { status: 'ok' })
    },
  })
}
