// Profile SQL: has DuckDB classify the values of a segment, the oracle for the facts of the column writer. Writes nothing.
import { type ClassFacts, type ColumnFacts, joinClasses, nullWords, type ValueClass } from '../../core/column-facts.ts'
import type { DuckDBConnection } from '../../duckdb/duckdb.ts'
import type { Segment } from '../convert.ts'
import { withReadable } from '../converter/readable-segment.ts'
import { fieldName, type ReadMode, readModes, recordsSql } from './segment-sql.ts'
import { classSql, fractionMark } from './value-class-sql.testing.ts'

/**
 * One row of the result: the number of values of a column in a class, and the first three records, from 1, with one.
 */
export type ProfileRow = readonly [
  column: number,
  /** As `classSql` gives it. */
  className: string,
  /** For a number with a fraction: characters before the decimal separator, without a minus. */
  charsBefore: number | null,
  scale: number | null,
  count: number,
  first: readonly number[],
]

/** The facts of each column as DuckDB finds them. */
export async function profileWithDuckDb(duckDb: DuckDBConnection, segment: Segment): Promise<readonly ColumnFacts[]> {
  return withReadable(segment, async (readable) => {
    const errors: unknown[] = []
    for (const mode of readModes(readable)) {
      try {
        const reader = await duckDb.runAndReadAll(profileSql(readable, mode))
        return factsOf(reader.getRowsJS() as unknown as readonly ProfileRow[], segment)
      } catch (error) {
        errors.push(error)
      }
    }
    throw new AggregateError(errors, 'DuckDB cannot read the segment')
  })
}

/** Returns ProfileRows, in any order; numbers with a fraction have a row for each number of digits. */
function profileSql(segment: Segment, mode: ReadMode): string {
  return rowsSql(`(${valuesSql(segment, mode)})`)
}

/** A table for values; once it is filled, `filledProfileSql` returns ProfileRows. */
export const valuesTableSql = 'CREATE TEMP TABLE profiled (v VARCHAR, field INTEGER, record BIGINT)'

export const filledProfileSql = rowsSql('profiled')

/**
 * Every value becomes a row, so that classes are determined in one place, and a thousand columns are as easy as one.
 */
function valuesSql(segment: Segment, mode: ReadMode): string {
  const columns = Array.from({ length: segment.layout.width }, (_, i) => i)
  const records = `SELECT *, row_number() OVER () AS record FROM ${recordsSql(segment, mode)}`
  return `SELECT unnest([${columns.map(fieldName).join(', ')}]) AS v, unnest([${columns.join(', ')}]) AS field, record FROM (${records})`
}

function rowsSql(values: string): string {
  // A decimal separator occurs once, after all group separators. A minus sorts before a point.
  const ofFraction = (sql: string) => `CASE WHEN class >= '${fractionMark}' THEN CAST(${sql} AS INTEGER) END`
  const place = `greatest(instr(v, '.'), instr(v, ','))`
  return `SELECT field, class,
      ${ofFraction(`${place} - 1 - CAST(v < '.' AS INTEGER)`)} AS before,
      ${ofFraction(`length(v) - ${place}`)} AS behind,
      CAST(count(*) AS DOUBLE) AS count, CAST(min(record, 3) AS DOUBLE[]) AS first
    FROM (SELECT *, ${classSql('v')} AS class FROM ${values}) GROUP BY ALL`
}

/** The result as facts, in column order. */
export function factsOf(rows: readonly ProfileRow[], segment: Segment): readonly ColumnFacts[] {
  const rowsByColumn = Array.from({ length: segment.layout.width }, (): ProfileRow[] => [])
  for (const row of rows) rowsByColumn[row[0]]?.push(row)
  return rowsByColumn.map((own) => columnFacts(own, segment.records))
}

function columnFacts(rows: readonly ProfileRow[], records: number): ColumnFacts {
  const words: Record<string, number> = {}
  const classes: Partial<Record<ValueClass, ClassFacts>> = {}
  for (const row of rows) {
    const [, name, , , count] = row
    if (name === 'null') continue
    const word = nullWords[Number(name)]
    if (word !== undefined) {
      words[word] = count
      continue
    }
    // The statement names no other classes.
    const valueClass = name.replace(fractionMark, '') as ValueClass
    const before = classes[valueClass]
    classes[valueClass] = before === undefined ? factsOfRow(row) : joinClasses([before, factsOfRow(row)])
  }
  const nulls = rows.find(([, name]) => name === 'null')?.[4] ?? 0
  return { records, nulls, nullWords: words, classes }
}

function factsOfRow([, name, before, scale, count, first]: ProfileRow): ClassFacts {
  if (before === null || scale === null) return { count, first }
  // A separator precedes every three digits except the first one to three.
  const wholeMax = name.includes('rouped ') ? before - Math.floor(before / 4) : before
  return { count, first, digits: { wholeMax, scaleMin: scale, scaleMax: scale } }
}
