// Query: the interface to run SQL over a dataset. Its implementation is beside this file.
import type { Readable } from 'node:stream'

/** Formats of a result. */
export type ResultFormat = 'json' | 'ndjson' | 'csv'

/** Whose table it is, and of which publish of which dataset. A process serves one key in its life, and no other. */
export interface TableKey {
  readonly owner: string
  readonly id: string
  readonly publish: string | undefined
}

/** The source of the table `data`. */
export interface QueryTable {
  readonly key: TableKey
  /** Column names: all there is of a table without files. */
  readonly columns: readonly string[]
  /** Parquet files with the same columns, in the order of their rows; verified now, and there while `use` runs. */
  withPaths(use: (paths: readonly string[]) => Promise<void>): Promise<void>
}

export interface Query {
  /** One read-only statement. */
  readonly sql: string
  readonly format: ResultFormat
  /** Of the result, if fewer than every query may return. */
  readonly rowsMax?: number | undefined
}

export interface QueryResult {
  /** Fails rather than ends early. JSON marks a result that leaves rows out; the other formats cannot, and fail. */
  readonly rows: Readable
  /** Resolves when nothing of the statement runs anymore. */
  readonly finished: Promise<void>
}

export interface QueryRunner {
  /**
   * Runs a statement and resolves when its result begins; most errors of the statement are known by then. The files of
   * the table may be deleted as soon as `withPaths` has settled. Everything ends immediately when `signal` is aborted or
   * the time of a query is over.
   * @throws {ServiceError} QUERY_NOT_READ_ONLY, QUERY_FAILED, QUERY_TOO_LARGE, QUERY_TIMEOUT, NOT_READY, SHUTTING_DOWN
   */
  run(table: QueryTable, query: Query, signal: AbortSignal): Promise<QueryResult>
  /** @throws {ServiceError} if no child can be started */
  check(): Promise<void>
  /** Ends the processes kept for a dataset, or for any; one that runs a statement ends after it. */
  forget(id?: string): void
  /** Ends all queries. */
  close(): Promise<void>
}
