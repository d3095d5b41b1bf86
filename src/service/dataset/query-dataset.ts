// Query dataset: opens a dataset to one SQL query in a separate process. Does not know how queries are limited.
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
 * Resolves when the first bytes of the result are known. The dataset may be deleted as soon as its files are open: the
 * query still sees what it was.
 *
 * @param client Among clients, places are shared.
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
    // Deleted while the query waited: not found.
    const receipt = await tools.receipt(id)
    const table = await openTable(tools, id, receipt, AbortSignal.any([signal, place.timeUp]))
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
    // A dataset that was deleted before its files were open is not found, whatever error that caused.
    await tools.receipt(id)
    throw error
  }
}
