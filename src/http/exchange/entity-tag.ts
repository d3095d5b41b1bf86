// Entity tag: the ETag of a resource, and whether a client has or means this version (RFC 9110 section 13). Knows no route.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'
import { sendJson } from './send.ts'

/** A strong tag: it changes whenever the JSON does. */
export function entityTag(value: object): string {
  return `"${createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)}"`
}

/** True if `If-Match` is absent, or lists this tag. Strong comparison (RFC 9110 section 13.1.1). */
export function isMatch(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined) return true
  return ifMatch.split(',').some((one) => one.trim() === '*' || one.trim() === tag)
}

/**
 * True if `If-None-Match` says that the client already has this version. Weak comparison, as RFC 9110 section 13.1.2
 * requires.
 */
export function hasEntity(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
}

/**
 * Sets the tag of the response. True if the client already has this version, so the response is 304.
 * @throws {ServiceError} PRECONDITION_FAILED if the client means another version.
 */
export function isKnown({ headers }: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  if (!isMatch(headers['if-match'], etag)) throw new ServiceError('PRECONDITION_FAILED', { action: 'send resource' })
  // A response that must not be stored could not be compared later.
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  return hasEntity(headers['if-none-match'], etag)
}

/** Sends JSON with its tag, or 304. @throws {ServiceError} PRECONDITION_FAILED */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, value: object, etag = entityTag(value)) {
  return isKnown(request, reply, etag) ? reply.code(304).send() : sendJson(reply, value)
}
