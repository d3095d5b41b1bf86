// Query: what running somebody's SQL over a dataset promises. Implementations live beside this file.
import type { Readable } from 'node:stream'

/** How the rows of an answer are written. */
export const answerFormats = ['json', 'ndjson', 'csv'] as const
export type AnswerFormat = (typeof answerFormats)[number]

/** What the table `data` is made of. */
export interface QueryTable {
  /** Parquet files with the same columns, in the order of their rows. */
  readonly paths: readonly string[]
  /** The names of the columns: all there is of a table without files. */
  readonly columns: readonly string[]
}

export interface Query {
  /** One statement that only reads. */
  readonly sql: string
  readonly format: AnswerFormat
}

/** A table that can be asked once. Its files may be deleted meanwhile. */
export interface OpenTable {
  /**
   * Runs the statement, and resolves when the answer has begun: what is wrong with the statement is mostly known by then.
   * The stream fails rather than ends early. JSON says of itself where rows were left out; the other formats cannot, and
   * fail.
   * @throws {ServiceError} QUERY_NOT_READ_ONLY, QUERY_FAILED, QUERY_TOO_LARGE, QUERY_TIMEOUT
   */
  ask(query: Query): Promise<Readable>
  /** Resolves when nothing of it runs any more. */
  readonly finished: Promise<void>
}

export interface QueryRunner {
  /**
   * Opens a table. When `signal` is aborted, or the time of a query is over, whatever came of it ends at
   * once; so does a table that is never asked.
   */
  open(table: QueryTable, signal: AbortSignal): Promise<OpenTable>
  /** @throws {ServiceError} where no child can be started */
  check(): Promise<void>
  /** Ends all queries. */
  close(): Promise<void>
}
