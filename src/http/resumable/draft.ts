// Draft: uploads by HTTP's own draft, draft-ietf-httpbis-resumable-upload-15, and the interop versions that clients use.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import type { Appended, NewResumable, ResumableState, ResumableUploads, UploadReply } from '../../service/service.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import { writeResumptionSupported } from '../connection/interim-response.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { datasetsPath, uploadJson } from '../exchange/receipt-json.ts'
import { sendJson } from '../exchange/send.ts'
import { uploadsPath } from '../exchange/upload-json.ts'
import { byteCount, contentDigest, metadata, structuredBoolean } from './field-values.ts'
import { appendFirst, bodyOf, declaredBytes, field, keyOf, outcomeOf, sentType } from './resumable-request.ts'

/** Media type of appended bytes, and the value of `Accept-Patch`. */
const partialType = 'application/partial-upload'
const versionField = 'upload-draft-interop-version'
/**
 * From -01, which iOS 17 uses, to the current one. The first uses `Upload-Incomplete`; the sixth introduced media types
 * for appended bytes.
 */
const versions: ReadonlySet<string> = new Set(['3', '4', '5', '6', '7', '8'])

/** What a request states in the terms of the draft. */
export interface DraftTerms {
  /** As sent; null for a client of the future standard, which names no version. */
  readonly version: string | null
  /** Whether the upload is complete with the bytes of this request. */
  readonly isLast: boolean
}

/** Null for a request that does not use the draft, or uses an unknown version: it is treated as an ordinary upload. */
export function draftTerms(request: FastifyRequest): DraftTerms | null {
  const version = field(request, versionField)?.trim() ?? null
  if (version !== null && !versions.has(version)) return null
  const complete = structuredBoolean(field(request, 'upload-complete'))
  const incomplete = version === '3' ? structuredBoolean(field(request, 'upload-incomplete')) : null
  const isLast = complete ?? (incomplete === null ? null : !incomplete)
  return isLast === null ? null : { version, isLast }
}

/** Headers that `OPTIONS` returns. */
export function draftOptions(bytesMax: number, keepMs: number): Readonly<Record<string, string>> {
  return { 'accept-patch': partialType, 'upload-limit': limits({ bytesMax, keepMs }, keepMs) }
}

function limits({ bytesMax }: Pick<ResumableUploads, 'bytesMax' | 'keepMs'>, leftMs: number): string {
  return `max-size=${bytesMax}, min-size=1, max-age=${Math.max(0, Math.floor(leftMs / 1_000))}`
}

/**
 * Begins an upload with the bytes of a request. If that completes it, the response is that of an upload in one request.
 */
export async function createByDraft(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  terms: DraftTerms,
  isForm = isSentAsForm(request),
): Promise<FastifyReply> {
  const { resumable } = request.service
  const length = byteCount(field(request, 'upload-length'))
  const sentBytes = declaredBytes(request)
  const expectedBytes = length ?? (terms.isLast ? sentBytes : null)
  const created = await resumable.create({ ...described(request, isForm), expectedBytes, isOneRequest: false })
  const location = `${uploadsPath}/${created.id}`
  answerVersion(reply, terms)
  const limit = limits(resumable, created.expiresAt - Date.now())
  writeResumptionSupported(request.raw, reply.raw, {
    ...(terms.version !== null && { 'Upload-Draft-Interop-Version': terms.version }),
    Location: location,
    'Upload-Limit': limit,
  })
  reply.headers({ location, 'upload-limit': limit })
  const first = { id: created.id, offset: 0, terms, length }
  return await appendFirst(request, created.id, () => append(request, reply, pace, first))
}

/**
 * Receives a whole upload in a single request whose client prefers not to wait for the outcome. Since it is an upload
 * in one request, no `104` is sent, and nothing is kept unless all of it arrives.
 */
export async function createWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  isForm = isSentAsForm(request),
): Promise<FastifyReply> {
  const { resumable } = request.service
  const expectedBytes = declaredBytes(request)
  const { id } = await resumable.create({ ...described(request, isForm), expectedBytes, isOneRequest: true })
  const added = await resumable.append(id, {
    ...bodyOf(request, reply, pace),
    offset: 0,
    expectedBytes: null,
    isLast: true,
    checksum: contentDigest(field(request, 'content-digest')),
    onDurable: () => {},
  })
  if (added.reply === null) throw new ServiceError('UPLOAD_COMPLETED', { id })
  return await sendOutcome(request, reply, { ...added, reply: added.reply })
}

