// DuckDB tables: the texts of many tables at once in DuckDB and, for given types, their values.
// Does not know with what they are compared.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ColumnType } from '../../../src/core/receipt.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { literal } from '../../../src/engine/sql/sql-text.ts'
import { readExactly, tryCast, valueText } from '../sql/lossless-sql.ts'
import type { TriedTable } from './tried-tables.ts'

/** A table with the number of its first column among the columns of all tables. */
export interface PlacedTable extends TriedTable {
  readonly firstColumn: number
}

/** Numbers the columns of all tables consecutively. */
export function placed(tables: readonly TriedTable[]): readonly PlacedTable[] {
  let firstColumn = 0
  return tables.map((table) => {
    const one = { ...table, firstColumn }
    firstColumn += table.layout.width
    return one
  })
}

interface LoadedRows {
  readonly types: Readonly<Record<string, string>>
  readonly rows: readonly object[]
}

export async function loadTable(
  duckDb: DuckDBConnection,
  dir: string,
  name: string,
  { types, rows }: LoadedRows,
): Promise<void> {
  const path = join(dir, `${name}.json`)
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const described = Object.entries(types).map(([key, type]) => `${key}: ${literal(type)}`)
  await duckDb.run(`CREATE OR REPLACE TEMP TABLE ${name} AS
    FROM read_json(${literal(path)}, format = 'newline_delimited', columns = {${described.join(', ')}})`)
}

/** Loads all tables into `texts`: a row for each text, with its column and its record, from 1. */
export async function loadTexts(duckDb: DuckDBConnection, dir: string, tables: readonly PlacedTable[]): Promise<void> {
  const rows = tables.flatMap(({ cells, firstColumn: first }) => cells.map((v, i) => ({ first, record: i + 1, v })))
  await loadTable(duckDb, dir, 'records', { types: { first: 'INTEGER', record: 'BIGINT', v: 'VARCHAR[]' }, rows })
  await duckDb.run(`CREATE OR REPLACE TEMP TABLE texts AS
    SELECT unnest(v) AS v, CAST(first + unnest(range(len(v))) AS INTEGER) AS field, record FROM records`)
}

/** SQL for the values of all columns of one type, number `number`; fails if a text is not of the type. */
export function valuesSql(type: ColumnType, number: number): string {
  const text = valueText(type, 'v')
  const reads = readExactly(type, text, 'converted').map(({ when, value }) => `WHEN ${when} THEN ${value}`)
  const value = `CASE ${reads.join(' ')} WHEN v IS NULL OR list_contains(words, ${text}) THEN NULL ELSE error(concat('no value: ', v)) END`
  const texts = `SELECT field, place, slot, record, v, words, ${tryCast(type, text)} AS converted
    FROM texts JOIN columns USING (field) WHERE type_number = ${number}`
  return `SELECT field, place, slot, record, v, ${value} AS value FROM (${texts})`
}
