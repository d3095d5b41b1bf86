// Query: the interface to run SQL over a dataset. Implementations are beside this file.
import type { Readable } from 'node:stream'
import type { Column } from '../core/receipt.ts'

/** Formats of a result. */
export type AnswerFormat = 'json' | 'ndjson' | 'csv'

/** The source of the table `data`. */
export interface QueryTable {
  /** Parquet files with the same columns, in the order of their rows. */
  readonly paths: readonly string[]
  /** Column names: all there is of a table without files. */
  readonly columns: readonly string[]
}

export interface Query {
  /** One read-only statement. */
  readonly sql: string
  readonly format: AnswerFormat
}

/** A table that can be queried once. Its files may be deleted in the meantime. */
export interface OpenTable {
  /**
   * Runs the statement and resolves when the result begins; most errors of the statement are known by then. The stream
   * fails rather than ends early. JSON marks a result that leaves rows out; the other formats cannot, and fail.
   * @throws {ServiceError} QUERY_NOT_READ_ONLY, QUERY_FAILED, QUERY_TOO_LARGE, QUERY_TIMEOUT
   */
  ask(query: Query): Promise<Readable>
  /** Resolves when nothing of it runs anymore. */
  readonly finished: Promise<void>
}

export interface QueryRunner {
  /**
   * Opens a table. Everything ends at once when `signal` is aborted or the time of a query is over, even if the table
   * was never queried.
   */
  open(table: QueryTable, signal: AbortSignal): Promise<OpenTable>
  /** @throws {ServiceError} if no child can be started */
  check(): Promise<void>
  /** Ends all queries. */
  close(): Promise<void>
}

/** A dataset, for an engine that finds it by itself. */
export interface EngineTable {
  /** Of the dataset. */
  readonly id: string
  /** Directory of its Parquet files: `s3://bucket/…/data/`. */
  readonly url: string
  readonly columns: readonly Pick<Column, 'name' | 'type'>[]
}

/** Answers queries over datasets that are too large for one process, within the same limits. */
export interface QueryEngine {
  /** Its name in responses. */
  readonly name: string
  /** Datasets with at least this much Parquet are queried by the engine. Bytes. */
  readonly fromBytes: number
  /** Like that of a runner, with the errors of the engine: `ask`, too, throws QUERY_ENGINE_UNAVAILABLE. */
  open(table: EngineTable, signal: AbortSignal): OpenTable
  /** Forgets a deleted dataset, in the background. */
  forget(id: string): void
  /** @throws {Error} if it cannot be used, with the reason */
  check(): Promise<void>
  /** Ends all queries. */
  close(): Promise<void>
}
