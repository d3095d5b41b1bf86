// Async upload: receives an upload in one request whose client may not wait for the outcome; tus answers such clients by the same rules.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../../core/errors.ts'
import type { AppendResult, ResumableBytes, UploadReply } from '../../service/service.ts'
import { audit } from '../access/authorize.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import { contentCodingOf, expectsContinue, ignoredCoding } from '../connection/head-checks.ts'
import { type BodyPace, RequestBody } from '../connection/request-body.ts'
import { headerLines } from '../connection/request-target.ts'
import { idempotencyKey } from '../exchange/headers/idempotency-key.ts'
import { preferredWait, prefersAsync } from '../exchange/headers/prefer.ts'
import { uploadJson } from '../exchange/receipt-json.ts'
import { sendJson } from '../exchange/send.ts'
import { uploadsPath } from '../exchange/upload-json.ts'

/** Proxies often cut off a response that takes longer. */
export const waitSecondsMax = 60

/**
 * Receives a whole upload, a form or the file itself, whose client may prefer not to wait for the outcome. Nothing is
 * kept unless all of it arrives.
 */
export async function uploadWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  isForm = /^\s*multipart\//i.test(sentType(request) ?? ''),
): Promise<FastifyReply> {
  const { resumable } = request.service
  const type = sentType(request)
  const { id } = await resumable.create({
    form: isForm ? { contentType: type ?? '', contentCoding: contentCodingOf(request.raw) } : null,
    fileName: '',
    disposition: field(request, 'content-disposition') ?? null,
    fileType: type ?? null,
    declared: {},
    expectedBytes: declaredBytes(request),
    network: clientNetworkOf(request.ip),
    remark: null,
    idempotencyKey: keyOf(request),
    isOneRequest: true,
  })
  const body = bodyOf(request, reply, pace)
  const added = await resumable.append(id, { ...body, offset: 0, expectedBytes: null, checksum: null })
  if (added.reply === null) throw new Error(`Cannot await the outcome of upload ${id}: it is not complete`)
  const uploaded = await outcomeOf(request, reply, { ...added, reply: added.reply })
  return uploaded === null ? reply.send() : sendReceipt(request, reply, uploaded)
}

/** Answers with the receipt; notes about the request are those of its head, too. */
export function sendReceipt(request: FastifyRequest, reply: FastifyReply, uploaded: UploadReply): FastifyReply {
  const notes = [...uploaded.notes, ...ignoredCoding(request.raw)]
  return sendJson(reply, uploadJson({ ...uploaded, notes }, request.caller.scopes.has('read')))
}

/** The part of the input that comes from the request itself. */
export function bodyOf(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
): Pick<ResumableBytes, 'declaredBytes' | 'body' | 'pending' | 'network' | 'onAccepted'> {
  const { raw, ip } = request
  const body = RequestBody.of(raw)
  return {
    declaredBytes: declaredBytes(request),
    body: body.chunks(pace),
    pending: body,
    network: clientNetworkOf(ip),
    onAccepted: () => {
      if (expectsContinue(raw)) reply.raw.writeContinue()
    },
  }
}

/** Null for a chunked body; 0 without a body (RFC 9112 section 6.3). */
export function declaredBytes({ raw }: FastifyRequest): number | null {
  if (raw.headers['transfer-encoding'] !== undefined) return null
  return Number(raw.headers['content-length'] ?? 0)
}

/**
 * Resolves to the outcome of an upload, or to null if its client prefers not to wait and the outcome takes longer: the
 * response is then 202.
 *
 * @param waitMsMax Any other client gets null after this long, too.
 */
export async function outcomeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { state, reply: outcome, isRepeated }: AppendResult & { readonly reply: Promise<UploadReply> },
  waitMsMax: number | null = null,
): Promise<UploadReply | null> {
  const lines = headerLines(request.raw, 'prefer')
  const isAsync = prefersAsync(lines) && !isRepeated
  const seconds = preferredWait(lines, waitSecondsMax)
  const audited = outcome.then((uploaded) => {
    audit(request, 'upload', uploaded.receipt.id)
    return uploaded
  })
  const waitMs = isAsync ? 1_000 * (seconds ?? 0) : waitMsMax
  const uploaded = await (waitMs === null ? audited : within(audited, waitMs))
  if (uploaded?.isReplayed) reply.header('idempotent-replayed', 'true')
  if (uploaded !== null || !isAsync) return uploaded
  const applied = seconds === null ? 'respond-async' : `respond-async, wait=${seconds}`
  reply.code(202).headers({ location: `${uploadsPath}/${state.id}`, 'preference-applied': applied })
  return null
}

/** Null if it takes longer. @throws what `work` rejects with */
async function within<Result>(work: Promise<Result>, ms: number): Promise<Result | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

export function keyOf({ raw }: FastifyRequest): string | ServiceError | null {
  return idempotencyKey(headerLines(raw, 'idempotency-key'))
}

/** The first line of a header, as sent. */
export function field({ raw }: FastifyRequest, name: string): string | undefined {
  const value = raw.headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Media type of the body; Fastify sees another one. */
export function sentType({ raw }: FastifyRequest): string | undefined {
  return headerLines(raw, 'content-type')[0]
}
