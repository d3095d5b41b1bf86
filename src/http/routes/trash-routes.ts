// Trash routes: what has been deleted and can still be restored.
import type { Static } from 'typebox'
import type { DatasetsQuery } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import { receiptJson, receiptLineJson } from '../exchange/receipt-json.ts'
import { sendJson } from '../exchange/send.ts'
import { times } from '../exchange/times.ts'
import { json, noContent } from '../openapi/operation.ts'
import { datasetParams, listQuery } from '../openapi/request-schemas.ts'
import { receiptResponse, trashResponse } from '../openapi/response-schemas.ts'
import { type Route, route } from './route.ts'

const trashPath = '/qas/trash'
const ofTrashed = { params: datasetParams, tag: 'datasets', failures: ['DATASET_NOT_FOUND', 'STORE_FAILED'] } as const

export const trashRoutes: readonly Route[] = [
  route({
    method: 'GET',
    url: trashPath,
    operationId: 'listTrash',
    tag: 'datasets',
    summary: 'List the trash',
    description:
      'Datasets that were deleted with `trash`, the last one first unless sorted. They count towards the quota.',
    querystring: listQuery,
    answers: { 200: json('A page of the list.', trashResponse) },
    failures: ['STORE_FAILED'],
    handler: async ({ service, query }, reply) => {
      const { datasets, ...page } = await service.datasets(datasetsQuery(query, true))
      const { trash, keepTrashMs: keepMs } = service.allowance()
      const lines = datasets.map(({ trashedAt, ...one }) => ({
        ...receiptLineJson({ ...one, trashedAt }),
        ...times({ trashedAt, erasesAt: Number(trashedAt) + keepMs }),
      }))
      return sendJson(reply, { datasets: lines, bytes: trash.bytes, keepMs, ...page })
    },
  }),
  route({
    ...ofTrashed,
    method: 'POST',
    url: `${trashPath}/:id/restore`,
    // Its receipt shows stored records.
    scope: ['delete', 'read'],
    operationId: 'restoreDataset',
    summary: 'Restore a dataset from the trash',
    description: 'The dataset is there again as it was. Needs the scopes `delete` and `read`.',
    answers: { 200: json('The receipt.', receiptResponse) },
    handler: async (request, reply) => {
      const receipt = await request.service.restore(request.params.id)
      audit(request, 'restoration', receipt.id)
      return sendJson(reply, receiptJson(receipt))
    },
  }),
  route({
    ...ofTrashed,
    method: 'DELETE',
    url: `${trashPath}/:id`,
    operationId: 'eraseDataset',
    summary: 'Delete a dataset in the trash',
    description: 'Deletes it at once and for good.',
    answers: { 204: noContent('The dataset is deleted.') },
    handler: async (request, reply) => {
      const { id } = request.params
      await request.service.erase(id)
      audit(request, 'deletion', id)
      return reply.code(204).send()
    },
  }),
]

/** The query of a list, for the trash or for all else. */
export function datasetsQuery(query: Static<typeof listQuery>, isTrash: boolean): DatasetsQuery {
  const { limit, after = null, name = null, id: idPrefix, search, origin, since: createdSince, mine: isMine } = query
  const { sort, order = sort === 'name' ? 'asc' : 'desc' } = query
  return {
    ...{ limit, after, name, idPrefix, search, origin, createdSince, isMine, isTrash },
    order: { by: isTrash && sort === 'createdAt' ? 'trashedAt' : sort, isDescending: order === 'desc' },
    hasOpenRejects: query.rejects === 'open',
    isLatestVersion: query.versions === 'latest',
  }
}
