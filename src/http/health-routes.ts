// Health routes: whether the process lives, and whether it can take uploads now.
import type { Service } from '../service/service.ts'
import type { App } from './app.ts'
import { sendJson } from './send.ts'

const get = ['GET', 'HEAD']

export function addHealthRoutes(app: App, service: Service): void {
  app.route({ method: get, url: '/healthz', handler: async (_request, reply) => sendJson(reply, { status: 'ok' }) })
  app.route({
    method: get,
    url: '/readyz',
    handler: async (_request, reply) => {
      await service.ready()
      return sendJson(reply, { status: 'ok' })
    },
  })
}
