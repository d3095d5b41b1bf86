// Upload routes: everything that receives a file: a form, the file as the body, tus, corrections. They know the head of
// a request; the service reads the body.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Admission, CorrectionAdmission, Service, UploadHead } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import { appendedType } from '../connection/error-record.ts'
import { checkCoding, contentCodingOf, expectsContinue } from '../connection/head-checks.ts'
import { type BodyPace, RequestBody } from '../connection/request-body.ts'
import { headerLines, requestPath } from '../connection/request-target.ts'
import { sendTagged } from '../exchange/entity-tag.ts'
import { idempotencyKey } from '../exchange/headers/idempotency-key.ts'
import { prefersAsync } from '../exchange/headers/prefer.ts'
import { correctionJson } from '../exchange/receipt-json.ts'
import { goneSignal, sendJson } from '../exchange/send.ts'
import { uploadStatusJson, uploadsPath, uploadTag } from '../exchange/upload-json.ts'
import { header, json, noContent } from '../openapi/operation.ts'
import { correctionBody, fileBody, uploadBody, uploadHeaders, uploadParams } from '../openapi/request-schemas.ts'
import { correctionOutcome, uploadResponse } from '../openapi/response-schemas.ts'
import { field, sendReceipt, uploadWhole } from '../resumable/async-upload.ts'
import { appendByTus, createByTus, speaksTus, stateByTus, tusFirst, tusOptions } from '../resumable/tus.ts'
import { datasetFailures, datasetRoute, type Route, type RouteContext, route } from './route.ts'

const onePath = `${uploadsPath}/:id`
const replayed = header(
  'Present if this response was already sent to an earlier request with the same key.',
  'true',
  false,
)
const savedAs = header('The name of the file.', 'attachment; filename="people.csv"')

/** Errors of a form, or of a file as the body. */
const bodyFailures = [
  'MISSING_FILE_PART',
  'BAD_MULTIPART',
  'EMPTY_FILE',
  'TWO_FILE_PARTS',
  'CONTENT_CODED',
  'FILE_TOO_LARGE',
  'REQUEST_TOO_LARGE',
] as const

const uploadPlace = header('The path of the upload.', '/qas/uploads/019aa1b2-4c80-7000-8000-0123456789ab')

/** The answers to an upload, which ignores query parameters. */
const uploading = {
  querystring: 'ignored',
  answers: {
    200: { ...json('The receipt.', uploadResponse), headers: { 'Idempotent-Replayed': replayed } },
    202: noContent('The file is stored; its receipt follows, see `Prefer`.', {
      Location: uploadPlace,
      'Preference-Applied': header('What was preferred.', 'respond-async'),
    }),
  },
  failures: [
    'NOT_MULTIPART',
    'NO_BOUNDARY',
    ...bodyFailures,
    'BAD_PARAMETER',
    'SCHEMA_MISMATCH',
    'IDEMPOTENCY_KEY_IN_USE',
    'IDEMPOTENCY_KEY_REUSED',
    'DECOMPRESSED_TOO_LARGE',
    'COMPRESSED_TOO_MUCH',
    'NOT_CSV',
    'NOT_READABLE',
    'TOO_MANY_UNFINISHED',
    'STORE_FAILED',
    ...datasetFailures,
  ],
} as const

/** How long a client may take to begin its body after `100 Continue`, before it gets an error that needs no body. */
const bodyBeginsMs = 1_000

const uploadCsv = {
  ...uploading,
  method: 'POST',
  handler: async (request: FastifyRequest, reply: FastifyReply, pace: BodyPace) => {
    checkTypes(request.raw)
    if (prefersAsync(headerLines(request.raw, 'prefer'))) return await uploadWhole(request, reply, pace, true)
    const admission = await admit(request.service, request.raw, reply.raw, clientNetworkOf(request.ip))
    if (expectsContinue(request.raw)) reply.raw.writeContinue()
    const body = RequestBody.of(request.raw).chunks(pace)
    const uploaded = await request.service.upload(admission, body, goneSignal(reply.raw))
    if (uploaded.isReplayed) reply.header('idempotent-replayed', 'true')
    audit(request, 'upload', uploaded.receipt.id)
    return sendReceipt(request, reply, uploaded)
  },
} as const

