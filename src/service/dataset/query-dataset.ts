// Query dataset: opens the parts of a dataset to one SQL query. Knows nothing of how that is kept in bounds.
import type { ByteStream } from '../../core/byte-stream.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { OpenTable, Query, QueryRunner } from '../../query/query.ts'
import type { QueryPlaces } from './query-places.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface QueryTools {
  readonly files: VerifiedFiles
  readonly runner: QueryRunner
  readonly places: QueryPlaces
  /** @throws {ServiceError} DATASET_NOT_FOUND */
  receipt(id: string): Promise<Receipt>
}

/**
 * The dataset may be deleted as soon as its files are open: the query goes on with what it was.
 *
 * @param client Among whom places are shared.
 */
export async function queryDataset(
  tools: QueryTools,
  id: string,
  query: Query,
  client: string,
  signal: AbortSignal,
): Promise<ByteStream> {
  await tools.receipt(id)
  const place = await tools.places.take(client, signal)
  try {
    // Deleted while it waited, it is not found.
    const table = await openTable(tools, id, await tools.receipt(id), AbortSignal.any([signal, place.timeUp]))
    void table.finished.then(() => place.release())
    return await table.ask(query)
  } catch (error) {
    place.release()
    throw error
  }
}

async function openTable(tools: QueryTools, id: string, receipt: Receipt, signal: AbortSignal): Promise<OpenTable> {
  const { parts, columns } = receipt
  const names = columns.map(({ name }) => name)
  try {
    return await tools.files.withLocal(receipt, parts, (paths) => tools.runner.open({ paths, columns: names }, signal))
  } catch (error) {
    // One that was deleted before its files were open is not found, whatever was seen of that.
    await tools.receipt(id)
    throw error
  }
}
