// Query dataset: opens a dataset to one SQL query, in a separate process or at an engine. Does not know how queries are limited.
import { isServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import type { OpenTable, Query, QueryEngine, QueryRunner } from '../../query/query.ts'
import type { StoreUrls } from '../../store/store.ts'
import type { QueryAnswer } from '../service.ts'
import type { QueryPlaces } from './query-places.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface QueryTools {
  readonly files: VerifiedFiles
  readonly runner: QueryRunner
  /** For large datasets; null for none. */
  readonly engine: QueryEngine | null
  readonly urls: StoreUrls | null
  readonly places: QueryPlaces
  /** @throws {ServiceError} DATASET_NOT_FOUND */
  receipt(id: string): Promise<Receipt>
}

/** What responses call a query that runs in a separate process. */
const ownEngine = 'duckdb'

/**
 * The dataset may be deleted as soon as its files are open: the query still sees what it was. An engine reads the files
 * while it runs, and may then fail.
 *
 * @param client Among clients, places are shared.
 */
export async function queryDataset(
  tools: QueryTools,
  id: string,
  query: Query,
  client: string,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  await tools.receipt(id)
  const place = await tools.places.take(client, signal)
  try {
    // Deleted while the query waited: not found.
    const receipt = await tools.receipt(id)
    const within = AbortSignal.any([signal, place.timeUp])
    const { engine, urls } = tools
    const isForEngine = engine !== null && urls !== null && partsBytes(receipt) >= engine.fromBytes
    const table = await (isForEngine
      ? openAtEngine({ ...tools, engine, urls }, id, receipt, within)
      : openTable(tools, id, receipt, within))
    void table.finished.then(() => place.release())
    return { rows: await table.ask(query), engine: isForEngine ? engine.name : ownEngine }
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

interface EngineTools {
  readonly engine: QueryEngine
  readonly urls: StoreUrls
  /** @throws {ServiceError} DATASET_NOT_FOUND */
  receipt(id: string): Promise<Receipt>
}

/** The size by which a dataset is assigned to an engine. */
export function partsBytes({ parts }: Pick<Receipt, 'parts'>): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** A query that fails because its dataset was deleted reports that. @throws {ServiceError} DATASET_NOT_FOUND */
async function openAtEngine(
  { engine, urls, receipt }: EngineTools,
  id: string,
  { columns }: Receipt,
  signal: AbortSignal,
): Promise<OpenTable> {
  const table = engine.open({ id, url: await urls.parts(id), columns }, signal)
  return {
    finished: table.finished,
    ask: (query) =>
      table.ask(query).catch(async (error: unknown) => {
        if (isServiceError(error, 'QUERY_ENGINE_UNAVAILABLE')) await receipt(id)
        throw error
      }),
  }
}
