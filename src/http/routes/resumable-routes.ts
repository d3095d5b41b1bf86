// Resumable routes: uploads in several requests, by tus 1.0 or by HTTP's own draft, on the same paths.
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import type { ResumableUploads } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import type { App } from '../app.ts'
import { checkCoding } from '../connection/head-checks.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { headerLines } from '../connection/request-target.ts'
import { prefersAsync } from '../exchange/headers/prefer.ts'
import { uploadsPath, uploadTag } from '../exchange/upload-json.ts'
import { uploadParams } from '../openapi/request-schemas.ts'
import {
  appendByDraft,
  createByDraft,
  createWhole,
  draftOptions,
  draftTerms,
  stateByDraft,
} from '../resumable/draft.ts'
import { field } from '../resumable/resumable-request.ts'
import { appendByTus, createByTus, speaksTus, stateByTus, tusOptions } from '../resumable/tus.ts'

/** The media type for which Fastify leaves the body unread. */
const streamedType = 'multipart/form-data'
const onePath = `${uploadsPath}/:id`
/** Clients of the protocols call these routes, see docs/uploads.md; a client generated from OpenAPI could not. */
const ofProtocol = { isHidden: true } as const

/** @param terms Limits for all uploads. */
export function addResumableRoutes(
  app: App,
  pace: BodyPace,
  { bytesMax, keepMs }: Pick<ResumableUploads, 'bytesMax' | 'keepMs'>,
): void {
  const optionsFields = { ...tusOptions(bytesMax), ...draftOptions(bytesMax, keepMs) }
  const config = { scope: 'upload', optionsFields } as const
  const unread: onRequestHookHandler = (request, reply, done) => {
    request.raw.headers['content-type'] = streamedType
    speaksTus(request, reply)
    done()
  }
  app.post(uploadsPath, {
    config,
    onRequest: unread,
    schema: ofProtocol,
    handler: async (request, reply) => {
      checkCoding(request.raw)
      if (speaksTus(request, reply)) return await createByTus(request, reply, pace)
      const terms = draftTerms(request)
      if (terms !== null) return await createByDraft(request, reply, pace, terms)
      if (prefersAsync(headerLines(request.raw, 'prefer'))) return await createWhole(request, reply, pace)
      const problem =
        "it has neither 'Tus-Resumable: 1.0.0' nor an Upload-Complete of ?0 or ?1 nor 'Prefer: respond-async'"
      throw new ServiceError('BAD_REQUEST', { problem })
    },
  })
  const append = async (request: FastifyRequest, reply: FastifyReply, id: string) => {
    checkCoding(request.raw)
    return speaksTus(request, reply)
      ? await appendByTus(request, reply, pace, id)
      : await appendByDraft(request, reply, pace, id)
  }
  app.route({
    method: 'PATCH',
    url: onePath,
    config,
    onRequest: unread,
    schema: { ...ofProtocol, params: uploadParams },
    handler: (request, reply) => append(request, reply, request.params.id),
  })
  app.route({
    method: 'HEAD',
    url: onePath,
    config: { scope: ['read', 'upload'] },
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

/** Where to resume an upload. An upload in a single request has no offset, only its status. */
async function sendOffset(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> {
  const { resumable, uploads } = request.service
  const isTus = speaksTus(request, reply)
  const state = await resumable.state(id)
  reply.headers({ etag: uploadTag(await uploads.get(id)), 'cache-control': 'no-store' })
  return isTus ? stateByTus(state, reply) : stateByDraft(request, reply, state)
}
