// Dataset routes: the list, the receipt, the data package, another reading, and deletion.
import type { Receipt } from '../../core/receipt.ts'
import { audit } from '../access/authorize.ts'
import type { App } from '../app.ts'
import { attachment } from '../exchange/content-disposition.ts'
import { dataPackageJson } from '../exchange/data-package.ts'
import { entityTag, isMatch, sendTagged } from '../exchange/entity-tag.ts'
import { datasetsPath, receiptJson, receiptLineJson, uploadJson } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { failures, header, json, noContent } from '../openapi/operation.ts'
import { packageAnswer } from '../openapi/package-schemas.ts'
import { conditionHeaders, datasetParams, listQuery, noQuery, readingBody } from '../openapi/request-schemas.ts'
import { listAnswer, receiptAnswer, uploadAnswer } from '../openapi/response-schemas.ts'

const get = ['GET', 'HEAD']
const someTag = '"acb57c3e109c84a7f2e958b7442014f0"'
const tag = header('Identifies this version of the receipt.', someTag)
const datasetFailures = ['DATASET_NOT_FOUND', 'DATASET_DAMAGED', 'BAD_PARAMETER', 'STORE_FAILED'] as const

export function addDatasetRoutes(app: App): void {
  addList(app)
  addReceipt(app)
  addDataPackage(app)
  addReadings(app)
  addDeletion(app)
}

function addList(app: App): void {
  app.route({
    method: get,
    url: datasetsPath,
    schema: {
      operationId: 'listDatasets',
      tags: ['datasets'],
      summary: 'List all datasets',
      description: 'Newest first. A dataset is listed as soon as its upload has returned.',
      querystring: listQuery,
      response: { 200: json('A page of the list.', listAnswer), ...failures('BAD_PARAMETER', 'STORE_FAILED') },
    },
    handler: async (request, reply) => {
      const { limit, after = null, name = null, id: idPrefix } = request.query
      const page = await request.service.datasets({ limit, after, name, idPrefix })
      return sendJson(reply, { datasets: page.receipts.map(receiptLineJson), after: page.after })
    },
  })
}

function addReceipt(app: App): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id`,
    schema: {
      operationId: 'getDataset',
      tags: ['datasets'],
      summary: 'Get the receipt of a dataset',
      description: 'The receipt accounts for every byte of the file. Use its `ETag` in `If-Match` to delete it.',
      params: datasetParams,
      querystring: noQuery,
      requestHeaders: conditionHeaders,
      response: {
        200: { ...json('The receipt.', receiptAnswer), headers: { ETag: tag } },
        304: noContent('The client already has this receipt.', { ETag: tag }),
        ...failures(...datasetFailures, 'PRECONDITION_FAILED'),
      },
    },
    handler: async (request, reply) =>
      sendTagged(request, reply, receiptJson(await request.service.dataset(request.params.id))),
  })
}

function addDataPackage(app: App): void {
  app.route({
    method: get,
    url: `${datasetsPath}/:id/datapackage.json`,
    schema: {
      operationId: 'getDataPackage',
      tags: ['datasets'],
      summary: 'Get a dataset as a Frictionless Data Package',
      description:
        'Describes `data.csv` and the original so that other tools can read and verify them: dialect, Table Schema, size ' +
        'and SHA-256. Fields declared with the upload appear in the schema as declared.',
      params: datasetParams,
      querystring: noQuery,
      response: { 200: json('The package.', packageAnswer), ...failures(...datasetFailures) },
    },
    handler: async (request, reply) => {
      const receipt = await request.service.dataset(request.params.id)
      reply.header('content-disposition', attachment('datapackage.json'))
      return sendJson(reply, dataPackageJson(receipt))
    },
  })
}

function addReadings(app: App): void {
  app.route({
    method: 'POST',
    url: `${datasetsPath}/:id/readings`,
    // Its receipt shows stored records; the same holds for corrections.
    config: { scope: ['upload', 'read'] },
    schema: {
      operationId: 'readAgain',
      tags: ['uploads'],
      summary: 'Read the original again with other settings',
      description:
        'Makes another dataset from the stored original, without a second upload. The first dataset stays. Needs the ' +
        'scopes `upload` and `read`.',
      params: datasetParams,
      querystring: noQuery,
      body: readingBody,
      response: {
        200: json('The receipt of the other dataset.', uploadAnswer),
        ...failures(
          ...datasetFailures,
          'NOT_JSON',
          'CONTENT_CODED',
          'SCHEMA_MISMATCH',
          'NOT_CSV',
          'NOT_READABLE',
          'TOO_MANY_UPLOADS',
          'QUOTA_EXCEEDED',
          'DISK_FULL',
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
}

function addDeletion(app: App): void {
  app.route({
    method: 'DELETE',
    url: `${datasetsPath}/:id`,
    schema: {
      operationId: 'deleteDataset',
      tags: ['datasets'],
      summary: 'Delete a dataset',
      description:
        'Deletes the original, the data and the rejects. Uploading the same file again restores it. With `If-Match`, ' +
        'only the version with that `ETag` is deleted.',
      params: datasetParams,
      querystring: noQuery,
      requestHeaders: { 'If-Match': header('The `ETag` of the receipt.', someTag, false) },
      response: { 204: noContent('The dataset is deleted.'), ...failures(...datasetFailures, 'PRECONDITION_FAILED') },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const condition = request.headers['if-match']
      const isMeant = (receipt: Receipt) => isMatch(condition, entityTag(receiptJson(receipt)))
      await request.service.remove(id, condition === undefined ? undefined : isMeant)
      audit(request, 'deletion', id)
      return reply.code(204).send()
    },
  })
}
