// Convert SQL: writes a segment as typed Parquet with DuckDB, or fails at the first value that does not fit.
import type { Segment, TargetColumn } from '../../../src/columns/converter.ts'
import type { DuckDBConnection } from '../../../src/engine/duckdb/duckdb.ts'
import { identifier, literal } from '../../../src/engine/sql/sql-text.ts'
import { readExactly, tryCast, valueText } from './lossless-sql.ts'
import { withReadable } from './readable-segment.ts'
import { fieldName, readModes, recordsSql } from './segment-sql.ts'

/** Returns the nulls of each column. The segment must be readable in DuckDB's first mode. @throws {Error} for a type mismatch */
export async function convertBySql(
  duckDb: DuckDBConnection,
  segment: Segment,
  columns: readonly TargetColumn[],
  toPath: string,
): Promise<readonly number[]> {
  return withReadable(segment, async (readable) => {
    const casts = columns.map(({ type }, i) => `, ${tryCast(type, valueText(type, fieldName(i)))} AS t${i}`).join('')
    const values = columns.map((column, i) => `${value(column, i)} AS ${identifier(column.name)}`).join(', ')
    const problems: unknown[] = []
    for (const mode of readModes(readable)) {
      try {
        const records = `SELECT *${casts} FROM ${recordsSql(readable, mode)}`
        await duckDb.run(`COPY (SELECT ${values} FROM (${records})) TO ${literal(toPath)} (FORMAT parquet)`)
        const nulls = columns.map(({ name }) => `count(*) - count(${identifier(name)})`).join(', ')
        const [row] = (await duckDb.runAndReadAll(`SELECT ${nulls} FROM ${literal(toPath)}`)).getRowsJson()
        return (row ?? []).map(Number)
      } catch (error) {
        problems.push(error)
      }
    }
    throw new AggregateError(problems, 'DuckDB cannot convert the segment')
  })
}

function value({ type, nullWords }: TargetColumn, i: number): string {
  const text = valueText(type, fieldName(i))
  if (type.kind === 'text') return text
  const whens = readExactly(type, text, `t${i}`).map((read) => `WHEN ${read.when} THEN ${read.value}`)
  const isNull = [`${text} IS NULL`, ...nullWords.map((word) => `${text} = ${literal(word)}`)]
  return `CASE ${whens.join(' ')} WHEN ${isNull.join(' OR ')} THEN NULL ELSE error('typeMismatch') END`
}
