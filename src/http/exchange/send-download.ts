// Send download: sends a download, whole or in part, with headers that make browsers only save it. Knows no route.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import type { ByteRange, Download } from '../../service/service.ts'
import { octetStream } from '../openapi/operation.ts'
import { acceptedType } from './accept.ts'
import { attachment } from './content-disposition.ts'
import { isKnown } from './entity-tag.ts'
import { sendStream } from './send.ts'

/** What the headers state about the bytes. */
export interface SavedAs {
  readonly contentType: string
  readonly fileName: string
}

/**
 * Sends a download. A client that reads nothing for `idleMs` is disconnected. HEAD gets the headers only.
 *
 * @param gone Aborted if the client disconnects.
 */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
  { contentType, fileName }: SavedAs,
  idleMs: number,
  gone: AbortSignal,
): Promise<FastifyReply> {
  const { sha256, tag } = download
  reply.header('vary', 'accept')
  if (sha256 !== null) reply.header('repr-digest', `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`)
  if (tag !== null && isKnown(request, reply.header('accept-ranges', 'bytes'), `"${tag}"`))
    return reply.code(304).send()
  const isHead = request.method === 'HEAD'
  const wanted = isHead ? null : rangeOf(request, tag)
  const isSized = isHead || wanted !== null
  const bytes = download.bytes ?? (isSized ? ((await download.measure?.(gone)) ?? null) : null)
  const range = wanted === null || bytes === null ? null : readRange(wanted, bytes)
  if (range === 'unsatisfiable') throw new ServiceError('RANGE_NOT_SATISFIABLE', { bytes: bytes ?? 0 })
  if (range !== null) reply.code(206).header('content-range', `bytes ${range.start}-${range.end - 1}/${bytes}`)
  const { accept } = request.headers
  const prefersBytes = acceptedType(accept, [contentType.split(';', 1)[0] ?? '', octetStream]) === octetStream
  // Keeps browsers from guessing the type of a hostile file, and from running it.
  reply.headers({
    'content-type': prefersBytes ? octetStream : contentType,
    'content-disposition': attachment(fileName),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  })
  if (isHead) {
    if (bytes !== null) reply.header('content-length', bytes)
    return reply.send()
  }
  const opened = await download.open(gone, range ?? undefined)
  return sendStream(reply, opened.stream, opened.bytes, idleMs)
}

/** The requested range; null if there is none, or with If-Range for a client that has begun to download other bytes. */
function rangeOf({ headers }: FastifyRequest, tag: string | null): string | null {
  const expected = headers['if-range']
  return tag !== null && (expected === undefined || expected === `"${tag}"`) ? (headers.range ?? null) : null
}

/**
 * Reads a `Range` header for a file of that many bytes.
 *
 * @returns null if the whole file is to be sent: no header, another unit, several ranges (which a server may ignore,
 * and which have been abused to multiply its work), or an invalid range.
 */
function readRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') {
    const suffixBytes = Number(last)
    return suffixBytes === 0 || bytes === 0 ? 'unsatisfiable' : { start: Math.max(0, bytes - suffixBytes), end: bytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) }
}
