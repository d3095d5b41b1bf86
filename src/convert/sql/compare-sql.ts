// Compare SQL: the statement that compares the values of Parquet parts with the texts they were made from. Writes nothing.
import type { Segment, TargetColumn } from '../convert.ts'
import type { ComparedParts } from '../converter/converter-job.ts'
import { readDeclared, violatedSql } from './declared-sql.ts'
import { readExactly, tryCast } from './lossless-sql.ts'
import { partsSql } from './rows-sql.ts'
import { fieldName, identifier, literal, type ReadMode, recordsSql } from './segment-sql.ts'

/**
 * Compares the records of a segment with those of parts. Returns one row: the number of records compared, and the first
 * value that is not what its text says, null if there is none: its record, from 0, times the width, plus its column.
 *
 * Both tables of whole parts are read side by side: with a limit, DuckDB collects the records of the part first, which
 * takes 40 % more CPU time (128 MB, 2 cores, DuckDB 1.5.6, 2026-11).
 */
export function compareSql(
  segment: Segment,
  columns: readonly TargetColumn[],
  { paths, offset, isWhole }: ComparedParts,
  mode: ReadMode,
): string {
  const names = columns.map((_, i) => `t.${fieldName(i)}`).join(', ')
  const values = columns.map(({ name }, i) => `p.${identifier(name)} AS p${i}`).join(', ')
  const [texts, read] = [recordsSql(segment, mode), partsSql(paths)]
  const rows = isWhole
    ? `SELECT ${names}, ${values} FROM ${texts} t POSITIONAL JOIN ${read} p`
    : `SELECT ${names}, ${values} FROM (SELECT true AS kept, * FROM (${keepingRules(texts, columns)})) t
        POSITIONAL JOIN (FROM ${read} LIMIT ${segment.records} OFFSET ${offset}) p WHERE t.kept`
  const reads = columns.map(
    ({ type, declared }, i) => declared && `, ${readDeclared(declared, type, fieldName(i)).value} AS t${i}`,
  )
  const others = columns.map((column, i) => `WHEN (${sameSql(column, i)}) IS NOT TRUE THEN ${i}`).join(' ')
  return `SELECT count(*), min(record * ${columns.length} + other) FROM (
    SELECT row_number() OVER () - 1 AS record, CASE ${others} END AS other
    FROM (SELECT *${reads.join('')} FROM (${rows})))`
}

function keepingRules(texts: string, columns: readonly TargetColumn[]): string {
  const declared = columns.flatMap(({ type, declared: values }, i) => {
    if (values === undefined) return []
    const read = readDeclared(values, type, fieldName(i))
    return [
      { cast: `, ${read.value} AS t${i}`, rule: `(${violatedSql(values, type, { ...read, value: `t${i}` })}) IS NULL` },
    ]
  })
  if (declared.length === 0) return `FROM ${texts}`
  const casts = declared.map(({ cast }) => cast).join('')
  return `FROM (SELECT *${casts} FROM ${texts}) WHERE ${declared.map(({ rule }) => rule).join(' AND ')}`
}

/** SQL that is true for the value of the text, and false or null for others. */
function sameSql({ type, nullWords, declared }: TargetColumn, i: number): string {
  const [text, part] = [fieldName(i), `p${i}`]
  if (declared !== undefined) {
    const { isMissing } = readDeclared(declared, type, text)
    return `CASE WHEN ${isMissing} THEN ${part} IS NULL ELSE ${part} = t${i} END`
  }
  if (type.kind === 'text') return `${part} IS NOT DISTINCT FROM ${text}`
  const isNull = [`${text} IS NULL`, ...nullWords.map((word) => `${text} = ${literal(word)}`)].join(' OR ')
  const reads = readExactly(type, text, tryCast(type, text)).map(
    ({ when, value }) => `WHEN ${when} THEN ${part} = ${value}`,
  )
  // A value that is printed as its text is right, and printing costs less than reading the text exactly.
  const isPrinted = 'form' in type && type.form ? 'false' : `CAST(${part} AS VARCHAR) = ${text}`
  return `CASE WHEN ${isPrinted} THEN true WHEN ${part} IS NULL THEN ${isNull} ${reads.join(' ')} END`
}