/** Clients of tus call these routes, see docs/uploads.md; a client generated from OpenAPI could not. */
const resuming = {
  url: onePath,
  scope: 'upload',
  querystring: 'ignored',
  params: uploadParams,
  optionsFields: (context: RouteContext) => ({ ...fieldsOf(context), 'accept-patch': appendedType }),
} as const

/** What sends corrections. */
const correcting = {
  method: 'POST',
  scope: ['upload', 'read'],
  tag: 'uploads',
  requestBody: correctionBody,
  failures: ['NOT_CORRECTIONS', 'BAD_CORRECTIONS', 'CORRECTIONS_MISMATCH', ...bodyFailures, ...datasetFailures],
} as const

/** The endpoint of the specification, also with a trailing slash. */
export const formRoutes: readonly Route[] = [
  route({
    ...uploadCsv,
    url: '/qas/uploadCsv',
    operationId: 'uploadCsv',
    tag: 'uploads',
    summary: 'Upload a CSV file',
    description:
      'Once you get the response, the file is stored durably and ready to use. Uploading the same bytes again gives ' +
      'the same dataset, so retrying is safe. Requests that can be rejected from their headers are rejected before ' +
      'the body is read. Query parameters are ignored. With `Prefer: respond-async`, the response is 202 with the path ' +
      'of the upload in `Location`, as soon as the file is stored.',
    requestHeaders: uploadHeaders,
    requestBody: uploadBody,
  }),
  route({ ...uploadCsv, url: '/qas/uploadCsv/' }),
]

export const uploadRoutes: readonly Route[] = [
  route({
    ...uploading,
    method: 'POST',
    url: uploadsPath,
    scope: 'upload',
    optionsFields: fieldsOf,
    failures: uploading.failures.filter((code) => code !== 'NO_BOUNDARY'),
    onRequest: tusFirst,
    operationId: 'uploadFile',
    tag: 'uploads',
    summary: 'Upload a file as the body',
    description:
      'The body is the file, whatever its media type; a form is read as by `uploadCsv`. Its name is that in ' +
      '`Content-Disposition`. With `Tus-Resumable`, the request begins a resumable upload instead (201).',
    answers: {
      ...uploading.answers,
      201: noContent('A resumable upload has begun, see `Tus-Resumable`.', {
        Location: uploadPlace,
      }),
    },
    requestHeaders: { ...uploadHeaders, 'Content-Disposition': savedAs },
    requestBody: fileBody,
    handler: async (request, reply, pace) => {
      checkCoding(request.raw)
      if (speaksTus(request, reply)) return await createByTus(request, reply, pace)
      // Otherwise the part of a file that a client of another protocol sends would be taken for the whole.
      const foreign = Object.keys(request.raw.headers).find((name) => /^(?:upload-|content-range$)/.test(name))
      if (foreign !== undefined) {
        throw new ServiceError('BAD_REQUEST', { problem: `it has '${foreign}', but no 'Tus-Resumable: 1.0.0'` })
      }
      return await uploadWhole(request, reply, pace).catch((error) => {
        // Only the route of the specification answers this as the reference does.
        if (!isServiceError(error, 'NO_BOUNDARY')) throw error
        throw new ServiceError('BAD_MULTIPART', { problem: 'its Content-Type has no boundary' })
      })
    },
  }),
  route({ ...resuming, method: 'PATCH', onRequest: tusFirst, handler: append }),
  route({ ...resuming, method: 'HEAD', scope: 'upload or read', handler: sendOffset }),
  // Clients behind proxies that do not know PATCH put the method in a header, as tus defines.
  route({
    ...resuming,
    method: 'POST',
    isUnlisted: true,
    onRequest: tusFirst,
    handler: async (request, reply, context) => {
      const method = field(request, 'x-http-method-override')?.trim().toUpperCase()
      if (method === 'PATCH') return await append(request, reply, context)
      if (method === 'HEAD') return await sendOffset(request, reply)
      if (method === 'DELETE') return await cancel(request, reply)
      const allow = context.paths.allowed(requestPath(request.url))
      throw new ServiceError('METHOD_NOT_ALLOWED', { method: 'POST', allow })
    },
  }),
  datasetRoute({
    ...correcting,
    path: '/corrections',
    operationId: 'correctDataset',
    summary: 'Correct rejected records',
    description:
      'Makes another dataset from the stored original and the texts and rules you send. Each text is read with the ' +
      'settings of the file and takes the place of its record. Rules mend all rejects of one cause. A record that ' +
      'cannot be read afterwards stays a reject. The first dataset stays as it is. The same corrections make the same ' +
      'dataset again. Needs the scopes `upload` and `read`.',
    answers: { 200: json('The receipt of the corrected dataset.', uploadResponse) },
    handler: async (request, reply, pace) => {
      const admission = await admitCorrections(request, reply)
      const body = RequestBody.of(request.raw).chunks(pace)
      const corrected = await request.service.correct(admission, body, goneSignal(reply.raw))
      audit(request, 'correction', corrected.receipt.id)
      return sendJson(reply, correctionJson(corrected))
    },
  }),
  datasetRoute({
    ...correcting,
    path: '/corrections/preview',
    operationId: 'previewCorrections',
    summary: 'Try corrections',
    description:
      'Tells what the same corrections would do, and stores nothing: how many records each rule mends of how many, and ' +
      'the first of them before and after. Takes as long as correcting if a schema was declared.',
    answers: { 200: json('The outcome.', correctionOutcome) },
    handler: async (request, reply, pace) => {
      const admission = await admitCorrections(request, reply)
      const body = RequestBody.of(request.raw).chunks(pace)
      return sendJson(reply, await request.service.previewCorrections(admission, body, goneSignal(reply.raw)))
    },
  }),
]

