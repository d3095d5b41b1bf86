// Storage error: what the file system says as errors of the service, by code. The one place that knows those codes.
import { ServiceError } from './errors.ts'

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Translates what a system call threw to DISK_FULL or STORE_FAILED; what has a row in the table already stays as it is. */
export function toStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  return new ServiceError(fullCodes.has(errorCode(error)) ? 'DISK_FULL' : 'STORE_FAILED', {}, error)
}

/** The same, thrown: for `.catch()` behind a call that writes. */
export function throwStoreError(error: unknown): never {
  throw toStoreError(error)
}

/** The system's name for a failure, such as `ENOENT`; undefined when it has none. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
