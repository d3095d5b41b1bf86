// Correction route: turns edited rejects into a corrected dataset. Knows only the head of a request.
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../core/errors.ts'
import type { UploadHead } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import type { App } from '../app.ts'
import { contentCodingOf, expectsContinue } from '../connection/head-checks.ts'
import { type BodyPace, RequestBody } from '../connection/request-body.ts'
import { headerLines } from '../connection/request-target.ts'
import { correctionJson, datasetsPath } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { failures, json } from '../openapi/operation.ts'
import { correctionBody, datasetParams, noQuery } from '../openapi/request-schemas.ts'
import { uploadAnswer } from '../openapi/response-schemas.ts'

/** A media type whose body Fastify leaves unread, see upload-route.ts. */
const streamedType = 'multipart/form-data'

export function addCorrectionRoute(app: App, pace: BodyPace): void {
  app.route({
    method: 'POST',
    url: `${datasetsPath}/:id/corrections`,
    config: { scope: ['upload', 'read'] },
    schema: {
      operationId: 'correctDataset',
      tags: ['uploads'],
      summary: 'Correct rejected records',
      description:
        'Makes another dataset from the stored original and the texts you send. Each text is read with the settings of ' +
        'the file and takes the place of its record. A text that cannot be read leaves its record a reject. The first ' +
        'dataset stays as it is. The same corrections make the same dataset again. Needs the scopes `upload` and `read`.',
      params: datasetParams,
      querystring: noQuery,
      requestBody: correctionBody,
      response: {
        200: json('The receipt of the corrected dataset.', uploadAnswer),
        ...failures(
          'DATASET_NOT_FOUND',
          'DATASET_DAMAGED',
          'BAD_PARAMETER',
          'NOT_CORRECTIONS',
          'BAD_CORRECTIONS',
          'CORRECTIONS_MISMATCH',
          'MISSING_FILE_PART',
          'NO_BOUNDARY',
          'BAD_MULTIPART',
          'EMPTY_FILE',
          'TWO_FILE_PARTS',
          'CONTENT_CODED',
          'FILE_TOO_LARGE',
          'REQUEST_TOO_LARGE',
          'TOO_MANY_UPLOADS',
          'QUOTA_EXCEEDED',
          'DISK_FULL',
          'STORE_FAILED',
          'CONVERSION_FAILED',
        ),
      },
    },
    onRequest: (request, _reply, done) => {
      request.raw.headers['content-type'] = streamedType
      done()
    },
    handler: async (request, reply) => {
      const { service, params, raw } = request
      const admission = await service.admitCorrections(params.id, headOf(raw, clientNetworkOf(request.ip)))
      if (expectsContinue(raw)) reply.raw.writeContinue()
      const corrected = await service.correct(admission, RequestBody.of(raw).chunks(pace), goneSignal(reply.raw))
      audit(request, 'correction', corrected.receipt.id)
      return sendJson(reply, correctionJson(corrected))
    },
  })
}

function headOf(request: IncomingMessage, network: string): UploadHead {
  const contentTypes = headerLines(request, 'content-type')
  if (contentTypes.length > 1) {
    throw new ServiceError('BAD_REQUEST', { problem: 'it has more than one Content-Type header' })
  }
  const contentCoding = contentCodingOf(request)
  const declared = request.headers['content-length']
  const declaredBytes = declared === undefined ? null : Number(declared)
  return { contentType: contentTypes[0], contentCoding, declaredBytes, body: RequestBody.of(request), network }
}