/** Answers a request that has completed an upload, with the receipt, or with 202 if the client does not wait for it. */
async function sendOutcome(
  request: FastifyRequest,
  reply: FastifyReply,
  added: Appended & { readonly reply: Promise<UploadReply> },
): Promise<FastifyReply> {
  const uploaded = await outcomeOf(request, reply, added)
  return uploaded === null ? reply.send() : sendJson(reply, uploadJson(uploaded))
}

function isSentAsForm(request: FastifyRequest): boolean {
  return /^\s*multipart\//i.test(sentType(request) ?? '')
}

/** A form, or the file itself. */
function described(request: FastifyRequest, isForm: boolean): Omit<NewResumable, 'expectedBytes' | 'isOneRequest'> {
  const type = sentType(request)
  const texts = metadata(field(request, 'upload-metadata'))
  const [dialect, schema] = [texts.get('dialect'), texts.get('schema')]
  return {
    form: isForm ? { contentType: type ?? '' } : null,
    fileName: texts.get('filename') ?? '',
    disposition: field(request, 'content-disposition') ?? null,
    fileType: type ?? null,
    declared: { ...(dialect !== undefined && { dialect }), ...(schema !== undefined && { schema }) },
    network: clientNetworkOf(request.ip),
    remark: null,
    endsByLength: false,
    idempotencyKey: keyOf(request),
  }
}

/** @throws {ServiceError} as `ResumableUploads.append`, BAD_REQUEST, NOT_BYTES */
export async function appendByDraft(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  id: string,
): Promise<FastifyReply> {
  const terms = draftTerms(request)
  if (terms === null) {
    throw new ServiceError('BAD_REQUEST', {
      problem: 'it has neither Tus-Resumable nor an Upload-Complete of ?0 or ?1',
    })
  }
  answerVersion(reply, terms)
  const type = sentType(request)?.split(';')[0]?.trim().toLowerCase()
  if (Number(terms.version ?? 8) > 5 && type !== partialType) {
    throw new ServiceError('NOT_BYTES', { contentType: type ?? null, wanted: partialType })
  }
  const offset = byteCount(field(request, 'upload-offset'))
  if (offset === null)
    throw new ServiceError('BAD_REQUEST', { problem: 'its Upload-Offset is missing or not a number' })
  const length = byteCount(field(request, 'upload-length'))
  return await append(request, reply, pace, { id, offset, terms, length })
}

interface Append {
  readonly id: string
  readonly offset: number
  readonly terms: DraftTerms
  readonly length: number | null
}

async function append(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  { id, offset, terms, length }: Append,
): Promise<FastifyReply> {
  const added = await request.service.resumable.append(id, {
    ...bodyOf(request, reply, pace),
    offset,
    expectedBytes: length,
    isLast: terms.isLast,
    checksum: contentDigest(field(request, 'content-digest')),
    onDurable: (bytes) => writeResumptionSupported(request.raw, reply.raw, { 'Upload-Offset': String(bytes) }),
  })
  const { state } = added
  // From here on, errors concern the file and not its transfer.
  reply.raw.setHeader('upload-complete', completeText(state.isComplete))
  // The draft does not require this, but tus-js-client treats a response without it as a failure.
  if (state.isComplete) reply.raw.setHeader('upload-offset', String(state.bytes))
  if (added.reply !== null) return await sendOutcome(request, reply, { ...added, reply: added.reply })
  if (state.isComplete) throw new ServiceError('UPLOAD_COMPLETED', { id })
  reply.header('upload-offset', String(state.bytes))
  return reply.code(reply.hasHeader('location') ? 201 : 204).send()
}

export function stateByDraft(request: FastifyRequest, reply: FastifyReply, state: ResumableState): FastifyReply {
  const { bytes, expectedBytes, isComplete, expiresAt, datasetId } = state
  const version = field(request, versionField)?.trim() ?? null
  if (version !== null && versions.has(version)) reply.header(versionField, version)
  if (version === '3') reply.header('upload-incomplete', completeText(!isComplete))
  reply.headers({
    'upload-offset': String(bytes),
    'upload-complete': completeText(isComplete),
    'upload-limit': limits(request.service.resumable, expiresAt - Date.now()),
    ...(expectedBytes !== null && { 'upload-length': String(expectedBytes) }),
    ...(datasetId !== null && { 'content-location': `${datasetsPath}/${datasetId}` }),
  })
  // Draft clients expect this status; for anyone else, this is an ordinary HEAD.
  return reply.code(version === null ? 200 : 204).send()
}

function answerVersion(reply: FastifyReply, { version }: DraftTerms): void {
  if (version !== null) reply.raw.setHeader(versionField, version)
}

function completeText(isComplete: boolean): string {
  return isComplete ? '?1' : '?0'
}
