// Function list: which of DuckDB's functions and system tables a query may use. Plain names; knows nothing of statements.

/**
 * Table functions: these and no others. The rest change the engine (`enable_logging`, `checkpoint`), read files
 * (`read_text`), run SQL that has not been checked (`query`), reveal the engine's surroundings (`duckdb_settings`), or take
 * addresses in memory (`arrow_scan`).
 */
const tableFunctions: ReadonlySet<string> = new Set([
  'duckdb_columns',
  'duckdb_constraints',
  'duckdb_databases',
  'duckdb_functions',
  'duckdb_indexes',
  'duckdb_keywords',
  'duckdb_schemas',
  'duckdb_sequences',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'generate_series',
  'icu_calendar_names',
  'json_each',
  'json_tree',
  'pg_timezone_names',
  'pragma_collations',
  'pragma_show',
  'pragma_table_info',
  'pragma_version',
  'range',
  'repeat',
  'repeat_row',
  'summary',
  'unnest',
])

/** Functions that read the table whose name they are given, which may be `data`. */
const functionsOfTable: ReadonlySet<string> = new Set(['histogram', 'histogram_values', 'query_table'])

/**
 * Scalar functions: all but these, which wait, log, count, read settings, or plan SQL that has not been checked. A test
 * lists all functions of the pinned DuckDB, so that a new one is reviewed before queries can use it.
 */
const refusedFunctions: ReadonlySet<string> = new Set([
  'current_setting',
  'currval',
  'getenv',
  'getvariable',
  'json_serialize_plan',
  'nextval',
  'pg_sleep',
  'sleep_ms',
  'write_log',
])

/** System views made of functions that a query may not use. */
const refusedTables: ReadonlySet<string> = new Set(['duckdb_logs', 'pg_settings'])

/** Something that a statement uses. Names are in lower case. */
export type Use =
  | { readonly kind: 'function' | 'table'; readonly name: string }
  /** `source` is the table whose name it is given; null if it is given anything else. */
  | { readonly kind: 'table function'; readonly name: string; readonly source: string | null }

export function isAllowed(use: Use): boolean {
  switch (use.kind) {
    case 'function':
      return !refusedFunctions.has(use.name)
    case 'table':
      return !refusedTables.has(use.name)
    case 'table function':
      return tableFunctions.has(use.name) || (functionsOfTable.has(use.name) && use.source === 'data')
  }
}
