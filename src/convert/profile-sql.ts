// Profile SQL: the statement that tells what the values of a segment are, and its answer as facts. Writes nothing.
import { type ClassFacts, type ColumnFacts, nullWords, type ValueClass } from '../core/column-facts.ts'
import type { ColumnType } from '../core/receipt.ts'
import type { Segment } from './convert.ts'
import { decimalShape, fitsExactly, plainShape } from './exact.ts'
import { fieldName, literal, type ReadMode, recordsSql } from './sql.ts'

/** One row of the answer: so many values of a column are of a class, and these records, from 1, have the first three. */
export type ProfileRow = readonly [
  column: number,
  /** A ValueClass, `null`, or the place of a null word. */
  className: string,
  wholeDigits: number | null,
  scale: number | null,
  count: number,
  first: readonly number[],
]

/** Gives ProfileRows, in any order; decimals come in a row for each number of digits. */
export function profileSql(segment: Segment, mode: ReadMode): string {
  const columns = Array.from({ length: segment.layout.width }, (_, i) => i)
  const records = `SELECT *, row_number() OVER () AS record FROM ${recordsSql(segment, mode)}`
  // Every value becomes a row: the classes are told in one place, and a thousand columns are as easy as one.
  const values = `SELECT unnest([${columns.map(fieldName).join(', ')}]) AS v, unnest([${columns.join(', ')}]) AS field, record FROM (${records})`
  const ifDecimal = (sql: string) => `CASE WHEN class IN ('decimal', 'longDecimal') THEN CAST(${sql} AS INTEGER) END`
  return `SELECT field, class,
      ${ifDecimal(`instr(v, '.') - 1 - CAST(v < '.' AS INTEGER)`)} AS whole,
      ${ifDecimal(`strlen(v) - instr(v, '.')`)} AS scale,
      CAST(count(*) AS DOUBLE) AS count, CAST(min(record, 3) AS DOUBLE[]) AS first
    FROM (SELECT *, ${classSql('v')} AS class FROM (${values})) GROUP BY ALL`
}

/** The class of a value as text. Conditions are those of conversion, so what is told here holds there. */
function classSql(v: string): string {
  const fits = (type: ColumnType) => fitsExactly(type, v)
  const matches = (pattern: string) => `regexp_full_match(${v}, '${pattern}')`
  const digits = `strlen(${v}) - CAST(${v} < '.' AS INTEGER)`
  const words = nullWords.map((word, i) => `WHEN ${literal(word)} THEN '${i}'`).join(' ')
  const wordBytesMax = Math.max(...nullWords.map((word) => word.length), 'false'.length)
  const other = `CASE WHEN strlen(${v}) > ${wordBytesMax} THEN 'text' ELSE CASE ${v} WHEN 'true' THEN 'true' WHEN 'false' THEN 'true' WHEN 'True' THEN 'True' WHEN 'False' THEN 'True'
    WHEN 'TRUE' THEN 'TRUE' WHEN 'FALSE' THEN 'TRUE' ${words} ELSE 'text' END END`
  const withDashes = `CASE WHEN ${fits({ kind: 'date' })} THEN 'date' WHEN ${fits({ kind: 'timestamp' })} THEN 'timestamp'
    WHEN ${fits({ kind: 'timestamptz' })} THEN 'timestamptz' ELSE 'text' END`
  const decimal = `${matches(decimalShape)} AND ${digits} <= 39 AND NOT ${matches('-0\\.0+')}`
  // A number, date or time begins with a byte from + to 9; most texts do not and are through with the first test.
  return `CASE WHEN ${v} IS NULL THEN 'null'
    WHEN ${v} < '+' OR ${v} >= ':' THEN ${other}
    WHEN ${fits({ kind: 'integer' })} THEN CASE WHEN ${digits} <= 15 THEN 'integer' ELSE 'longInteger' END
    WHEN ${decimal} THEN CASE WHEN ${fits({ kind: 'number' })} THEN 'decimal' ELSE 'longDecimal' END
    WHEN ${v} LIKE '____-__-__%' THEN ${withDashes}
    WHEN ${fits({ kind: 'time' })} THEN 'time'
    WHEN ${fits({ kind: 'number' })} THEN 'number'
    WHEN ${matches('[-+]?0[0-9]+(\\.[0-9]*)?')} THEN 'padded'
    WHEN ${matches(`\\+${plainShape}`)} THEN 'signed'
    WHEN ${matches(`-?${plainShape}([eE][-+]?[0-9]+)?`)} THEN 'tooLong'
    ELSE CASE ${v} ${words} ELSE 'text' END END`
}

/** Records the answer is about: every record has a value or a null in the first column. */
export function recordsOf(rows: readonly ProfileRow[]): number {
  return rows.reduce((sum, [column, , , , count]) => (column === 0 ? sum + count : sum), 0)
}

/** The answer as facts, in column order. */
export function factsOf(rows: readonly ProfileRow[], segment: Segment): readonly ColumnFacts[] {
  const rowsByColumn = Array.from({ length: segment.layout.width }, (): ProfileRow[] => [])
  for (const row of rows) rowsByColumn[row[0]]?.push(row)
  return rowsByColumn.map((own) => columnFacts(own, segment.records))
}

function columnFacts(rows: readonly ProfileRow[], records: number): ColumnFacts {
  const words: Record<string, number> = {}
  const classes: Partial<Record<ValueClass, ClassFacts>> = {}
  for (const [, name, , , count, first] of rows) {
    if (name === 'null') continue
    const word = nullWords[Number(name)]
    if (word !== undefined) {
      words[word] = count
      continue
    }
    // The statement names no other classes.
    const valueClass = name as ValueClass
    const before = classes[valueClass] ?? { count: 0, first: [] }
    const joined = [...before.first, ...first].sort((a, b) => a - b)
    classes[valueClass] = { count: before.count + count, first: joined.slice(0, 3) }
  }
  const nulls = rows.find(([, name]) => name === 'null')?.[4] ?? 0
  return { records, nulls, nullWords: words, classes, digits: digitsOf(rows) }
}

function digitsOf(rows: readonly ProfileRow[]): ColumnFacts['digits'] {
  const wholes = rows.flatMap(([, , whole]) => whole ?? [])
  const scales = rows.flatMap(([, , , scale]) => scale ?? [])
  if (wholes.length === 0) return null
  return { wholeMax: Math.max(...wholes), scaleMin: Math.min(...scales), scaleMax: Math.max(...scales) }
}
