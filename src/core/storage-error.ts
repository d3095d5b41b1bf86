// Storage error: maps errors of the file system to errors of the service. The one place that knows system error codes.
import { ServiceError } from './errors.ts'

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const manyFilesCodes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])
/** Codes that make the whole storage unavailable, and may pass without a restart. */
const problemByCode: ReadonlyMap<unknown, string> = new Map([
  ['EROFS', 'it is read-only'],
  ['EACCES', 'access to it is denied'],
  ['EPERM', 'access to it is denied'],
  ['EIO', 'it returns errors'],
  ['ENODEV', 'its device is gone'],
  ['ENXIO', 'its device is gone'],
  ['ESTALE', 'its mount is gone'],
  ['ENOTCONN', 'its mount is gone'],
])

/**
 * Maps an error of a system call to DISK_FULL, STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES or STORE_FAILED. A ServiceError is
 * returned unchanged.
 */
export function toStoreError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const code = errorCode(error)
  if (fullCodes.has(code)) return new ServiceError('DISK_FULL', {}, error)
  if (manyFilesCodes.has(code)) return new ServiceError('TOO_MANY_OPEN_FILES', {}, error)
  const problem = problemByCode.get(code)
  if (problem !== undefined) return new ServiceError('STORE_UNAVAILABLE', { problem }, error)
  return new ServiceError('STORE_FAILED', {}, error)
}

/** The same, thrown: for `.catch()` after a write. */
export function throwStoreError(error: unknown): never {
  throw toStoreError(error)
}

/** The system's code for a failure, such as `ENOENT`; undefined if it has none. */
export function errorCode(error: unknown): unknown {
  // Node states why a thread could not read its modules, or not start, in the message alone, after a colon.
  if (error instanceof Error && error.message.endsWith(': too many open files.')) return 'EMFILE'
  if (!(error instanceof Error && 'code' in error)) return undefined
  return error.code === 'ERR_WORKER_INIT_FAILED' ? error.message.split(': ').at(-1) : error.code
}

/** The same for a call of the system that failed; null for every other error, also one with a code of Node. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error ? String(errorCode(error)) : null
}
