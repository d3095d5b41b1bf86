// Start failure: ends children that do not start, and says why no child of a kind can. Knows nothing of how children start.
import { ServiceError } from '../core/errors.ts'
import { toStoreError } from '../core/storage-error.ts'
import type { Child } from './spawn-child.ts'

/** A child starts in 0.3 s of CPU time. Milliseconds. */
const startMsMaxUsual = 15_000

/** A lack of descriptors, disk space or access keeps its own code. `what` names the kind of child. */
export function startFailure(error: unknown, what: string): ServiceError {
  const refused = toStoreError(error)
  if (refused.code !== 'STORE_FAILED') return refused
  return new ServiceError('NOT_READY', { problem: `no ${what} starts` }, error)
}

/** Kills a child that has not `started` in time, which is then gone like one that ended by itself. */
export function killUnlessStarted(
  child: Pick<Child, 'kill' | 'gone'>,
  started: Promise<unknown>,
  msMax = startMsMaxUsual,
): void {
  const late = setTimeout(() => child.kill(`it had not started after ${msMax} ms`), msMax)
  void Promise.race([started, child.gone]).finally(() => clearTimeout(late))
}
