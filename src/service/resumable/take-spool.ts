// Take spool: takes over an upload that another process had, or none. Neither adds to it nor reads it.
import { ServiceError } from '../../core/errors.ts'
import type { Spool, SpoolFacts, SpoolSight, Spools } from '../../store/store.ts'
import type { HeldKey, Keys } from '../uploads/idempotency-keys.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { UploadDetails } from './resumable-upload.ts'

/** How often we retry to take an upload that others want at the same time. */
const takesMax = 5

/**
 * Null if it does not exist, is not wanted, or has ended. Others that want it at the same time retry, too: the last one
 * gets it.
 * @throws {ServiceError} UPLOAD_TAKEN_OVER, STORE_UNAVAILABLE, STORE_FAILED, DISK_FULL; what `isWanted` throws
 */
export async function takeSpool(
  { shared }: Spools,
  uploads: Uploads,
  id: string,
  isWanted: (seen: SpoolSight) => boolean,
): Promise<{ readonly spool: Spool; readonly seen: SpoolSight } | null> {
  for (let tries = 0; tries < takesMax; tries += 1) {
    const seen = (await shared?.look(id)) ?? null
    if (seen === null || !isWanted(seen)) return null
    const spool = (await shared?.take(seen)) ?? null
    if (spool === null) continue
    // Its previous process may have died before it was removed.
    if (!(await uploads.hasEnded(seen.facts.owner, id))) return { spool, seen }
    await spool.remove()
    return null
  }
  throw new ServiceError('UPLOAD_TAKEN_OVER', {})
}

/**
 * The key of an upload that was begun before; null for none, or if it is in use: the upload then continues without it.
 */
export async function keyOf(keys: Keys, { id, owner, details }: SpoolFacts): Promise<HeldKey | null> {
  // The service wrote them itself.
  const { idempotencyKey } = details as UploadDetails
  return idempotencyKey ? await keys.hold(owner, idempotencyKey, id).catch(() => null) : null
}
