// Remove dataset: deletes a dataset with everything derived from it, or puts it in the trash and takes it out.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { QueryRunner } from '../../engine/query/query.ts'
import type { DatasetVersion, Store, TrashedDataset } from '../../store/store.ts'
import type { Removal } from '../service.ts'
import type { Catalog } from './catalog.ts'

export interface RemoveTools {
  readonly store: Pick<Store, 'remove'>
  readonly copies: { removed(id: string): Promise<void> }
  readonly runner: Pick<QueryRunner, 'forget'>
}

/**
 * Removes the publish that is there, which its owner means, or what a repair makes of it meanwhile.
 *
 * @param isMeant Called with the receipt of what would be deleted; absent if any is meant.
 * @throws {ServiceError} DATASET_NOT_FOUND, also if it was deleted and sent again meanwhile; PRECONDITION_FAILED if it is
 * not meant
 */
export async function removeOwn(
  tools: RemoveTools & { readonly store: Pick<Store, 'published' | 'trash'>; readonly catalog: Catalog },
  id: string,
  how: Removal,
  isMeant?: (receipt: Receipt) => boolean,
): Promise<void> {
  const { store, catalog } = tools
  const receipt = await catalog.receipt(id).catch((error: unknown) => {
    if (isMeant === undefined && isServiceError(error, 'DATASET_DAMAGED')) return null
    throw error
  })
  if (receipt && isMeant?.(receipt) === false) {
    throw new ServiceError('PRECONDITION_FAILED', { action: `delete dataset '${id}'` })
  }
  const publish = receipt ?? (await store.published(id))
  const remove = how === 'trash' ? trashDataset : removeDataset
  if (publish !== null && (await remove(tools, publish))) return
  // Is what there is now meant? A repair keeps the time of creation.
  const now = await catalog.receipt(id)
  if (isMeant === undefined && now.createdAt !== receipt?.createdAt) throw new ServiceError('DATASET_NOT_FOUND', { id })
  await removeOwn(tools, id, how, isMeant)
}

/** Copies that were requested wait for a time, since it may be restored. */
async function trashDataset({ store, runner }: Parameters<typeof removeOwn>[0], of: DatasetVersion): Promise<boolean> {
  const isTrashed = await store.trash(of)
  if (isTrashed) runner.forget(of.id)
  return isTrashed
}

/** What `act` does with an owner's dataset in the trash. @throws {ServiceError} DATASET_NOT_FOUND if it is not there */
export async function trashOf(
  { store }: { readonly store: Pick<Store, 'trashed'> },
  owner: string,
  id: string,
  act: (of: TrashedDataset) => Promise<boolean>,
): Promise<void> {
  const of = await store.trashed(id)
  if (of?.owner !== owner || !(await act(of))) throw new ServiceError('DATASET_NOT_FOUND', { id })
}

/** Deletes a dataset in the trash; false if it is not there. */
export async function eraseTrashed(
  { store, copies }: Pick<RemoveTools, 'copies'> & { readonly store: Pick<Store, 'erase'> },
  of: TrashedDataset,
): Promise<boolean> {
  const isErased = await store.erase(of)
  if (isErased) await copies.removed(of.id)
  return isErased
}

/**
 * False if that publish is not there, or is not old enough, see `Store.remove`. Once it resolves, everything derived from
 * it is gone, too. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
 */
export async function removeDataset(tools: RemoveTools, of: DatasetVersion, uploadedBefore?: number): Promise<boolean> {
  if (!(await tools.store.remove(of, uploadedBefore))) return false
  tools.runner.forget(of.id)
  await tools.copies.removed(of.id)
  return true
}
