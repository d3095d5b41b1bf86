// Upload failure: what the status of an upload says about an error. An internal fault is reported without details.
import { ServiceError } from '../../core/errors.ts'
import { toStoreError } from '../../core/storage-error.ts'
import type { UploadFailure } from '../../core/upload-status.ts'

export function failureOf(error: unknown): UploadFailure {
  const { status, exception, message } = tellable(error)
  return { timestamp: Date.now(), status, exception, message }
}

function tellable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const refused = toStoreError(error)
  return refused.code === 'STORE_FAILED' ? new ServiceError('INTERNAL', {}) : refused
}
