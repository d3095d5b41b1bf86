// DuckDB tables: reads the records of many tables at once with DuckDB: texts, facts and, for given types, values.
// Does not know with what they are compared.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Segment, SegmentLayout } from '../../../src/convert/convert.ts'
import { withReadable } from '../../../src/convert/converter/readable-segment.ts'
import { readExactly, tryCast } from '../../../src/convert/sql/lossless-sql.ts'
import {
  factsOf,
  filledProfileSql,
  type ProfileRow,
  valuesTableSql,
} from '../../../src/convert/sql/profile-sql.testing.ts'
import { fieldName, literal, type ReadMode, readModes, recordsSql } from '../../../src/convert/sql/segment-sql.ts'
import { type ColumnFacts, nullWords } from '../../../src/core/column-facts.ts'
import type { ColumnType } from '../../../src/core/receipt.ts'
import type { DuckDBConnection } from '../../../src/duckdb/duckdb.ts'
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

/** Reads all tables into `profiled`: a row for each text, with its column and its record, from 1. */
export async function readTexts(duckDb: DuckDBConnection, dir: string, tables: readonly PlacedTable[]): Promise<void> {
  await duckDb.run(`DROP TABLE IF EXISTS profiled; ${valuesTableSql}`)
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
  if (read !== records * layout.width) throw new Error(`DuckDB reads ${read} texts, wanted ${records * layout.width}`)
}

/** SQL that inserts the rows of `profiled` for the tables in one file. */
function textsOf(tables: readonly PlacedTable[], { width }: SegmentLayout) {
  const columns = Array.from({ length: width }, (_, i) => i)
  const counts = tables.map(({ records, firstColumn }) => `(${firstColumn}, ${records})`)
  const records = `SELECT first, unnest(range(1, count + 1)) AS record FROM (VALUES ${counts.join(', ')}) AS tables(first, count)`
  return (segment: Segment, mode: ReadMode) =>
    `INSERT INTO profiled SELECT unnest([${columns.map(fieldName).join(', ')}]), first + unnest([${columns.join(', ')}]), record
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
  return Number((await duckDb.runAndReadAll('SELECT count(*) FROM profiled')).getRowsJson()[0]?.[0])
}

/** The facts of the columns of each table. */
export async function factsOfTables(
  duckDb: DuckDBConnection,
  tables: readonly PlacedTable[],
): Promise<readonly (readonly ColumnFacts[])[]> {
  const rows = (await duckDb.runAndReadAll(filledProfileSql)).getRowsJS() as unknown as readonly ProfileRow[]
  const width = tables.reduce((sum, { layout }) => sum + layout.width, 0)
  const all = factsOf(rows, { path: '', records: 0, bytes: 0, layout: { ...tables[0]!.layout, width } })
  return tables.map(({ firstColumn, records, layout }) =>
    all.slice(firstColumn, firstColumn + layout.width).map((facts) => ({ ...facts, ...inOrder(facts), records })),
  )
}

/** Sorts null words into their usual order. */
function inOrder({ nullWords: counts }: ColumnFacts): Pick<ColumnFacts, 'nullWords'> {
  return { nullWords: Object.fromEntries(nullWords.flatMap((word) => (counts[word] ? [[word, counts[word]]] : []))) }
}

/** SQL for the values of all columns of one type, number `number`; fails if a text is not of the type. */
export function valuesSql(type: ColumnType, number: number): string {
  const reads = readExactly(type, 'v', 'converted').map(({ when, value }) => `WHEN ${when} THEN ${value}`)
  const value = `CASE ${reads.join(' ')} WHEN v IS NULL OR list_contains(words, v) THEN NULL ELSE error(concat('no value: ', v)) END`
  const texts = `SELECT field, place, slot, record, v, words, ${tryCast(type, 'v')} AS converted
    FROM profiled JOIN columns USING (field) WHERE type_number = ${number}`
  return `SELECT field, place, slot, record, v, ${value} AS value FROM (${texts})`
}

/** A list of texts. */
export function list(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`
}
