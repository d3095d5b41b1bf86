// Segment facts: has DuckDB classify the values of a segment; small segments use a plan made once. Knows no types.
import type { DuckDBConnection, DuckDBPreparedStatement } from '../../duckdb/duckdb.ts'
import type { Segment } from '../convert.ts'
import { filledProfileSql, fillSql, type ProfileRow, profileSql, valuesTableSql } from '../sql/segment-facts-sql.ts'
import type { ReadMode } from '../sql/segment-sql.ts'

/**
 * Planning the statement takes 5 ms, as much as everything else that is done for a file of a few kilobytes, and the
 * plan differs only in the file that it reads. So the values of a small segment are put into a table first: 2.7 instead
 * of 8.2 ms for 1 KB, 4.6 instead of 9.9 ms for 64 KB. From 256 KB on, the table costs more than the plan (DuckDB
 * 1.5.6, 2 cores, 2026-11-21).
 */
const smallBytesMax = 131_072

/** Profiles segments on one connection, one at a time. */
export class Profiler {
  readonly #connection: DuckDBConnection
  readonly #planned: DuckDBPreparedStatement

  private constructor(connection: DuckDBConnection, planned: DuckDBPreparedStatement) {
    this.#connection = connection
    this.#planned = planned
  }

  /** Makes the plan; the connection then has a table for it. */
  static async open(connection: DuckDBConnection): Promise<Profiler> {
    await connection.run(valuesTableSql)
    // A plan made with the statistics of a table holds for the values at that time: for columns 0 to 7 it returned 257
    // to 264.
    await connection.run("SET disabled_optimizers = 'statistics_propagation'")
    const planned = await connection.prepare(filledProfileSql)
    await connection.run("SET disabled_optimizers = ''")
    return new Profiler(connection, planned)
  }

  /** The result of `profileSql`. */
  async rows(segment: Segment, mode: ReadMode): Promise<readonly ProfileRow[]> {
    const isSmall = segment.bytes <= smallBytesMax
    const reader = await (isSmall ? this.#runPlanned(segment, mode) : this.#run(segment, mode))
    // The statement returns these columns.
    return reader.getRowsJS() as unknown as readonly ProfileRow[]
  }

  #run(segment: Segment, mode: ReadMode) {
    return this.#connection.runAndReadAll(profileSql(segment, mode))
  }

  async #runPlanned(segment: Segment, mode: ReadMode) {
    try {
      await this.#connection.run(`BEGIN; ${fillSql(segment, mode)}`)
      return await this.#planned.runAndReadAll()
    } finally {
      // Uncommitted rows take no memory afterwards; an emptied table keeps it.
      await this.#connection.run('ROLLBACK')
    }
  }
}
