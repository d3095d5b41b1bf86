// Start failure: why no child of a kind can start, as a service error. Knows nothing of how children start.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '../core/errors.ts'
import { toStoreError } from '../core/storage-error.ts'

/** A child that has not started by then is taken for one that cannot. Milliseconds. */
const startMsMax = 10_000

/** A lack of descriptors, disk space or access keeps its own code. `what` names the kind of child. */
export function startFailure(error: unknown, what: string): ServiceError {
  const refused = toStoreError(error)
  if (refused.code !== 'STORE_FAILED') return refused
  return new ServiceError('NOT_READY', { problem: `no ${what} starts` }, error)
}

/** Waits for `start`; throws if it takes too long. */
export async function startedInTime<Started>(start: Promise<Started>, what: string): Promise<Started> {
  const late = new AbortController()
  const isLate = sleep(startMsMax, null, { signal: late.signal }).then(() => {
    throw startFailure(new Error(`Cannot wait longer than ${startMsMax} ms for a child to start`), what)
  })
  try {
    return await Promise.race([start, isLate])
  } finally {
    isLate.catch(() => {})
    late.abort()
  }
}
