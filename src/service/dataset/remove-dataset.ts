// Remove dataset: deletes a dataset with everything derived from it. Knows no owner.
import type { Store } from '../../store/store.ts'
import type { MergedParquet } from './merged-parquet.ts'

export interface RemoveTools {
  readonly store: Pick<Store, 'remove'>
  readonly merged: Pick<MergedParquet, 'drop'>
  readonly copies: { removed(id: string): Promise<void> }
}

/**
 * False if there was none. Once it resolves, everything derived from it is gone, too. @throws {ServiceError}
 * STORE_UNAVAILABLE, STORE_FAILED
 */
export async function removeDataset({ store, merged, copies }: RemoveTools, id: string): Promise<boolean> {
  const wasThere = await store.remove(id)
  await merged.drop(id)
  await copies.removed(id)
  return wasThere
}
