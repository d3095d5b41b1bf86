// Upload route: POST /qas/uploadCsv. Knows the head of a request; the service reads the body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Admission, Service } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import type { App } from '../app.ts'
import { contentCodingOf, expectsContinue } from '../connection/head-checks.ts'
import { type BodyPace, RequestBody } from '../connection/request-body.ts'
import { headerLines } from '../connection/request-target.ts'
import { idempotencyKey } from '../exchange/headers/idempotency-key.ts'
import { prefersAsync } from '../exchange/headers/prefer.ts'
import { uploadJson } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { failures, header, json } from '../openapi/operation.ts'
import { uploadBody, uploadHeaders } from '../openapi/request-schemas.ts'
import { uploadAnswer } from '../openapi/response-schemas.ts'
import { uploadWhole } from '../resumable/async-upload.ts'

/** The endpoint of the specification, also with a trailing slash. */
const uploadPaths = ['/qas/uploadCsv', '/qas/uploadCsv/']

const refusals = failures(
  'MISSING_FILE_PART',
  'NO_BOUNDARY',
  'BAD_MULTIPART',
  'EMPTY_FILE',
  'TWO_FILE_PARTS',
  'BAD_PARAMETER',
  'SCHEMA_MISMATCH',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
  'NOT_MULTIPART',
  'CONTENT_CODED',
  'FILE_TOO_LARGE',
  'REQUEST_TOO_LARGE',
  'DECOMPRESSED_TOO_LARGE',
  'COMPRESSED_TOO_MUCH',
  'NOT_CSV',
  'NOT_READABLE',
  'TOO_MANY_UPLOADS',
  'TOO_MANY_UNFINISHED',
  'QUOTA_EXCEEDED',
  'DISK_FULL',
  'STORE_FAILED',
  'CONVERSION_FAILED',
)
const replayed = header(
  'Present if this response was already sent to an earlier request with the same key.',
  'true',
  false,
)
/** Without the 202: generated clients would return a union with no content, or `unknown`, instead of a receipt. */
export const uploadAnswers = {
  200: { ...json('The receipt.', uploadAnswer), headers: { 'Idempotent-Replayed': replayed } },
  ...refusals,
}

/** The media type for which Fastify leaves the body unread. */
const streamedType = 'multipart/form-data'

/** How long a client may take to begin its body after `100 Continue`, before it gets an error that needs no body. */
const bodyBeginsMs = 1_000

export function addUploadRoute(app: App, pace: BodyPace): void {
  app.addContentTypeParser(streamedType, (_request, _body, done) => done(null))
  for (const url of uploadPaths) {
    app.post(url, {
      schema: {
        isHidden: url.endsWith('/'),
        operationId: 'uploadCsv',
        tags: ['uploads'],
        summary: 'Upload a CSV file',
        description:
          'Once you get the response, the file is stored durably and ready to use. Uploading the same bytes again gives ' +
          'the same dataset, so retrying is safe. Requests that can be rejected from their headers are rejected before ' +
          'the body is read. Query parameters are ignored. With `Prefer: respond-async`, the response is 202 with the path ' +
          'of the upload in `Location`, as soon as the file is stored.',
        requestHeaders: uploadHeaders,
        requestBody: uploadBody,
        response: uploadAnswers,
      },
      onRequest: (request, _reply, done) => {
        // Fastify parses Content-Type more strictly than the contract; we read the raw header ourselves.
        request.raw.headers['content-type'] = streamedType
        done()
      },
      handler: async (request, reply) => {
        checkTypes(request.raw)
        if (prefersAsync(headerLines(request.raw, 'prefer'))) return await uploadWhole(request, reply, pace, true)
        const admission = await admit(request.service, request.raw, reply.raw, clientNetworkOf(request.ip))
        if (expectsContinue(request.raw)) reply.raw.writeContinue()
        const body = RequestBody.of(request.raw).chunks(pace)
        const uploaded = await request.service.upload(admission, body, goneSignal(reply.raw))
        if (uploaded.isReplayed) reply.header('idempotent-replayed', 'true')
        audit(request, 'upload', uploaded.receipt.id)
        return sendJson(reply, uploadJson(uploaded, request.caller.scopes.has('read')))
      },
    })
  }
}

/**
 * As in the reference, the first of several types counts. With two boundaries, a proxy may see another body than we do.
 * @throws {ServiceError} BAD_REQUEST
 */
function checkTypes(request: IncomingMessage): void {
  const types = headerLines(request, 'content-type').filter((one) => /^\s*multipart\//i.test(one))
  if (new Set(types).size <= 1) return
  throw new ServiceError('BAD_REQUEST', {
    problem: 'it has several Content-Type headers with different multipart types',
  })
}

/** Rejects whatever the headers allow us to reject, before a client that waits for `100 Continue` sends the body. */
async function admit(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  network: string,
): Promise<Admission> {
  const contentCoding = contentCodingOf(request)
  const declared = request.headers['content-length']
  const [contentType] = headerLines(request, 'content-type')
  try {
    const declaredBytes = declared === undefined ? null : Number(declared)
    const key = { idempotencyKey: idempotencyKey(headerLines(request, 'idempotency-key')) }
    return await service.admit({
      contentType,
      contentCoding,
      declaredBytes,
      body: RequestBody.of(request),
      network,
      ...key,
    })
  } catch (error) {
    // The one such rejection before which the reference sends 100 Continue all the same.
    if (isServiceError(error, 'NO_BOUNDARY') && expectsContinue(request)) {
      response.writeContinue()
      await bodyBegun(request)
    }
    throw error
  }
}

/**
 * Resolves when the body begins or the client goes away, at the latest after `bodyBeginsMs`. Java's HttpURLConnection
 * loses what arrives together with `100 Continue` (2 of 3 such errors, Java 17, 2026-11-23).
 */
async function bodyBegun(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, bodyBeginsMs)
  for (const event of ['data', 'end', 'close']) request.once(event, resolve)
  await promise
  clearTimeout(timer)
}
