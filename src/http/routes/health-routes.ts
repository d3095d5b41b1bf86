// Health routes: whether the process lives, and whether it can take uploads now.

import type { App } from '../app.ts'
import { sendJson } from '../exchange/send.ts'
import { failures, json } from '../openapi/operation.ts'
import { healthAnswer } from '../openapi/response-schemas.ts'

const get = ['GET', 'HEAD']

export function addHealthRoutes(app: App): void {
  app.route({
    method: get,
    url: '/healthz',
    config: { scope: 'none' },
    schema: {
      operationId: 'isAlive',
      tags: ['service'],
      summary: 'Whether the process lives',
      description: 'Answers as long as it does.',
      response: { 200: json('It lives.', healthAnswer), ...failures() },
    },
    handler: async (_request, reply) => sendJson(reply, { status: 'ok' }),
  })
  app.route({
    method: get,
    url: '/readyz',
    config: { scope: 'none' },
    schema: {
      operationId: 'isReady',
      tags: ['service'],
      summary: 'Whether uploads can be taken now',
      description: 'What a load balancer should ask.',
      response: { 200: json('They can.', healthAnswer), ...failures('STORE_FAILED', 'DISK_FULL') },
    },
    handler: async (request, reply) => {
      await request.service.ready()
      return sendJson(reply, { status: 'ok' })
    },
  })
}
