// Remove dataset: deletes a dataset with everything derived from it. Knows no owner.
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { Published, Store } from '../../store/store.ts'
import type { Catalog } from './catalog.ts'
import type { MergedParquet } from './merged-parquet.ts'

export interface RemoveTools {
  readonly store: Pick<Store, 'remove'>
  readonly merged: Pick<MergedParquet, 'drop'>
  readonly copies: { removed(id: string): Promise<void> }
}

/**
 * Deletes the publish that is there, which its owner means.
 *
 * @param isMeant Called with the receipt of what would be deleted; absent if any is meant.
 * @throws {ServiceError} DATASET_NOT_FOUND, also if another publish takes its place; PRECONDITION_FAILED if it is not meant
 */
export async function removeOwn(
  tools: RemoveTools & { readonly store: Pick<Store, 'published'>; readonly catalog: Catalog },
  id: string,
  isMeant?: (receipt: Receipt) => boolean,
): Promise<void> {
  const { store, catalog } = tools
  await catalog.checkOwner(id)
  const receipt = isMeant && (await catalog.receipt(id))
  if (receipt && !isMeant(receipt)) throw new ServiceError('PRECONDITION_FAILED', { action: `delete dataset '${id}'` })
  const publish = receipt ?? (await store.published(id))
  if (publish !== null && (await removeDataset(tools, publish))) return
  // Is what there is now meant?
  if (isMeant !== undefined) return await removeOwn(tools, id, isMeant)
  throw new ServiceError('DATASET_NOT_FOUND', { id })
}

/**
 * False if that publish is not there, or is not old enough, see `Store.remove`. Once it resolves, everything derived from
 * it is gone, too. @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
 */
export async function removeDataset(tools: RemoveTools, of: Published, uploadedBefore?: number): Promise<boolean> {
  if (!(await tools.store.remove(of, uploadedBefore))) return false
  await tools.merged.drop(of.id)
  await tools.copies.removed(of.id)
  return true
}
