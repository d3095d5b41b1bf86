// Content routes: pages of rows and of rejects, and the profile of a dataset.
import type { App } from '../app.ts'
import { readColumnNames } from '../exchange/column-list.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { failures, json } from '../openapi/operation.ts'
import { datasetParams, noQuery, rejectsQuery, rowsQuery } from '../openapi/request-schemas.ts'
import { profileAnswer, rejectsAnswer, rowsAnswer } from '../openapi/response-schemas.ts'

const get = ['GET', 'HEAD']
const readerFailures = [
  'DATASET_NOT_FOUND',
  'DATASET_DAMAGED',
  'BAD_PARAMETER',
  'STORE_FAILED',
  'CONVERSION_FAILED',
] as const

export function addContentRoutes(app: App): void {
  addRows(app)
  addProfile(app)
  addRejects(app, 'rejects')
  addRejects(app, 'rejects.json')
}

function addRows(app: App): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/rows`,
    schema: {
      operationId: 'getRows',
      tags: ['datasets'],
      summary: 'Get rows of a dataset',
      description: 'In file order, equally fast at any offset. A page past the end is empty.',
      params: datasetParams,
      querystring: rowsQuery,
      response: { 200: json('A page of rows.', rowsAnswer), ...failures(...readerFailures) },
    },
    handler: async (request, reply) => {
      const { offset, limit, columns } = request.query
      const query = { offset, limit, columns: columns === undefined ? null : readColumnNames(columns) }
      return sendJson(reply, await request.service.rows(request.params.id, query, goneSignal(reply.raw)))
    },
  })
}

function addProfile(app: App): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/profile`,
    schema: {
      operationId: 'getProfile',
      tags: ['datasets'],
      summary: 'Get statistics of the columns',
      description:
        'Counts, range, mean, quartiles and a histogram of each column, or the frequency of each value if there are ' +
        'few. Computed by the first request, which takes some seconds for ten million rows, and then kept.',
      params: datasetParams,
      querystring: noQuery,
      response: { 200: json('The profile.', profileAnswer), ...failures(...readerFailures) },
    },
    handler: async (request, reply) =>
      sendJson(reply, await request.service.profile(request.params.id, goneSignal(reply.raw))),
  })
}

function addRejects(app: App, name: 'rejects' | 'rejects.json'): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/${name}`,
    schema: {
      isHidden: name === 'rejects.json',
      operationId: 'getRejects',
      tags: ['datasets'],
      summary: 'Get rejected records of a dataset',
      description:
        'In file order, each with its position, its reason and its text. A page past the end is empty. `rejects.json` is ' +
        'the same resource.',
      params: datasetParams,
      querystring: rejectsQuery,
      response: { 200: json('A page of rejects.', rejectsAnswer), ...failures(...readerFailures) },
    },
    handler: async (request, reply) => {
      const { reason = null, ...window } = request.query
      const page = await request.service.rejects(request.params.id, { ...window, reason }, goneSignal(reply.raw))
      return sendJson(reply, page)
    },
  })
}
