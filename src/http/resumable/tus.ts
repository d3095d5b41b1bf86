// tus: uploads by tus 1.0 (https://tus.io/protocols/resumable-upload): core, creation, checksum, expiration, termination.
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  type ResumableBytes,
  type ResumableState,
} from '../../service/service.ts'
import { clientNetworkOf } from '../access/client-network.ts'
import { appendedType } from '../connection/error-record.ts'
import type { BodyPace } from '../connection/request-body.ts'
import { datasetsPath } from '../exchange/receipt-json.ts'
import { uploadsPath } from '../exchange/upload-json.ts'
import { bodyOf, declaredBytes, field, keyOf, outcomeOf, sentType } from './async-upload.ts'

const version = '1.0.0'
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

/** Marks the response as one of tus before anything is checked, so that errors are marked, too. */
export const tusFirst: onRequestHookHandler = (request, reply, done) => {
  speaksTus(request, reply)
  done()
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
    network: clientNetworkOf(request.ip),
    remark,
    idempotencyKey: keyOf(request),
    isOneRequest: false,
  })
  reply.header('location', `${uploadsPath}/${created.id}`)
  if (!hasBytes) return reply.code(201).headers(stateFields(created)).send()
  return await appendFirst(request, reply.code(201), pace, created.id)
}

/** If the first bytes of an upload fail with one of these, the upload is removed: nobody would resume it. */
const leavesNothing = [
  'UPLOAD_LENGTH_MISMATCH',
  'UPLOAD_CHECKSUM_MISMATCH',
  'FILE_TOO_LARGE',
  'TOO_MANY_UPLOADS',
  'TOO_MANY_UNFINISHED',
  'QUOTA_EXCEEDED',
  'DISK_FULL',
] as const

/** Appends the bytes of the request that began the upload. */
async function appendFirst(request: FastifyRequest, reply: FastifyReply, pace: BodyPace, id: string) {
  try {
    return await append(request, reply, pace, id, 0)
  } catch (error) {
    const isRefused = leavesNothing.some((code) => isServiceError(error, code))
    if (isRefused) await request.service.uploads.remove(id).catch(() => {})
    throw error
  }
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
    checksum: checksumOf(field(request, 'upload-checksum')),
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
  if (type?.split(';')[0]?.trim().toLowerCase() === appendedType) return
  throw new ServiceError('NOT_BYTES', { contentType: type ?? null })
}

/** A count of bytes; null for anything else. */
function byteCount(value: string | undefined): number | null {
  return value !== undefined && /^\d{1,15}$/.test(value.trim()) ? Number(value) : null
}

/** Supported checksum algorithms, by the names that clients use. */
const algorithmByName: ReadonlyMap<string, ChecksumAlgorithm> = new Map([
  ...checksumAlgorithms.map((name) => [name, name] as const),
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

/** `Upload-Checksum`: `sha256 <Base64>`. @throws {ServiceError} BAD_REQUEST */
function checksumOf(value: string | undefined): ResumableBytes['checksum'] {
  if (value === undefined) return null
  const [, name = '', text = ''] = /^([\w-]+) ([A-Za-z0-9+/]+={0,2})$/.exec(value.trim()) ?? []
  const algorithm = algorithmByName.get(name.toLowerCase())
  if (algorithm !== undefined) return { algorithm, digest: Buffer.from(text, 'base64') }
  const wanted = checksumAlgorithms.join(', ')
  throw new ServiceError('BAD_REQUEST', {
    problem: `its Upload-Checksum is '${value.slice(0, 100)}', expected one of ${wanted} and a digest in Base64`,
  })
}

/** `Upload-Metadata`: names with Base64 values. @throws {ServiceError} BAD_REQUEST */
function metadata(value: string | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const problem = (seen: string) =>
    new ServiceError('BAD_REQUEST', {
      problem: `its Upload-Metadata has ${seen}, expected names with values in Base64`,
    })
  for (const pair of (value ?? '').split(',')) {
    const [name = '', text = '', ...rest] = pair.trim().split(/ +/)
    if (name === '' && (value ?? '').trim() === '') return texts
    if (name === '' || rest.length > 0 || !/^[!-+\--~]+$/.test(name))
      throw problem('a part that is not a name with a value')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replaceAll('=', '').length % 4 === 1) {
      throw problem(`a value for '${name.slice(0, 50)}' that is not Base64`)
    }
    if (texts.has(name)) throw problem(`'${name.slice(0, 50)}' twice`)
    texts.set(name, Buffer.from(text, 'base64').toString('utf8'))
  }
  return texts
}
