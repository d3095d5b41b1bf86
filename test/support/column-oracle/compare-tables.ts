// Compare tables: compares the parts of many tables, and their statistics, with DuckDB's results for the same texts.
// Uses few statements for all tables, since each takes as long to plan as to run.
import assert from 'node:assert/strict'
import type { ColumnType } from '../../../src/core/receipt.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { identifier, literal } from '../../../src/engine/sql/sql-text.ts'
import { sqlType } from '../sql/lossless-sql.ts'
import { loadTable, valuesSql } from './duckdb-tables.ts'

/** An expected column. */
export interface WantedColumn {
  /** Its number in `texts`. */
  readonly field: number
  /** Number of its table. */
  readonly place: number
  /** Its number in its table, from 0. */
  readonly position: number
  /** Its number among the columns of the same SQL type in its table, from 0. */
  readonly slot: number
  readonly name: string
  readonly type: ColumnType
  readonly nullWords: readonly string[]
}

/** A part that the service wrote. */
export interface WrittenPart {
  readonly path: string
  readonly place: number
  /** Number of records in earlier parts of its table. */
  readonly before: number
}

/** Columns of the same SQL type have the same name in all tables, so that many parts can be read as one wide table. */
export function columnName(type: ColumnType, slot: number): string {
  return `${typeName(type)} ${slot}`
}

function typeName(type: ColumnType): string {
  return sqlType(type).replace('TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE')
}

/** @throws {AssertionError} that names the table, by its number, and the column of a difference. */
export async function assertSameParts(
  duckDb: DuckDBConnection,
  dir: string,
  columns: readonly WantedColumn[],
  parts: readonly WrittenPart[],
): Promise<void> {
  const rows = async (sql: string) => (await duckDb.runAndReadAll(sql)).getRowsJson()
  const types = new Map(columns.map(({ type }) => [JSON.stringify(type), type]))
  const numbers = new Map([...types.keys()].map((key, number) => [key, number]))
  const numberOf = (type: ColumnType) => numbers.get(JSON.stringify(type))!
  await loadTable(duckDb, dir, 'columns', {
    types: {
      field: 'INTEGER',
      place: 'INTEGER',
      position: 'INTEGER',
      slot: 'INTEGER',
      name: 'VARCHAR',
      type: 'VARCHAR',
      type_number: 'INTEGER',
      words: 'VARCHAR[]',
    },
    rows: columns.map(({ type, nullWords: words, ...one }) => ({
      ...one,
      type: typeName(type),
      type_number: numberOf(type),
      words,
    })),
  })
  await loadTable(duckDb, dir, 'parts', { types: { path: 'VARCHAR', place: 'INTEGER', before: 'BIGINT' }, rows: parts })
  const paths = `[${parts.map(({ path }) => literal(path)).join(', ')}]`
  await assertSameSchemas(rows, paths)
  await duckDb.run(`CREATE OR REPLACE TEMP TABLE written AS
    SELECT place, before + file_row_number + 1 AS record, p.* EXCLUDE (filename, file_row_number)
    FROM read_parquet(${paths}, union_by_name = true, filename = true, file_row_number = true, hive_partitioning = false) p
    JOIN parts ON path = filename`)
  await assertSameRecords(rows)
  await duckDb.run(`CREATE OR REPLACE TEMP TABLE statistics AS
    SELECT field, columns.type AS sql_type, num_values, stats_null_count, stats_min_value, stats_max_value, min_is_exact, max_is_exact
    FROM parquet_metadata(${paths}) JOIN parts ON path = file_name
    JOIN columns ON columns.place = parts.place AND columns.name = path_in_schema`)
  for (const [name, ofName] of Map.groupBy(types.values(), typeName)) {
    const values = ofName.map((type) => valuesSql(type, numberOf(type))).join(' UNION ALL ')
    await duckDb.run(`CREATE OR REPLACE TEMP TABLE wanted AS ${values}`)
    const slots = Math.max(...columns.filter(({ type }) => typeName(type) === name).map(({ slot }) => slot)) + 1
    await assertSameValues(rows, name, slots)
    await assertBounds(rows, name)
  }
}

