// Copy routes: copies of a dataset into databases. Knows no database.
import { audit } from '../access/authorize.ts'
import type { App } from '../app.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import { sendJson } from '../exchange/send.ts'
import { copiesAnswer, copyAnswer, copyBody } from '../openapi/copy-schemas.ts'
import { failures, header, json } from '../openapi/operation.ts'
import { datasetParams, noQuery } from '../openapi/request-schemas.ts'

const url = `${datasetsPath}/:id/copies`

export function addCopyRoutes(app: App): void {
  addCopy(app)
  addList(app)
}

function addCopy(app: App): void {
  app.route({
    method: 'POST',
    url,
    // A copy shows stored records to whoever reads the database, and its status names the file.
    config: { scope: ['upload', 'read'] },
    schema: {
      operationId: 'copyDataset',
      tags: ['copies'],
      summary: 'Copy a dataset into a database',
      description:
        'Starts to copy the accepted records into a table, in one transaction, and answers at once. The copy continues ' +
        'if the client disconnects, and transient failures are retried. A table holds a dataset only once: repeating ' +
        'the request does not duplicate its rows. Needs the scopes `upload` and `read`.',
      params: datasetParams,
      querystring: noQuery,
      body: copyBody,
      response: {
        202: {
          ...json('The current state of the copy.', copyAnswer),
          headers: {
            Location: header('Where to see its progress.', '/qas/datasets/acb57c3e109c84a7f2e958b7442014f0/copies'),
          },
        },
        ...failures(
          'BAD_PARAMETER',
          'NOT_JSON',
          'CONTENT_CODED',
          'REQUEST_TOO_LARGE',
          'DATASET_NOT_FOUND',
          'DATASET_DAMAGED',
          'TOO_MANY_COPIES',
          'DISK_FULL',
          'STORE_FAILED',
        ),
      },
    },
    handler: async (request, reply) => {
      const { service, params, body } = request
      const copy = await service.copy(params.id, body)
      audit(request, 'copy', params.id)
      return sendJson(reply.code(202).header('location', url.replace(':id', params.id)), copy)
    },
  })
}

function addList(app: App): void {
  app.route({
    method: ['GET', 'HEAD'],
    url,
    schema: {
      operationId: 'listCopies',
      tags: ['copies'],
      summary: 'List the copies of a dataset',
      description: 'The progress of each copy, and the names of the databases that datasets can be copied into.',
      params: datasetParams,
      querystring: noQuery,
      response: {
        200: json('The copies.', copiesAnswer),
        ...failures('BAD_PARAMETER', 'DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'STORE_FAILED'),
      },
    },
    handler: async (request, reply) => sendJson(reply, await request.service.copies(request.params.id)),
  })
}
