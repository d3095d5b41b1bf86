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
const removedAtOnce = 100

/** Starts immediately, and repeats until disposed. */
export function startRetention({ store, keepMs, keepTrashMs, logger }: RetentionOptions): AsyncDisposable {
  let isEnding = false
  let running = Promise.resolve()
  const look = async () => {
    try {
      const before = () => ({ uploaded: Date.now() - keepMs, trashed: Date.now() - keepTrashMs })
      while (!isEnding && (await removeExpired(store, before(), logger)) > 0);
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
 * Deletes some datasets that were last uploaded or put in the trash before a time, in epoch milliseconds; resolves to
 * their number. One that cannot be deleted, such as one with a wrong file mode, keeps no other.
 */
async function removeExpired(
  store: RetentionOptions['store'],
  before: { readonly uploaded: number; readonly trashed: number },
  logger: Pick<Log, 'info' | 'error'>,
): Promise<number> {
  let count = 0
  const removals = [
    // Another process may have been first, and an upload of its bytes keeps a dataset.
    ...store
      .olderThan(before.uploaded, removedAtOnce)
      .map((id) => ({ id, remove: () => store.remove({ id }, before.uploaded) })),
    ...store
      .expiredTrash(before.trashed, before.uploaded, removedAtOnce)
      .map((of) => ({ id: of.id, remove: () => store.erase(of) })),
  ]
  for (const { id, remove } of removals) {
    try {
      if (!(await remove())) continue
      logger.info({ audit: 'expired', datasetId: id }, 'audit')
      count += 1
    } catch (error) {
      if (isServiceError(error, 'STORE_UNAVAILABLE')) throw error
      logger.error({ err: error, datasetId: id }, 'cannot delete what has expired')
    }
  }
  return count
}
