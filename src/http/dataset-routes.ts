// Dataset routes: the list, the receipt, pages of rows and of rejects, another reading, and deletion.
import type { Service } from '../service/service.ts'
import type { App } from './app.ts'
import { datasetsPath, receiptJson, receiptLineJson, uploadJson } from './receipt-json.ts'
import { datasetParams, listQuery, noQuery, readingBody, rejectsQuery, rowsQuery } from './schemas.ts'
import { goneSignal, sendJson } from './send.ts'

const get = ['GET', 'HEAD']

export function addDatasetRoutes(app: App, service: Service): void {
  app.route({
    method: get,
    url: datasetsPath,
    schema: { querystring: listQuery },
    handler: async (request, reply) => {
      const { limit, after = null, name = null } = request.query
      const page = await service.datasets({ limit, after, name })
      return sendJson(reply, { datasets: page.receipts.map(receiptLineJson), after: page.after })
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id`,
    schema: { params: datasetParams, querystring: noQuery },
    handler: async (request, reply) => sendJson(reply, receiptJson(await service.dataset(request.params.id))),
  })
  app.route({
    method: 'POST',
    url: `${datasetsPath}/:id/readings`,
    schema: { params: datasetParams, querystring: noQuery, body: readingBody },
    handler: async (request, reply) => {
      const { dialect } = request.body
      return sendJson(reply, uploadJson(await service.readAgain(request.params.id, dialect, goneSignal(reply.raw))))
    },
  })
  app.route({
    method: 'DELETE',
    url: `${datasetsPath}/:id`,
    schema: { params: datasetParams, querystring: noQuery },
    handler: async (request, reply) => {
      await service.remove(request.params.id)
      return reply.code(204).send()
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/rows`,
    schema: { params: datasetParams, querystring: rowsQuery },
    handler: async (request, reply) => {
      const { offset, limit, columns } = request.query
      const query = { offset, limit, columns: columns?.split(',') ?? null }
      return sendJson(reply, await service.rows(request.params.id, query, goneSignal(reply.raw)))
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/rejects`,
    schema: { params: datasetParams, querystring: rejectsQuery },
    handler: async (request, reply) =>
      sendJson(reply, await service.rejects(request.params.id, request.query, goneSignal(reply.raw))),
  })
}
