// Keep error: turns what the file system says into the service's errors, by code, in one place.
import { ServiceError } from '../core/errors.ts'

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Throws the error as DISK_FULL or STORE_FAILED; for `.catch()` behind a call that writes. */
export function keepError(error: unknown): never {
  if (error instanceof ServiceError) throw error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  throw new ServiceError(fullCodes.has(code) ? 'DISK_FULL' : 'STORE_FAILED', {}, error)
}
