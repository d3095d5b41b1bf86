// Dataset routes: the list, the receipt, pages of rows and rejects, the profile, another reading, copies, and deletion.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { CopyStatus } from '../../core/copies/copy-status.ts'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { audit } from '../access/authorize.ts'
import { attachment } from '../exchange/content-disposition.ts'
import { dataPackageJson } from '../exchange/data-package.ts'
import { entityTag, isMatch, sendTagged } from '../exchange/entity-tag.ts'
import { datasetsPath, receiptJson, receiptLineJson, uploadJson } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { times } from '../exchange/times.ts'
import { header, json, noContent } from '../openapi/operation.ts'
import {
  conditionHeaders,
  copyBody,
  type datasetParams,
  listQuery,
  readingBody,
  rejectsQuery,
  removalQuery,
  rowsQuery,
} from '../openapi/request-schemas.ts'
import {
  copiesResponse,
  copyResponse,
  listResponse,
  packageResponse,
  profileResponse,
  receiptResponse,
  rejectsResponse,
  rowsResponse,
  uploadResponse,
} from '../openapi/response-schemas.ts'
import { datasetFailures, datasetRoute, type Route, route } from './route.ts'
import { datasetsQuery } from './trash-routes.ts'

const someTag = '"acb57c3e109c84a7f2e958b7442014f0"'
const tag = header('Identifies this version of the receipt.', someTag)

/** `rejects.json` is another path of the same resource, which the description does not list. */
const rejects = {
  method: 'GET',
  querystring: rejectsQuery,
  handler: async (
    request: FastifyRequest<{ Params: Static<typeof datasetParams>; Querystring: Static<typeof rejectsQuery> }>,
    reply: FastifyReply,
  ) => {
    const { reason = null, ...window } = request.query
    const page = await request.service.rejects(request.params.id, { ...window, reason }, goneSignal(reply.raw))
    return sendJson(reply, page)
  },
} as const

