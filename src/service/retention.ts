// Retention: deletes datasets that have been kept for the configured time since the last upload of their bytes. Knows no owners and no requests.

import { isServiceError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Store } from '../store/store.ts'

export interface RetentionOptions {
  readonly store: Pick<Store, 'olderThan' | 'remove'>
  /** How long a dataset is kept. Milliseconds; Infinity for no limit. */
  readonly keepMs: number
  readonly logger: Pick<Log, 'info' | 'error'>
}

/** It looks for them at least this often. Milliseconds. */
const lookEveryMs = 60_000
const removedAtOnce = 100

/** Starts immediately, and repeats until disposed. */
export function startRetention({ store, keepMs, logger }: RetentionOptions): AsyncDisposable {
  if (keepMs === Number.POSITIVE_INFINITY) return { [Symbol.asyncDispose]: async () => {} }
  let isEnding = false
  let running = Promise.resolve()
  const look = async () => {
    try {
      while (!isEnding && (await removeExpired(store, Date.now() - keepMs, logger)) > 0);
    } catch (error) {
      logger.error({ err: error }, 'cannot delete what has expired')
    }
  }
  const begin = () => {
    running = running.then(look)
  }
  begin()
  const timer = setInterval(begin, Math.min(lookEveryMs, keepMs)).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      isEnding = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Deletes some datasets whose last upload ended before a time; resolves to their number. One that cannot be deleted, such as one with a
 * wrong file mode, keeps no other.
 */
async function removeExpired(
  store: RetentionOptions['store'],
  uploadedBefore: number,
  logger: Pick<Log, 'info' | 'error'>,
): Promise<number> {
  let count = 0
  for (const id of store.olderThan(uploadedBefore, removedAtOnce)) {
    try {
      // Another process may have been first, and an upload of its bytes keeps a dataset.
      if (!(await store.remove({ id }, uploadedBefore))) continue
      logger.info({ audit: 'expired', datasetId: id }, 'audit')
      count += 1
    } catch (error) {
      if (isServiceError(error, 'STORE_UNAVAILABLE')) throw error
      logger.error({ err: error, datasetId: id }, 'cannot delete what has expired')
    }
  }
  return count
}
