// S3 errors: what a failed call means, and the checksum that a server verifies. Sends nothing.
import { crc32 } from 'node:zlib'
import { S3ServiceException } from '@aws-sdk/client-s3'
import { ServiceError } from '../../core/errors.ts'

/** In the format of S3: big-endian, in base64. */
export function crc32Text(bytes: Uint8Array): string {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(bytes))
  return checksum.toString('base64')
}

/** The HTTP status of a response of the server. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

/** 404; 416 is the response to a range beyond the end of an object, which is then another object. */
export function isMissing(error: unknown): boolean {
  const status = statusOf(error)
  return (status === 404 || status === 416) && !(error instanceof S3ServiceException && error.name === 'NoSuchBucket')
}

/** 412; 409 is the response of a server that is deciding between two writers (ConditionalRequestConflict). */
export function isPreconditionFailure(error: unknown): boolean {
  const status = statusOf(error)
  return status === 412 || status === 409
}

/** What callers of the store are told. */
export function toStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const status = statusOf(error)
  if (status === 403 || status === 401) return unavailable('access to it is denied', error)
  if (status === 404) return unavailable('its bucket does not exist', error)
  if (status === 409) return unavailable('other requests change the same objects', error)
  if (status === undefined || status >= 500 || status === 429) return unavailable('it does not answer', error)
  return new ServiceError('STORE_FAILED', {}, error)
}

export function throwStoreError(error: unknown): never {
  throw toStoreError(error)
}

function unavailable(problem: string, cause: unknown): ServiceError {
  return new ServiceError('STORE_UNAVAILABLE', { problem }, cause)
}