export const datasetRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: datasetsPath,
    operationId: 'listDatasets',
    tag: 'datasets',
    summary: 'List all datasets',
    description: 'Newest first unless sorted. A dataset is listed as soon as its upload has returned.',
    querystring: listQuery,
    answers: { 200: json('A page of the list.', listResponse) },
    failures: ['STORE_FAILED'],
    handler: async (request, reply) => {
      const { datasets, ...page } = await request.service.datasets(datasetsQuery(request.query, false))
      return sendJson(reply, { datasets: datasets.map(receiptLineJson), ...page })
    },
  }),
  datasetRoute({
    method: 'GET',
    path: '',
    operationId: 'getDataset',
    tag: 'datasets',
    summary: 'Get the receipt of a dataset',
    description: 'The receipt accounts for every byte of the file. Use its `ETag` in `If-Match` to delete it.',
    requestHeaders: conditionHeaders,
    answers: {
      200: { ...json('The receipt.', receiptResponse), headers: { ETag: tag } },
      304: noContent('The client already has this receipt.', { ETag: tag }),
    },
    handler: async (request, reply) =>
      sendTagged(request, reply, receiptJson(await request.service.dataset(request.params.id))),
  }),
  datasetRoute({
    method: 'GET',
    path: '/datapackage.json',
    operationId: 'getDataPackage',
    tag: 'datasets',
    summary: 'Get a dataset as a Frictionless Data Package',
    description:
      'Describes `data.csv` and the original so that other tools can read and verify them: dialect, Table Schema, size ' +
      'and SHA-256. Fields declared with the upload appear in the schema as declared.',
    answers: { 200: json('The package.', packageResponse) },
    handler: async (request, reply) => {
      const receipt = await request.service.dataset(request.params.id)
      reply.header('content-disposition', attachment('datapackage.json'))
      return sendJson(reply, dataPackageJson(receipt))
    },
  }),
  datasetRoute({
    method: 'POST',
    path: '/readings',
    // Its receipt shows stored records; the same holds for corrections.
    scope: ['upload', 'read'],
    operationId: 'readAgain',
    tag: 'uploads',
    summary: 'Read the original again with other settings',
    description:
      'Makes another dataset from the stored original, without a second upload. The first dataset stays. Needs the ' +
      'scopes `upload` and `read`.',
    body: readingBody,
    answers: { 200: json('The receipt of the other dataset.', uploadResponse) },
    failures: ['SCHEMA_MISMATCH', 'NOT_CSV', 'NOT_READABLE', ...datasetFailures],
    handler: async (request, reply) => {
      const { service, params, body } = request
      const read = await service.readAgain(params.id, body, goneSignal(reply.raw))
      audit(request, 'reading', read.receipt.id)
      return sendJson(reply, uploadJson(read))
    },
  }),
  datasetRoute({
    method: 'DELETE',
    path: '',
    operationId: 'deleteDataset',
    tag: 'datasets',
    summary: 'Delete a dataset',
    description:
      'Deletes the original, the data and the rejects. Uploading the same file again restores it. With `trash`, it ' +
      'can be restored for some time, but does not exist for any other request until then. With `If-Match`, only the ' +
      'version with that `ETag` is deleted.',
    requestHeaders: { 'If-Match': header('The `ETag` of the receipt.', someTag) },
    querystring: removalQuery,
    answers: { 204: noContent('The dataset is deleted, or in the trash.') },
    handler: async (request, reply) => {
      const { id } = request.params
      const isTrash = ['', 'true'].includes(request.query.trash ?? 'false')
      const condition = request.headers['if-match']
      const isMeant = (receipt: Receipt) => isMatch(condition, entityTag(receiptJson(receipt)))
      await request.service.remove(id, isTrash ? 'trash' : 'erase', condition === undefined ? undefined : isMeant)
      audit(request, isTrash ? 'trashing' : 'deletion', id)
      return reply.code(204).send()
    },
  }),
  ...[true, false].map((isDismissed) =>
    datasetRoute({
      method: isDismissed ? 'POST' : 'DELETE',
      path: '/dismissal',
      scope: 'upload',
      operationId: isDismissed ? 'dismissRejects' : 'undismissRejects',
      tag: 'datasets',
      summary: isDismissed ? 'Dismiss the rejects of a dataset' : 'Take the dismissal of rejects back',
      description: isDismissed
        ? 'They need no more attention: lists with `rejects=open` leave the dataset out. The rejects stay.'
        : 'Lists with `rejects=open` have the dataset again.',
      answers: { 204: noContent('Done.') },
      failures: ['DISK_FULL'],
      handler: async (request, reply) => {
        await request.service.dismiss(request.params.id, isDismissed)
        return reply.code(204).send()
      },
    }),
  ),
  datasetRoute({
    method: 'POST',
    path: '/copies',
    // A copy shows stored records to whoever reads the database, and its status names the file.
    scope: ['upload', 'read'],
    operationId: 'copyDataset',
    tag: 'copies',
    summary: 'Copy a dataset into a database',
    description:
      'Starts to copy the accepted records into a table, in one transaction, and answers immediately. The copy continues ' +
      'if the client disconnects, and transient failures are retried. A table holds a dataset only once: repeating ' +
      'the request does not duplicate its rows. Needs the scopes `upload` and `read`.',
    body: copyBody,
    answers: {
      202: {
        ...json('The current state of the copy.', copyResponse),
        headers: {
          Location: header('Where to see its progress.', '/qas/datasets/acb57c3e109c84a7f2e958b7442014f0/copies'),
        },
      },
    },
    failures: ['TOO_MANY_COPIES', 'DISK_FULL'],
    handler: async (request, reply) => {
      const { service, params, body } = request
      const copy = await service.copy(params.id, body)
      audit(request, 'copy', params.id)
      return sendJson(reply.code(202).header('location', `${datasetsPath}/${params.id}/copies`), copyJson(copy))
    },
  }),
  datasetRoute({
    method: 'GET',
    path: '/copies',
    operationId: 'listCopies',
    tag: 'copies',
    summary: 'List the copies of a dataset',
    description: 'The progress of each copy, and the names of the databases that datasets can be copied into.',
    answers: { 200: json('The copies.', copiesResponse) },
    handler: async (request, reply) => {
      const { copies, ...others } = await request.service.copies(request.params.id)
      return sendJson(reply, { ...others, copies: copies.map(copyJson) })
    },
  }),
  datasetRoute({
    method: 'GET',
    path: '/rows',
    operationId: 'getRows',
    tag: 'datasets',
    summary: 'Get rows of a dataset',
    description: 'In file order, equally fast at any offset. A page past the end is empty.',
    querystring: rowsQuery,
    answers: { 200: json('A page of rows.', rowsResponse) },
    failures: ['CONVERSION_FAILED'],
    handler: async (request, reply) => {
      const { offset, limit, columns } = request.query
      const query = { offset, limit, columns: columns === undefined ? null : readColumnNames(columns) }
      return sendJson(reply, await request.service.rows(request.params.id, query, goneSignal(reply.raw)))
    },
  }),
  datasetRoute({
    method: 'GET',
    path: '/profile',
    operationId: 'getProfile',
    tag: 'datasets',
    summary: 'Get statistics of the columns',
    description:
      'Counts, range, mean, quartiles and a histogram of each column, or the frequency of each value if there are ' +
      'few. Computed by the first request, which takes some seconds for ten million rows, and then kept.',
    answers: { 200: json('The profile.', profileResponse) },
    failures: ['CONVERSION_FAILED'],
    handler: async (request, reply) =>
      sendJson(reply, await request.service.profile(request.params.id, goneSignal(reply.raw))),
  }),
  datasetRoute({
    ...rejects,
    path: '/rejects',
    operationId: 'getRejects',
    tag: 'datasets',
    summary: 'Get rejected records of a dataset',
    description:
      'In file order, each with its position, its reason and its text. A page past the end is empty. `rejects.json` is ' +
      'the same resource.',
    answers: { 200: json('A page of rejects.', rejectsResponse) },
    failures: ['CONVERSION_FAILED'],
  }),
  datasetRoute({ ...rejects, path: '/rejects.json' }),
]

/**
 * Reads names separated by commas, as a record of RFC 4180: a name that contains a comma or begins with a quote is put
 * in quotes, with its own quotes doubled: `id,"last, first"`.
 * @throws {ServiceError} BAD_PARAMETER
 */
export function readColumnNames(text: string): readonly string[] {
  const names: string[] = []
  for (let from = 0; from <= text.length; ) {
    const [field = ''] = /^(?:"(?:[^"]|"")*"(?=,|$)|(?!")[^,]*)/.exec(text.slice(from)) ?? wrongQuotes(text)
    names.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)
    from += field.length + 1
  }
  return names
}

function wrongQuotes(text: string): never {
  const expected = 'names separated by commas, in quotes if a name contains a comma or begins with a quote'
  throw new ServiceError('BAD_PARAMETER', { name: 'columns', seen: `'${text.slice(0, 40)}'`, expected })
}

function copyJson({ createdAt, updatedAt, ...others }: CopyStatus) {
  return { ...others, ...times({ createdAt, updatedAt }) }
}
