// tus: uploads by tus 1.0 (https://tus.io/protocols/resumable-upload): core, creation, checksum, expiration, termination.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { checksumAlgorithms, type ResumableState } from '../../service/service.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import { uploadsPath } from '../exchange/upload-json.ts'
import { byteCount, metadata, tusChecksum } from './field-values.ts'
import { appendFirst, bodyOf, declaredBytes, field, keyOf, outcomeOf, sentType } from './resumable-request.ts'

const version = '1.0.0'
/** Media type of appended bytes. */
const bytesType = 'application/offset+octet-stream'
/** How long a client may wait for the outcome of its upload; after that, it must ask for the status. Milliseconds. */
const waitMsMax = 30_000

/** Headers that `OPTIONS` returns. */
export function tusOptions(bytesMax: number): Readonly<Record<string, string>> {
  return {
    'tus-resumable': version,
    'tus-version': version,
    'tus-extension': 'creation,creation-with-upload,creation-defer-length,checksum,expiration,termination',
    'tus-max-size': String(bytesMax),
    'tus-checksum-algorithm': checksumAlgorithms.join(','),
  }
}

/** True for a tus request, which also gets a tus response. @throws {ServiceError} PROTOCOL_NOT_SUPPORTED */
export function speaksTus(request: FastifyRequest, reply: FastifyReply): boolean {
  const asked = field(request, 'tus-resumable')
  if (asked === undefined) return false
  reply.raw.setHeader('tus-resumable', version)
  if (asked.trim() !== version) throw new ServiceError('PROTOCOL_NOT_SUPPORTED', { version: asked.slice(0, 100) })
  return true
}

export async function createByTus(request: FastifyRequest, reply: FastifyReply, pace: BodyPace): Promise<FastifyReply> {
  const { resumable } = request.service
  const remark = field(request, 'upload-metadata') ?? null
  const texts = metadata(remark ?? undefined)
  const [dialect, schema] = [texts.get('dialect'), texts.get('schema')]
  const expectedBytes = lengthOf(request)
  if (field(request, 'upload-concat') !== undefined) {
    throw new ServiceError('BAD_REQUEST', { problem: 'it has Upload-Concat, an extension that is not supported' })
  }
  const hasBytes = declaredBytes(request) !== 0
  if (hasBytes) checkType(request)
  const created = await resumable.create({
    form: null,
    fileName: texts.get('filename') ?? texts.get('name') ?? '',
    disposition: null,
    fileType: texts.get('filetype') || texts.get('type') || null,
    declared: { ...(dialect !== undefined && { dialect }), ...(schema !== undefined && { schema }) },
    expectedBytes,
    endsByLength: true,
    network: clientNetworkOf(request.ip),
    remark,
    idempotencyKey: keyOf(request),
    isOneRequest: false,
  })
  reply.header('location', `${uploadsPath}/${created.id}`)
  if (!hasBytes) return reply.code(201).headers(stateFields(created)).send()
  return await appendFirst(request, created.id, () => append(request, reply.code(201), pace, created.id, 0))
}

export async function appendByTus(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  id: string,
): Promise<FastifyReply> {
  checkType(request)
  const offset = byteCount(field(request, 'upload-offset'))
  if (offset === null)
    throw new ServiceError('BAD_REQUEST', { problem: 'its Upload-Offset is missing or not a number' })
  return await append(request, reply.code(204), pace, id, offset)
}

async function append(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: BodyPace,
  id: string,
  offset: number,
): Promise<FastifyReply> {
  const added = await request.service.resumable.append(id, {
    ...bodyOf(request, reply, pace),
    offset,
    expectedBytes: field(request, 'upload-length') === undefined ? null : lengthOf(request),
    isLast: false,
    checksum: tusChecksum(field(request, 'upload-checksum')),
    onDurable: () => {},
  })
  reply.headers(stateFields(added.state))
  if (added.reply !== null) {
    const uploaded = await outcomeOf(request, reply, { ...added, reply: added.reply }, waitMsMax)
    if (uploaded !== null) reply.header('content-location', `${datasetsPath}/${uploaded.receipt.id}`)
  }
  return reply.send()
}

export function stateByTus(state: ResumableState, reply: FastifyReply): FastifyReply {
  const { expectedBytes, remark } = state
  reply.headers(stateFields(state))
  if (expectedBytes === null) reply.header('upload-defer-length', '1')
  else reply.header('upload-length', expectedBytes)
  if (remark !== null) reply.header('upload-metadata', remark)
  return reply.code(200).send()
}

function stateFields({ bytes, isComplete, expiresAt, datasetId }: ResumableState): Record<string, string> {
  return {
    'upload-offset': String(bytes),
    ...(!isComplete && { 'upload-expires': new Date(expiresAt).toUTCString() }),
    ...(datasetId !== null && { 'content-location': `${datasetsPath}/${datasetId}` }),
  }
}

/** @returns null if the client does not know it yet. @throws {ServiceError} BAD_REQUEST */
function lengthOf(request: FastifyRequest): number | null {
  const [length, deferred] = [field(request, 'upload-length'), field(request, 'upload-defer-length')]
  if (length === undefined && deferred?.trim() === '1') return null
  const bytes = byteCount(length)
  if (bytes !== null && deferred === undefined) return bytes
  throw new ServiceError('BAD_REQUEST', {
    problem: 'it needs either an Upload-Length that is a number, or Upload-Defer-Length: 1',
  })
}

function checkType(request: FastifyRequest): void {
  const type = sentType(request)
  if (type?.split(';')[0]?.trim().toLowerCase() === bytesType) return
  throw new ServiceError('NOT_BYTES', { contentType: type ?? null, wanted: bytesType })
}
