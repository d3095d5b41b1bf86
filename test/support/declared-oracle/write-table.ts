// Write table: a table as the column writer writes it, with types decided as in an upload. Knows no SQL of declared columns.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { ColumnWriterOptions, WriterColumn } from '../../../src/columns/writer/column-writer.ts'
import { writeColumns } from '../../../src/columns/writer/columns.testing.ts'
import type { ColumnFacts } from '../../../src/core/column-facts.ts'
import type { Violation } from '../../../src/core/declared-values.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { literal } from '../../../src/engine/sql/sql-text.ts'
import type { DeclaredColumn } from '../../../src/service/schema/declared-column.ts'
import { sqlType } from '../sql/lossless-sql.ts'
import { contentOf, type DeclaredCase } from './declared-case.ts'
import { type ReadTable, type Target, targetOf } from './read-by-sql.ts'

/** A table as declared, and what only a part has. */
export interface WrittenTable extends ReadTable {
  readonly nulls: readonly number[]
}

const roundsMax = 6

type WriteResult = ReturnType<typeof writeColumns> & { readonly found: readonly Violation[] }

export async function writeTable(
  duckDb: DuckDBConnection,
  columns: readonly DeclaredColumn[],
  one: DeclaredCase,
  path: string,
): Promise<WrittenTable> {
  let written = write(
    one,
    columns.map(({ values }, i) => ({ name: `f${i}`, type: null, nullWords: [], declared: values })),
  )
  let targets = decide(columns, written.facts)
  for (let round = 0; round < roundsMax; round++) {
    written = write(
      one,
      targets.map(({ type, values }, i) => ({ name: `f${i}`, type, nullWords: [], declared: values })),
    )
    const next = decide(columns, written.facts)
    if (JSON.stringify(next) === JSON.stringify(targets)) return await readPart(duckDb, { one, targets, written, path })
    targets = next
  }
  throw new Error('Cannot decide types: each decision changes which records are accepted')
}

function decide(columns: readonly DeclaredColumn[], facts: readonly ColumnFacts[]): readonly Target[] {
  return columns.map((column, i) => targetOf(column, facts[i]!))
}

/** With the column that is not declared. */
function write(one: DeclaredCase, declared: readonly WriterColumn[]): WriteResult {
  const found: Violation[] = []
  const isFacts = declared.every(({ type }) => type === null)
  const own: WriterColumn = { name: 'n', type: isFacts ? null : { kind: 'text' }, nullWords: [] }
  const { layout, rowGroupRecords } = one
  const options: Omit<ColumnWriterOptions, 'sink'> = {
    layout,
    rowGroupRecords,
    columns: [...declared, own],
    // SQL does not know where records are.
    onViolation: ({ place: _, ...violation }) => found.push(violation),
  }
  // Cut in one place, so that a chunk may end anywhere.
  const content = contentOf(one)
  const cut = (one.records.length * 7) % 50
  return { ...writeColumns(content, options, () => (cut < 10 ? 1 + cut : 1_000_000)), found }
}

async function readPart(
  duckDb: DuckDBConnection,
  {
    one,
    targets,
    written,
    path,
  }: { one: DeclaredCase; targets: readonly Target[]; written: WriteResult; path: string },
): Promise<WrittenTable> {
  const { found: violations, typeMismatches, nulls } = written
  if (violations.length !== written.violations)
    throw new Error(`${violations.length} violations, counted ${written.violations}`)
  if (written.records !== one.records.length)
    throw new Error(`${written.records} records, expected ${one.records.length}`)
  const typeMismatch = typeMismatches.findIndex((record) => record !== null)
  if (typeMismatch >= 0)
    throw new Error(`Column ${typeMismatch} has a type mismatch in accepted record ${typeMismatches[typeMismatch]}`)
  const facts = written.facts.map(({ numberTexts: _, ...rest }) => rest)
  if (written.bytes === null) throw new Error('There is no part')
  writeFileSync(path, written.part)
  const rows = await rowsOf(duckDb, `SELECT CAST(COLUMNS(*) AS VARCHAR) FROM read_parquet(${literal(path)})`)
  const values = [...targets, null].map((_, i) => rows.map((row) => row[i] as string | null))
  if (one.records.length % 5 === 0 && rows.length > 0) await assertStatistics(duckDb, targets, path)
  return { targets, violations, values, facts, nulls }
}

/** Asserts that the part states the least and the greatest value, which may be cut for texts, and the number of nulls. */
async function assertStatistics(duckDb: DuckDBConnection, targets: readonly Target[], path: string): Promise<void> {
  const part = literal(path)
  const stated = targets.map(({ type }, i) => {
    const sql = sqlType(type)
    const [least, greatest] =
      type.kind === 'text' ? ['NULL', 'NULL'] : [`CAST(stats_min_value AS ${sql})`, `CAST(stats_max_value AS ${sql})`]
    return `SELECT ${i} AS i, CAST(min(${least}) AS VARCHAR), CAST(max(${greatest}) AS VARCHAR), CAST(sum(stats_null_count) AS VARCHAR)
      FROM parquet_metadata(${part}) WHERE column_id = ${i}`
  })
  const real = targets.map(({ type }, i) => {
    const value = type.kind === 'text' ? 'NULL' : `f${i}`
    return `SELECT ${i} AS i, CAST(min(${value}) AS VARCHAR), CAST(max(${value}) AS VARCHAR), CAST(count(*) - count(f${i}) AS VARCHAR) FROM read_parquet(${part})`
  })
  const of = (sqls: readonly string[]) => rowsOf(duckDb, `${sqls.join(' UNION ALL ')} ORDER BY i`)
  assert.deepEqual(await of(stated), await of(real), 'statistics: column, least, greatest, nulls')
}

async function rowsOf(duckDb: DuckDBConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await duckDb.runAndReadAll(sql)).getRowsJson()
}
