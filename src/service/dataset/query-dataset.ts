// Query dataset: opens the parts of a dataset to one SQL query. Knows nothing of how that is kept in bounds.
import type { ByteStream } from '../../core/byte-stream.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { Query, QueryRunner } from '../../query/query.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface QueryTools {
  readonly files: VerifiedFiles
  readonly runner: QueryRunner
  /** @throws {ServiceError} DATASET_NOT_FOUND */
  receipt(id: string): Promise<Receipt>
}

/** The dataset may be deleted as soon as its files are open: the query goes on with what it was. */
export async function queryDataset(
  tools: QueryTools,
  id: string,
  query: Query,
  signal: AbortSignal,
): Promise<ByteStream> {
  const receipt = await tools.receipt(id)
  const { parts, columns } = receipt
  const names = columns.map(({ name }) => name)
  try {
    const table = await tools.files.withLocal(receipt, parts, (paths) =>
      tools.runner.open({ paths, columns: names }, signal),
    )
    return await table.ask(query)
  } catch (error) {
    // One that was deleted before its files were open is not found, whatever was seen of that.
    await tools.receipt(id)
    throw error
  }
}
