// DuckDB tables: reads the records of many tables at once with DuckDB: texts and, for given types, values.
// Does not know with what they are compared.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Segment, SegmentLayout } from '../../../src/columns/converter.ts'
import type { ColumnType } from '../../../src/core/receipt.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { literal } from '../../../src/engine/sql/sql-text.ts'
import { readExactly, tryCast, valueText } from '../sql/lossless-sql.ts'
import { withReadable } from '../sql/readable-segment.ts'
import { fieldName, type ReadMode, readModes, recordsSql } from '../sql/segment-sql.ts'
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

/** Reads all tables into `texts`: a row for each text, with its column and its record, from 1. */
export async function readTexts(duckDb: DuckDBConnection, dir: string, tables: readonly PlacedTable[]): Promise<void> {
  await duckDb.run(`DROP TABLE IF EXISTS texts; CREATE TEMP TABLE texts (v VARCHAR, field INTEGER, record BIGINT)`)
  for (const group of Map.groupBy(tables, ({ layout }) => JSON.stringify(layout)).values())
    await readGroup(duckDb, dir, group)
}

async function readGroup(duckDb: DuckDBConnection, dir: string, tables: readonly PlacedTable[]): Promise<void> {
  const path = join(dir, 'texts.csv')
  const text = tables.map(({ body }) => body).join('')
  writeFileSync(path, text)
  const records = tables.reduce((sum, table) => sum + table.records, 0)
  const { layout } = tables[0]!
  const segment = { path, records, bytes: Buffer.byteLength(text), layout }
  const before = await count(duckDb)
  await withReadable(segment, (readable) => readInSomeMode(duckDb, readable, textsOf(tables, layout)))
  const read = (await count(duckDb)) - before
  if (read !== records * layout.width) throw new Error(`DuckDB reads ${read} texts, expected ${records * layout.width}`)
}

/** SQL that inserts the rows of `texts` for the tables in one file. */
function textsOf(tables: readonly PlacedTable[], { width }: SegmentLayout) {
  const columns = Array.from({ length: width }, (_, i) => i)
  const counts = tables.map(({ records, firstColumn }) => `(${firstColumn}, ${records})`)
  const records = `SELECT first, unnest(range(1, count + 1)) AS record FROM (VALUES ${counts.join(', ')}) AS tables(first, count)`
  return (segment: Segment, mode: ReadMode) =>
    `INSERT INTO texts SELECT unnest([${columns.map(fieldName).join(', ')}]), first + unnest([${columns.join(', ')}]), record
      FROM ${recordsSql(segment, mode)} POSITIONAL JOIN (${records})`
}

async function readInSomeMode(
  duckDb: DuckDBConnection,
  segment: Segment,
  sqlOf: (segment: Segment, mode: ReadMode) => string,
): Promise<void> {
  const errors: unknown[] = []
  for (const mode of readModes(segment)) {
    try {
      await duckDb.run(sqlOf(segment, mode))
      return
    } catch (error) {
      errors.push(error)
    }
  }
  throw new AggregateError(errors, 'DuckDB cannot read the tables')
}

async function count(duckDb: DuckDBConnection): Promise<number> {
  return Number((await duckDb.runAndReadAll('SELECT count(*) FROM texts')).getRowsJson()[0]?.[0])
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

/** A list of texts. */
export function list(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`
}
