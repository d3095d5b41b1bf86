// Upload look routes: records and rejects of an upload before it ends. Does not know how it is sent.
import type { App } from '../app.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { uploadsPath } from '../exchange/upload-json.ts'
import { failures, json } from '../openapi/operation.ts'
import { pageQuery, uploadParams } from '../openapi/request-schemas.ts'
import { rejectsAnswer, rowsAnswer } from '../openapi/response-schemas.ts'

const lookFailures = failures(
  'UPLOAD_NOT_FOUND',
  'UPLOAD_ENDED',
  'DATASET_NOT_FOUND',
  'DATASET_DAMAGED',
  'BAD_PARAMETER',
  'STORE_FAILED',
  'CONVERSION_FAILED',
)

export function addUploadLookRoutes(app: App): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `${uploadsPath}/:id/rows`,
    schema: {
      operationId: 'getUploadRows',
      tags: ['uploads'],
      summary: 'Get rows of an upload in progress',
      description:
        'The records accepted so far, with values as text (`provisional`). Once the upload is done, the rows of its ' +
        'dataset.',
      params: uploadParams,
      querystring: pageQuery,
      response: { 200: json('A page of rows.', rowsAnswer), ...lookFailures },
    },
    handler: async (request, reply) => {
      const { service, params, query } = request
      return sendJson(reply, await service.uploadRows(params.id, query, goneSignal(reply.raw)))
    },
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: `${uploadsPath}/:id/rejects`,
    schema: {
      operationId: 'getUploadRejects',
      tags: ['uploads'],
      summary: 'Get rejects of an upload in progress',
      description: 'The rejects so far (`provisional`). Once the upload is done, the rejects of its dataset.',
      params: uploadParams,
      querystring: pageQuery,
      response: { 200: json('A page of rejects.', rejectsAnswer), ...lookFailures },
    },
    handler: async (request, reply) => {
      const { service, params, query } = request
      return sendJson(reply, await service.uploadRejects(params.id, query, goneSignal(reply.raw)))
    },
  })
}