async function admitCorrections(request: OfUpload, reply: FastifyReply): Promise<CorrectionAdmission> {
  const { service, params, raw } = request
  if (headerLines(raw, 'content-type').length > 1) {
    throw new ServiceError('BAD_REQUEST', { problem: 'it has more than one Content-Type header' })
  }
  const admission = await service.admitCorrections(params.id, headOf(raw, clientNetworkOf(request.ip)))
  if (expectsContinue(raw)) reply.raw.writeContinue()
  return admission
}

type OfUpload = FastifyRequest<{ Params: { id: string } }>

function fieldsOf({ resumableBytesMax }: RouteContext): Readonly<Record<string, string>> {
  return tusOptions(resumableBytesMax)
}

async function append(request: OfUpload, reply: FastifyReply, pace: BodyPace): Promise<FastifyReply> {
  checkCoding(request.raw)
  if (speaksTus(request, reply)) return await appendByTus(request, reply, pace, request.params.id)
  throw new ServiceError('BAD_REQUEST', { problem: "it has no 'Tus-Resumable: 1.0.0'" })
}

/** Cancels an upload in progress, or forgets one that has ended. */
export async function cancel(request: OfUpload, reply: FastifyReply): Promise<FastifyReply> {
  const { id } = request.params
  await request.service.uploads.remove(id)
  audit(request, 'cancellation', id)
  return reply.code(204).send()
}

/** Where to resume an upload. For a client that does not speak tus, this is an ordinary HEAD of its status. */
async function sendOffset(request: OfUpload, reply: FastifyReply): Promise<FastifyReply> {
  const { id } = request.params
  const { resumable, uploads } = request.service
  if (speaksTus(request, reply)) return stateByTus(await resumable.state(id), reply)
  const status = uploads.get(id)
  return sendTagged(request, reply, uploadStatusJson(status), uploadTag(status))
}

function headOf(request: IncomingMessage, network: string): UploadHead {
  const declared = request.headers['content-length']
  return {
    contentType: headerLines(request, 'content-type')[0],
    contentCoding: contentCodingOf(request),
    declaredBytes: declared === undefined ? null : Number(declared),
    body: RequestBody.of(request),
    network,
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
  try {
    const key = idempotencyKey(headerLines(request, 'idempotency-key'))
    return await service.admit({ ...headOf(request, network), idempotencyKey: key })
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
