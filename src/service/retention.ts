// Retention: deletes datasets that have been kept for as long as was asked. Knows no owners and no requests.
import type { Store } from '../store/store.ts'

/** The methods of a pino logger retention uses. */
export interface RetentionLogger {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface RetentionOptions {
  readonly store: Pick<Store, 'olderThan' | 'remove'>
  /** How long a dataset is kept. Milliseconds; Infinity for good. */
  readonly keepMs: number
  readonly logger: RetentionLogger
}

/** Looked for at least so often. Milliseconds. */
const lookEveryMs = 60_000
const removedAtOnce = 100

/** Looks at once, and again until disposed of. */
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

/** Deletes datasets made before a time, some at once; resolves to how many. */
async function removeExpired(
  store: RetentionOptions['store'],
  createdBefore: number,
  logger: RetentionLogger,
): Promise<number> {
  const ids = store.olderThan(createdBefore, removedAtOnce)
  for (const id of ids) {
    await store.remove(id)
    logger.info({ audit: 'expired', datasetId: id }, 'audit')
  }
  return ids.length
}
