// Locked table: an engine that reaches one table and nothing else, a fresh connection for each statement, and the check of
// the statement. Knows no process.
import {
  type DuckDBConnection,
  type DuckDBExtractedStatements,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  openEngine,
  StatementType,
} from '../duckdb/duckdb.ts'
import { outputDir } from '../sandbox/work-dir.ts'
import type { QueryJob, QuerySettings, Refusal } from './query-job.ts'
import { createFindUses, type FindUses, isAllowed, type Use } from './statement-uses.ts'

/** Carries a refusal to the code that reports it. */
export class RefusalError extends Error {
  readonly refusal: Refusal

  constructor(code: Refusal['code'], problem: string) {
    super(problem)
    this.refusal = { code, problem }
  }
}

/** Opens an engine for one table, not locked yet. It spills to the directory that the child may write to. */
export function openForOne(settings: QuerySettings): Promise<DuckDBInstance> {
  return openEngine({
    // Half of it: operators overshoot, and functions and values need the rest.
    memory_limit: `${Math.floor(settings.memoryBytesMax / 2_000)}KB`,
    temp_directory: outputDir,
    max_temp_directory_size: `${Math.floor(settings.spillBytesMax / 1_000)}KB`,
    max_expression_depth: '250',
    // Unused here, but the defaults would reveal a directory of ours.
    home_directory: '.',
    extension_directory: '.',
    secret_directory: '.',
  })
}

/** Locks the engine: from now on it reaches nothing but the table and its spill directory. Resolves to its parser. */
export async function lockIn(
  engine: DuckDBInstance,
  { files, columns }: Pick<QueryJob, 'files' | 'columns'>,
): Promise<FindUses> {
  const connection = await engine.connect()
  const list = `[${files.map((file) => `'${file}'`).join(', ')}]`
  const parts = `FROM read_parquet(${list}, hive_partitioning = false)`
  await connection.run(`CREATE VIEW data AS ${files.length > 0 ? parts : noRowsSql(columns)}`)
  if (files.length > 0) await connection.run(`SET allowed_paths = ${list}`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
  return await createFindUses(connection)
}

/**
 * A connection for one statement: what belongs to a connection, such as temporary tables, variables, prepared statements
 * and the seed of random(), ends with it. What would belong to the engine, such as tables and sequences, cannot be
 * created in a transaction that only reads. Takes 0.2 ms (1.5.5, 2026-11-28).
 */
export async function connectReadOnly(engine: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await engine.connect()
  await connection.run('BEGIN TRANSACTION READ ONLY')
  return connection
}

/** Without files there are no types. */
function noRowsSql(columns: readonly string[]): string {
  const nulls = columns.map((name) => `CAST(NULL AS VARCHAR) AS "${name.replaceAll('"', '""')}"`)
  return `SELECT ${nulls.join(', ')} WHERE false`
}

/** Prepares a statement if it is a single one, only reads, and uses no function or table that is refused. */
export async function readOnlyStatement(
  connection: DuckDBConnection,
  findUses: FindUses,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  // DuckDB reads SQL up to its first NUL, and has no message for SQL without a statement.
  if (sql.includes('\0')) throw new RefusalError('QUERY_FAILED', 'it contains a NUL character')
  const statements = await connection.extractStatements(sql).catch((error: unknown) => {
    if (String(error).includes('Error in native callback'))
      throw new RefusalError('QUERY_FAILED', 'it contains no statement')
    throw error
  })
  if (statements.count !== 1) {
    const isPivot = /\bpivot/i.test(sql) ? '; a PIVOT that does not list its values with IN (…) counts as two' : ''
    throw new RefusalError('QUERY_NOT_READ_ONLY', `it contains ${statements.count} statements, expected one${isPivot}`)
  }
  // Before preparing it: a function may already act then.
  const uses = await findUses(sql)
  const statement = uses === null ? null : await prepareAllowed(statements, uses)
  if (statement?.statementType !== StatementType.SELECT) {
    const wanted = 'SELECT, FROM, WITH, VALUES, TABLE, DESCRIBE, SUMMARIZE, SHOW or PIVOT'
    throw new RefusalError('QUERY_NOT_READ_ONLY', `it is a statement of another kind, expected ${wanted}`)
  }
  return statement
}

function prepareAllowed(statements: DuckDBExtractedStatements, uses: readonly Use[]): Promise<DuckDBPreparedStatement> {
  const refused = uses.find((use) => !isAllowed(use))
  if (refused === undefined) return statements.prepare(0)
  const { kind, name } = refused
  const problem = `the ${kind} ${name} is not available: a query reads the table data and changes nothing`
  throw new RefusalError('QUERY_NOT_READ_ONLY', problem)
}
