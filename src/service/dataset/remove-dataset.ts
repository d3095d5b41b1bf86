// Remove dataset: deletes a dataset with everything derived from it. Knows no owner.
import type { QueryEngine } from '../../query/query.ts'
import type { Store } from '../../store/store.ts'
import type { MergedParquet } from './merged-parquet.ts'
import { partsBytes } from './query-dataset.ts'

export interface RemoveTools {
  readonly store: Pick<Store, 'remove' | 'receipt'>
  readonly merged: Pick<MergedParquet, 'drop'>
  readonly engine: Pick<QueryEngine, 'forget' | 'fromBytes'> | null
}

/**
 * False if there was none. Once it resolves, everything derived from it is gone, too. @throws {ServiceError}
 * STORE_UNAVAILABLE, STORE_FAILED
 */
export async function removeDataset({ store, merged, engine }: RemoveTools, id: string): Promise<boolean> {
  const isForEngine = engine !== null && (await isLarge(store, id, engine.fromBytes))
  const wasThere = await store.remove(id)
  await merged.drop(id)
  if (isForEngine) engine.forget(id)
  return wasThere
}

/** A dataset whose receipt cannot be read may have been merged. */
async function isLarge(store: RemoveTools['store'], id: string, fromBytes: number): Promise<boolean> {
  const receipt = await store.receipt(id).catch(() => undefined)
  return receipt === undefined || (receipt !== null && partsBytes(receipt) >= fromBytes)
}
