// Retention: deletes datasets that have been kept for the configured time since the last upload of their bytes, and
// those that have been in the trash for its time. Knows no owners and no requests.

import { isServiceError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Store } from '../store/store.ts'

export interface RetentionOptions {
  readonly store: Pick<Store, 'olderThan' | 'remove' | 'expiredTrash' | 'erase'>
  /** How long a dataset is kept. Milliseconds; Infinity for no limit. */
  readonly keepMs: number
  /** How long it stays in the trash. Milliseconds. */
  readonly keepTrashMs: number
  readonly logger: Pick<Log, 'info' | 'error'>
}

/** It looks for them at least this often. Milliseconds. */
const lookEveryMs = 60_000

/** Starts immediately, and repeats until disposed. */
export function startRetention({ store, keepMs, keepTrashMs, logger }: RetentionOptions): AsyncDisposable {
  let isEnding = false
  let running = Promise.resolve()
  const look = async () => {
    try {
      for (const { id, remove } of expired(store, Date.now() - keepMs, Date.now() - keepTrashMs)) {
        if (isEnding) return
        try {
          if (await remove()) logger.info({ audit: 'expired', datasetId: id }, 'audit')
        } catch (error) {
          if (isServiceError(error, 'STORE_UNAVAILABLE')) throw error
          logger.error({ err: error, datasetId: id }, 'cannot delete what has expired')
        }
      }
    } catch (error) {
      logger.error({ err: error }, 'cannot delete what has expired')
    }
  }
  const begin = () => {
    running = running.then(look)
  }
  begin()
  const timer = setInterval(begin, Math.min(lookEveryMs, keepMs, keepTrashMs)).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      isEnding = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * All datasets that were last uploaded or put in the trash before a time, in epoch milliseconds: one that cannot be
 * deleted, such as one with a wrong file mode, keeps no other.
 */
function* expired(store: RetentionOptions['store'], uploadedBefore: number, trashedBefore: number) {
  // Another process may have been first, and an upload of its bytes keeps a dataset.
  for (const id of store.olderThan(uploadedBefore)) yield { id, remove: () => store.remove({ id }, uploadedBefore) }
  for (const of of store.expiredTrash(trashedBefore, uploadedBefore)) yield { id: of.id, remove: () => store.erase(of) }
}
