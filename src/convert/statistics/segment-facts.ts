// Segment facts: has DuckDB classify the values of a segment, for small segments by a plan made once. Knows no types.
import type { DuckDBConnection, DuckDBPreparedStatement } from '../../duckdb/duckdb.ts'
import type { Segment } from '../convert.ts'
import { filledProfileSql, fillSql, type ProfileRow, profileSql, valuesTableSql } from '../sql/segment-facts-sql.ts'
import type { ReadMode } from '../sql/segment-sql.ts'

/**
 * To plan the statement takes 5 ms, as much as all else that is done for a file of a few kilobytes, and it would be the
 * same for each were it not for the file it reads. So values of a small segment are put into a table first: 2.7 instead of
 * 8.2 ms for 1 KB, 4.6 instead of 9.9 ms for 64 KB. From 256 KB on the table costs more than the plan (DuckDB 1.5.6,
 * 2 cores, 2026-11-21).
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

  /** Makes the plan; afterwards the connection has a table for it. */
  static async open(connection: DuckDBConnection): Promise<Profiler> {
    await connection.run(valuesTableSql)
    // A plan made with the statistics of a table holds for the values it had then: of columns 0 to 7 it gave 257 to 264.
    await connection.run("SET disabled_optimizers = 'statistics_propagation'")
    const planned = await connection.prepare(filledProfileSql)
    await connection.run("SET disabled_optimizers = ''")
    return new Profiler(connection, planned)
  }

  /** What `profileSql` gives. */
  async rows(segment: Segment, mode: ReadMode): Promise<readonly ProfileRow[]> {
    const isSmall = segment.bytes <= smallBytesMax
    const reader = await (isSmall ? this.#runPlanned(segment, mode) : this.#run(segment, mode))
    // The statement gives these columns.
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
      // What was never committed takes no memory afterwards; a table that is emptied keeps it.
      await this.#connection.run('ROLLBACK')
    }
  }
}
