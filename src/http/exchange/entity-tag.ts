// Entity tag: the ETag of a JSON resource, and whether a client has or means this version (RFC 9110 section 13). Knows no route.
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/errors.ts'

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
 * True if the client already has this version, so the answer is 304.
 *
 * @param action What is refused for another version, as the error message says it.
 * @throws {ServiceError} PRECONDITION_FAILED if the client means another version.
 */
export function isKnown({ headers }: FastifyRequest, etag: string, action: string): boolean {
  if (!isMatch(headers['if-match'], etag)) throw new ServiceError('PRECONDITION_FAILED', { action })
  return hasEntity(headers['if-none-match'], etag)
}