type Rows = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** Asserts that each part has the columns of its table, in order and with their types. */
async function assertSameSchemas(rows: Rows, paths: string): Promise<void> {
  const found = await rows(`SELECT coalesce(w.place, f.place), w.name, w.type, f.name, f.duckdb_type
    FROM (SELECT path, columns.* FROM columns JOIN parts USING (place)) w
    FULL JOIN (SELECT path, place, column_id - 1 AS position, name, duckdb_type
      FROM parquet_schema(${paths}) JOIN parts ON path = file_name WHERE column_id > 0) f
    ON w.path = f.path AND w.position = f.position
    WHERE w.name IS DISTINCT FROM f.name OR w.type IS DISTINCT FROM f.duckdb_type LIMIT 5`)
  assert.deepEqual(found, [], 'columns: table, expected name and type, written name and type')
}

/** Asserts that each table has each of its records once. */
async function assertSameRecords(rows: Rows): Promise<void> {
  const found = await rows(`SELECT place, w.records, f.records
    FROM (SELECT place, count(*) AS records FROM texts JOIN columns USING (field) WHERE position = 0 GROUP BY place) w
    FULL JOIN (SELECT place, count(DISTINCT record) AS records FROM written GROUP BY place HAVING count(DISTINCT record) = count(*)) f
    USING (place) WHERE w.records IS DISTINCT FROM f.records LIMIT 5`)
  assert.deepEqual(found, [], 'records: table, expected, written')
}

async function assertSameValues(rows: Rows, type: string, slots: number): Promise<void> {
  const columns = Array.from({ length: slots }, (_, slot) => slot)
  const written = columns.map((slot) => identifier(`${type} ${slot}`)).join(', ')
  // IS DISTINCT FROM treats 0 and -0 as equal.
  const isOther = `w.value IS DISTINCT FROM f.value${type === 'DOUBLE' ? ' OR signbit(w.value) <> signbit(f.value)' : ''}`
  const shown = (value: string) => `'=' || left(CAST(${value} AS VARCHAR), 200)`
  const found = await rows(`SELECT w.place, position, w.record, left(v, 200), ${shown('w.value')}, ${shown('f.value')}
    FROM wanted w JOIN columns USING (field)
    LEFT JOIN (SELECT place, record, unnest([${written}]) AS value, unnest([${columns.join(', ')}]) AS slot FROM written) f
    ON w.place = f.place AND w.record = f.record AND w.slot = f.slot WHERE ${isOther} LIMIT 5`)
  assert.deepEqual(found, [], `values: table, column, record, text, expected ${type}, written`)
}

/** Asserts that statistics are the exact minimum and maximum; for long texts, they may be bounds. */
async function assertBounds(rows: Rows, type: string): Promise<void> {
  const isSame = 'f.least IS NOT DISTINCT FROM w.least AND f.greatest IS NOT DISTINCT FROM w.greatest'
  const encloses = 'may_enclose AND coalesce(f.least <= w.least, true) AND coalesce(f.greatest >= w.greatest, true)'
  const isTrue = type === 'VARCHAR' ? `(${isSame} OR lacks OR (${encloses}))` : `(${isSame})`
  // DuckDB shows an empty text in statistics as missing. A row group also has no statistics if its largest text is cut
  // and cannot be rounded up.
  const found =
    await rows(`SELECT place, position, '=' || w.least, '=' || w.greatest, w.nulls, '=' || f.least, '=' || f.greatest, f.nulls
    FROM (SELECT field, min(value) AS least, max(value) AS greatest, count(*) - count(value) AS nulls FROM wanted GROUP BY field) w
    JOIN columns USING (field)
    LEFT JOIN (SELECT field, min(TRY_CAST(stats_min_value AS ${type})) AS least, max(TRY_CAST(stats_max_value AS ${type})) AS greatest,
      sum(stats_null_count) AS nulls,
      bool_or(stats_min_value IS NULL OR NOT (min_is_exact AND max_is_exact)) AS may_enclose,
      bool_or(stats_min_value IS NULL AND stats_max_value IS NULL AND stats_null_count < num_values) AS lacks
      FROM statistics WHERE sql_type = ${literal(type)} GROUP BY field) f USING (field)
    WHERE NOT coalesce(${isTrue} AND w.nulls = f.nulls, false) LIMIT 5`)
  assert.deepEqual(found, [], `statistics: table, column, expected minimum, maximum (${type}) and nulls, written`)
}
