// Tests of the function list: every function of the pinned DuckDB has been reviewed, and those with effects are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDuckDb } from '../duckdb/duckdb.ts'
import { lockIn, openForOne, readOnlyStatement } from './locked-table.ts'
import { reviewedFunctions } from './reviewed-functions.testing.ts'
import { isAllowed, type Use } from './statement-uses.ts'

const names = (text: string) => text.trim().split(/\s+/)

async function textsOf(sql: string): Promise<readonly (readonly string[])[]> {
  const reader = await (await openDuckDb({})).runAndReadAll(sql)
  return reader.getRowsJS().map((row) => row.map(String))
}

async function locked() {
  const engine = await openForOne({ memoryBytesMax: 256_000_000, spillBytesMax: 1_000_000 })
  const findUses = await lockIn(engine, { files: [], columns: ['id', 'name'] })
  return { findUses, connection: await engine.connect() }
}

test('every function of the pinned DuckDB has been reviewed', async () => {
  const rows = await textsOf(`SELECT DISTINCT function_type, function_name FROM duckdb_functions()
    WHERE regexp_matches(function_name, '^[A-Za-z_]') AND NOT regexp_matches(function_name, '^(icu_collate|__internal)_')`)
  const found = Map.groupBy(rows, ([kind]) => kind!)
  for (const [kind, list] of found) {
    assert.deepEqual(list.map(([, name]) => name).toSorted(), names(reviewedFunctions[kind] ?? '').toSorted(), kind)
  }
  assert.deepEqual([...found.keys()].toSorted(), Object.keys(reviewedFunctions).toSorted())
})

test('every table function is refused unless it only computes, or describes the engine itself', async () => {
  const { findUses } = await locked()
  const refused: string[] = []
  for (const kind of ['table', 'table_macro'] as const) {
    for (const name of names(reviewedFunctions[kind] ?? '')) {
      const uses = await findUses(`FROM ${name}('x')`)
      assert.deepEqual(uses, [{ kind: 'table function', name, source: 'x' }])
      if (!uses.every(isAllowed)) refused.push(name)
    }
  }
  const acting = 'checkpoint disable_logging disable_profiling enable_logging enable_peg_parser enable_profiling'
  const reaching = 'force_checkpoint glob query read_csv read_parquet read_text sniff_csv truncate_duckdb_logs'
  const looking =
    'arrow_scan duckdb_logs duckdb_settings duckdb_secrets json_execute_serialized_sql query_table seq_scan'
  for (const name of names(`${acting} ${reaching} ${looking}`)) assert.ok(refused.includes(name), name)
  // DuckDB 1.5.5 has 93: one more or less is a decision.
  assert.equal(refused.length, 68)
})

test('no pragma is accepted as a query', async () => {
  const { connection, findUses } = await locked()
  for (const name of names(reviewedFunctions.pragma ?? '')) {
    await assert.rejects(readOnlyStatement(connection, findUses, `PRAGMA ${name}`), name)
    await assert.rejects(readOnlyStatement(connection, findUses, `PRAGMA ${name}('x')`), name)
  }
})

test('a function that waits, logs, counts or reads settings is refused anywhere in a statement', async () => {
  const { connection, findUses } = await locked()
  for (const name of [
    'sleep_ms',
    'pg_sleep',
    'write_log',
    'current_setting',
    'getenv',
    'nextval',
    'currval',
    'SLEEP_MS',
  ]) {
    const call = `${name}('1')`
    for (const sql of [
      `SELECT ${call}`,
      `SELECT system.main.${call}`,
      `SELECT "${name}"('1')`,
      `SELECT id.${name}() FROM data`,
      `FROM data WHERE ${call} IS NULL`,
      `SELECT list_transform([1], lambda x: ${call})`,
      `SELECT [${call} FOR x IN [1]]`,
      `SELECT sum(1) OVER w FROM data WINDOW w AS (ORDER BY ${call})`,
      `SELECT count(*) FILTER (${call} IS NULL) FROM data`,
      `SELECT 1 LIMIT ${call}`,
      `WITH a AS (SELECT ${call}) FROM a`,
      `WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT ${call} FROM t) FROM t`,
      `SELECT * FROM data JOIN data AS b ON ${call} = 1`,
      `FROM data, LATERAL (SELECT ${call})`,
      `FROM range(${call})`,
      `VALUES (${call})`,
      `DESCRIBE SELECT ${call}`,
      `SUMMARIZE SELECT ${call}`,
      `PIVOT data ON id || ${call} IN (1) USING count(*)`,
      `SELECT COLUMNS(c -> ${call} = '1') FROM data`,
      `SELECT * REPLACE (${call} AS id) FROM data`,
      `SELECT DISTINCT ON (${call}) 1`,
    ]) {
      await assert.rejects(readOnlyStatement(connection, findUses, sql), /the function \w+ is not available/, sql)
    }
  }
})

