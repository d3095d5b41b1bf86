// Convert SQL: writes records as typed Parquet with DuckDB, or fails at the first value that does not fit.
import { writeFileSync } from 'node:fs'
import type { TargetColumn } from '../../../src/columns/converter.ts'
import type { Table } from '../../../src/columns/writer/columns.testing.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { identifier, literal } from '../../../src/engine/sql/sql-text.ts'
import { readExactly, tryCast, valueText } from './lossless-sql.ts'

/** Returns the nulls of each column. @throws {Error} for a type mismatch */
export async function convertBySql(
  duckDb: DuckDBConnection,
  table: Table,
  columns: readonly TargetColumn[],
  toPath: string,
): Promise<readonly number[]> {
  const fromPath = `${toPath}.json`
  writeFileSync(fromPath, table.map((v) => `${JSON.stringify({ v })}\n`).join(''))
  const texts = `read_json(${literal(fromPath)}, format = 'newline_delimited', columns = {v: 'VARCHAR[]'})`
  const casts = columns.map(({ type }, i) => `, ${tryCast(type, valueText(type, fieldText(i)))} AS t${i}`).join('')
  const values = columns.map((column, i) => `${value(column, i)} AS ${identifier(column.name)}`).join(', ')
  const records = `SELECT *${casts} FROM ${texts}`
  await duckDb.run(`COPY (SELECT ${values} FROM (${records})) TO ${literal(toPath)} (FORMAT parquet)`)
  const nulls = columns.map(({ name }) => `count(*) - count(${identifier(name)})`).join(', ')
  const [row] = (await duckDb.runAndReadAll(`SELECT ${nulls} FROM ${literal(toPath)}`)).getRowsJson()
  return (row ?? []).map(Number)
}

function fieldText(i: number): string {
  return `v[${i + 1}]`
}

function value({ type, nullWords }: TargetColumn, i: number): string {
  const text = valueText(type, fieldText(i))
  if (type.kind === 'text') return text
  const whens = readExactly(type, text, `t${i}`).map((read) => `WHEN ${read.when} THEN ${read.value}`)
  const isNull = [`${text} IS NULL`, ...nullWords.map((word) => `${text} = ${literal(word)}`)]
  return `CASE ${whens.join(' ')} WHEN ${isNull.join(' OR ')} THEN NULL ELSE error('typeMismatch') END`
}
