// Listed receipts: those of a page of a list, several read at once. Knows nothing of where they are stored.
import type { Receipt } from '../core/receipt.ts'
import { forEachLimit } from '../io/for-each-limit.ts'
import type { DatasetIndex } from './dataset-index.ts'
import type { ListedDataset, ListPage, ListQuery, StoreLogger } from './store.ts'

interface ReceiptSource {
  /** Null for a dataset that is gone. */
  readonly read: (id: string) => Promise<Receipt | null>
  /** Throws the error of a receipt if it is one of the whole list. */
  readonly check: (error: unknown) => void | Promise<void>
  readonly readsAtOnceMax: number
  readonly logger: StoreLogger
}

/**
 * The datasets of a page, in its order. A list without unreadable datasets is useful: they are left out, with a warning.
 *
 * @throws whatever `check` throws
 */
export async function listedReceipts(
  index: DatasetIndex,
  query: ListQuery,
  { read, check, readsAtOnceMax, logger }: ReceiptSource,
): Promise<ListPage> {
  const { ids, ...page } = index.page(query)
  const byId = new Map<string, ListedDataset>()
  await forEachLimit(ids, readsAtOnceMax, async (id) => {
    try {
      const receipt = await read(id)
      const state = index.stateOf(id)
      if (receipt !== null && state !== null) byId.set(id, { receipt, ...state })
    } catch (error) {
      await check(error)
      logger.warn({ id, error }, 'cannot read receipt: dataset is left out of the list')
    }
  })
  return { datasets: ids.flatMap((id) => byId.get(id) ?? []), ...page }
}
