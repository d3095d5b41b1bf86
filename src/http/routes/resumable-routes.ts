// Resumable routes: uploads in several requests, by tus 1.0; a file or a form as the body of one request.
import type { FastifyReply, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import type { ResumableUploads } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import type { App } from '../app.ts'
import { appendedType } from '../connection/error-record.ts'
import { checkCoding } from '../connection/head-checks.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { sendTagged } from '../exchange/entity-tag.ts'
import { uploadStatusJson, uploadsPath, uploadTag } from '../exchange/upload-json.ts'
import { header } from '../openapi/operation.ts'
import { fileBody, uploadHeaders, uploadParams } from '../openapi/request-schemas.ts'
import { field, uploadWhole } from '../resumable/async-upload.ts'
import { appendByTus, createByTus, speaksTus, stateByTus, tusOptions } from '../resumable/tus.ts'
import { uploadAnswers } from './upload-route.ts'

/** The media type for which Fastify leaves the body unread. */
const streamedType = 'multipart/form-data'
const onePath = `${uploadsPath}/:id`
const savedAs = header('Its name.', 'attachment; filename="people.csv"', false)
const described = {
  operationId: 'uploadFile',
  tags: ['uploads'],
  summary: 'Upload a file as the body',
  description:
    'The body is the file, whatever its media type; a form is read as by `uploadCsv`. Its name is that in ' +
    '`Content-Disposition`. With `Tus-Resumable`, the request begins a resumable upload instead (201).',
  requestHeaders: { ...uploadHeaders, 'Content-Disposition': savedAs },
  requestBody: fileBody,
  response: uploadAnswers,
} satisfies FastifySchema
/** Clients of tus call these routes, see docs/uploads.md; a client generated from OpenAPI could not. */
const ofProtocol = { isHidden: true } as const

/** @param terms Limits for all uploads. */
export function addResumableRoutes(app: App, pace: BodyPace, { bytesMax }: Pick<ResumableUploads, 'bytesMax'>): void {
  const config = { scope: 'upload', optionsFields: tusOptions(bytesMax) } as const
  const unread: onRequestHookHandler = (request, reply, done) => {
    request.raw.headers['content-type'] = streamedType
    speaksTus(request, reply)
    done()
  }
  app.post(uploadsPath, {
    config,
    onRequest: unread,
    schema: described,
    handler: async (request, reply) => {
      checkCoding(request.raw)
      if (speaksTus(request, reply)) return await createByTus(request, reply, pace)
      // Otherwise the part of a file that a client of another protocol sends would be taken for the whole.
      const foreign = Object.keys(request.raw.headers).find((name) => /^(?:upload-|content-range$)/.test(name))
      if (foreign === undefined) return await uploadWhole(request, reply, pace)
      throw new ServiceError('BAD_REQUEST', { problem: `it has '${foreign}', but no 'Tus-Resumable: 1.0.0'` })
    },
  })
  const append = async (request: FastifyRequest, reply: FastifyReply, id: string) => {
    checkCoding(request.raw)
    if (speaksTus(request, reply)) return await appendByTus(request, reply, pace, id)
    throw new ServiceError('BAD_REQUEST', { problem: "it has no 'Tus-Resumable: 1.0.0'" })
  }
  app.route({
    method: 'PATCH',
    url: onePath,
    config: { ...config, optionsFields: { ...config.optionsFields, 'accept-patch': appendedType } },
    onRequest: unread,
    schema: { ...ofProtocol, params: uploadParams },
    handler: (request, reply) => append(request, reply, request.params.id),
  })
  app.route({
    method: 'HEAD',
    url: onePath,
    config: { scope: 'upload or read' },
    schema: { ...ofProtocol, params: uploadParams },
    handler: (request, reply) => sendOffset(request, reply, request.params.id),
  })
  // Clients behind proxies that do not know PATCH put the method in a header, as tus defines.
  app.post(onePath, {
    config,
    onRequest: unread,
    schema: { ...ofProtocol, params: uploadParams },
    handler: async (request, reply) => {
      const method = field(request, 'x-http-method-override')?.trim().toUpperCase()
      const { id } = request.params
      if (method === 'PATCH') return await append(request, reply, id)
      if (method === 'HEAD') return await sendOffset(request, reply, id)
      if (method !== 'DELETE') {
        throw new ServiceError('METHOD_NOT_ALLOWED', {
          method: 'POST',
          allow: ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'],
        })
      }
      await request.service.uploads.remove(id)
      audit(request, 'cancellation', id)
      return reply.code(204).send()
    },
  })
}

/** Where to resume an upload. For a client that does not speak tus, this is an ordinary HEAD of its status. */
async function sendOffset(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> {
  const { resumable, uploads } = request.service
  if (speaksTus(request, reply)) return stateByTus(await resumable.state(id), reply)
  const status = uploads.get(id)
  return sendTagged(request, reply, uploadStatusJson(status), uploadTag(status))
}