test('no allowed macro or system view calls anything that is refused', async () => {
  const { findUses } = await locked()
  const macros = await textsOf(`SELECT DISTINCT function_name, macro_definition FROM duckdb_functions()
    WHERE macro_definition IS NOT NULL AND function_type = 'macro'`)
  assert.ok(macros.length > 100)
  for (const [name = '', definition = ''] of macros) {
    const uses = await findUses(`SELECT ${definition}`)
    if (isAllowed({ kind: 'function', name })) assert.deepEqual(uses?.filter(isOpen), [], `${name}: ${definition}`)
  }
  const views = await textsOf(`SELECT view_name, regexp_extract(sql, '(?is) AS (.*)', 1) FROM duckdb_views()`)
  assert.ok(views.length > 40)
  for (const [name = '', sql = ''] of views) {
    const uses = (await findUses(sql)) ?? []
    if (isAllowed({ kind: 'table', name })) assert.deepEqual(uses.filter(isOpen), [], `${name}: ${sql}`)
  }
})

/** Whether a query may not use this part of a definition. Catalog lists are fine: they reveal nothing outside. */
function isOpen(use: Use): boolean {
  const harmless = ['duckdb_dependencies', 'duckdb_prepared_statements', 'pragma_database_size']
  return !isAllowed(use) && !harmless.includes(use.name)
}

test('a function may be given the name of a table only if it is the data', async () => {
  const { findUses } = await locked()
  const isRefused = async (sql: string) => !(await findUses(sql))?.every(isAllowed)
  for (const sql of [
    'FROM histogram(data, id)',
    `FROM query_table('data')`,
    'FROM histogram(source := data, col_name := id)',
  ]) {
    assert.ok(!(await isRefused(sql)), sql)
  }
  for (const sql of [
    'FROM histogram(pg_settings, name)',
    `FROM query_table('pg_' || 'settings')`,
    `FROM query_table(['data', 'pg_settings'])`,
    'FROM histogram(col_name := data, source := pg_settings)',
    'FROM pg_catalog.pg_settings',
    'FROM "DUCKDB_LOGS"',
  ]) {
    assert.ok(await isRefused(sql), sql)
  }
})

test('functions for analysis are allowed', async () => {
  const { connection, findUses } = await locked()
  for (const sql of [
    'FROM range(3)',
    'FROM generate_series(1, 3)',
    'SELECT unnest([1, 2])',
    'SUMMARIZE data',
    'DESCRIBE data',
    'SHOW TABLES',
    'SHOW ALL TABLES',
    `PIVOT data ON name IN ('x') USING count(*)`,
    'UNPIVOT data ON id, name',
    'FROM (SUMMARIZE data) SELECT column_name',
    'FROM information_schema.columns',
    'FROM data ASOF JOIN data AS b USING (id)',
    'SELECT row_number() OVER (ORDER BY id) FROM data QUALIFY row_number() OVER () = 1',
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) FROM t',
    'SELECT name, count(*) FROM data GROUP BY ALL ORDER BY ALL LIMIT 10 PERCENT',
    `SELECT regexp_replace(name, 'a', 'b'), now(), random(), uuid(), strftime(today(), '%Y'), {'a': 1}.a FROM data`,
    `SELECT json_extract('{"a": 1}', '$.a'), histogram(id), quantile_cont(1, 0.5) FROM data`,
    `FROM json_each('{"a": 1}')`,
    'FROM data TABLESAMPLE 10%',
    'SELECT * EXCLUDE (id) FROM data POSITIONAL JOIN range(3)',
  ]) {
    await assert.doesNotReject(readOnlyStatement(connection, findUses, sql), sql)
  }
})
