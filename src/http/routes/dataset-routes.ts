// Dataset routes: the list, the receipt, pages of rows and of rejects, another reading, and deletion.

import { audit } from '../access/authorize.ts'
import type { App } from '../app.ts'
import { readColumnNames } from '../exchange/column-list.ts'
import { attachment } from '../exchange/content-disposition.ts'
import { dataPackageJson } from '../exchange/data-package.ts'
import { datasetsPath, receiptJson, receiptLineJson, uploadJson } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { failures, json, noContent } from '../openapi/operation.ts'
import { datasetParams, listQuery, noQuery, readingBody, rejectsQuery, rowsQuery } from '../openapi/request-schemas.ts'
import {
  listAnswer,
  packageAnswer,
  profileAnswer,
  receiptAnswer,
  rejectsAnswer,
  rowsAnswer,
  uploadAnswer,
} from '../openapi/response-schemas.ts'

const get = ['GET', 'HEAD']

export function addDatasetRoutes(app: App): void {
  app.route({
    method: get,
    url: datasetsPath,
    schema: {
      operationId: 'listDatasets',
      tags: ['datasets'],
      summary: 'All datasets',
      description: 'Newest first. A dataset is in the list from the moment its upload was answered.',
      querystring: listQuery,
      response: { 200: json('A page of the list.', listAnswer), ...failures('BAD_PARAMETER', 'STORE_FAILED') },
    },
    handler: async (request, reply) => {
      const { limit, after = null, name = null } = request.query
      const page = await request.service.datasets({ limit, after, name })
      return sendJson(reply, { datasets: page.receipts.map(receiptLineJson), after: page.after })
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id`,
    schema: {
      operationId: 'getDataset',
      tags: ['datasets'],
      summary: 'The receipt of a dataset',
      description: 'The receipt accounts for every byte of the file, and never changes.',
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: json('The receipt.', receiptAnswer),
        ...failures('DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED'),
      },
    },
    handler: async (request, reply) => sendJson(reply, receiptJson(await request.service.dataset(request.params.id))),
  })
  app.route({
    method: 'POST',
    url: `${datasetsPath}/:id/readings`,
    schema: {
      operationId: 'readAgain',
      tags: ['uploads'],
      summary: 'Read the kept original another way',
      description: 'Makes another dataset of the same bytes, without their being sent again. The first one stays.',
      params: datasetParams,
      querystring: noQuery,
      body: readingBody,
      response: {
        200: json('The receipt of the other dataset.', uploadAnswer),
        ...failures(
          'DATASET_NOT_FOUND',
          'DATASET_DAMAGED',
          'BAD_PARAMETER',
          'NOT_JSON',
          'SCHEMA_MISMATCH',
          'NOT_CSV',
          'NOT_READABLE',
          'TOO_MANY_UPLOADS',
          'QUOTA_EXCEEDED',
          'DISK_FULL',
          'STORE_FAILED',
          'CONVERSION_FAILED',
        ),
      },
    },
    handler: async (request, reply) => {
      const { service, params, body } = request
      const read = await service.readAgain(params.id, body, goneSignal(reply.raw))
      audit(request, 'reading', read.receipt.id)
      return sendJson(reply, uploadJson(read))
    },
  })
  app.route({
    method: 'DELETE',
    url: `${datasetsPath}/:id`,
    schema: {
      operationId: 'deleteDataset',
      tags: ['datasets'],
      summary: 'Delete a dataset',
      description: 'The original, the data and the rejects are gone with it. The same file sent again makes it again.',
      params: datasetParams,
      querystring: noQuery,
      response: {
        204: noContent('It is deleted.'),
        ...failures('DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED'),
      },
    },
    handler: async (request, reply) => {
      await request.service.remove(request.params.id)
      audit(request, 'deletion', request.params.id)
      return reply.code(204).send()
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/rows`,
    schema: {
      operationId: 'getRows',
      tags: ['datasets'],
      summary: 'Rows of a dataset',
      description: 'In file order, and equally fast at any offset. A page beyond the end is empty.',
      params: datasetParams,
      querystring: rowsQuery,
      response: {
        200: json('A page of rows.', rowsAnswer),
        ...failures('DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED', 'CONVERSION_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const { offset, limit, columns } = request.query
      const query = { offset, limit, columns: columns === undefined ? null : readColumnNames(columns) }
      return sendJson(reply, await request.service.rows(request.params.id, query, goneSignal(reply.raw)))
    },
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/profile`,
    schema: {
      operationId: 'getProfile',
      tags: ['datasets'],
      summary: 'What the columns of a dataset are like',
      description:
        'Counts, ends, mean, quartiles and a histogram of each column, or how often each of few values is there. Worked ' +
        'out when it is first asked for, which takes some seconds for ten million rows, and kept.',
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: json('The profile.', profileAnswer),
        ...failures('DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED', 'CONVERSION_FAILED'),
      },
    },
    handler: async (request, reply) =>
      sendJson(reply, await request.service.profile(request.params.id, goneSignal(reply.raw))),
  })
  app.route({
    method: get,
    url: `${datasetsPath}/:id/datapackage.json`,
    schema: {
      operationId: 'getDataPackage',
      tags: ['datasets'],
      summary: 'The dataset as a Frictionless Data Package',
      description:
        'What other tools need to read `data.csv` with its types, and to check the original: dialect, Table Schema, size ' +
        'and SHA-256. Fields that were stated with the file stand in the schema as stated.',
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: json('The package.', packageAnswer),
        ...failures('DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED'),
      },
    },
    handler: async (request, reply) => {
      const receipt = await request.service.dataset(request.params.id)
      reply.header('content-disposition', attachment('datapackage.json'))
      return sendJson(reply, dataPackageJson(receipt))
    },
  })
  for (const [name, operationId] of [
    ['rejects', 'getRejects'],
    ['rejects.json', 'getRejectsJson'],
  ] as const) {
    app.route({
      method: get,
      url: `${datasetsPath}/:id/${name}`,
      schema: {
        operationId,
        tags: ['datasets'],
        summary: 'Rejected records of a dataset',
        description: 'In file order, each with its place, its reason and its text. A page beyond the end is empty.',
        params: datasetParams,
        querystring: rejectsQuery,
        response: {
          200: json('A page of rejects.', rejectsAnswer),
          ...failures('DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED', 'CONVERSION_FAILED'),
        },
      },
      handler: async (request, reply) =>
        sendJson(reply, await request.service.rejects(request.params.id, request.query, goneSignal(reply.raw))),
    })
  }
}
