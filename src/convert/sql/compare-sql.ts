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
 * Both tables of a whole part are read side by side: with a limit, DuckDB collects the records of the part first, which
 * takes 40 % more CPU time (128 MB, 2 cores, DuckDB 1.5.6, 2026-11).
 */
export function compareSql(
  segment: Segment,
  columns: readonly TargetColumn[],
  { paths, offset, isWhole }: ComparedParts,
  mode: ReadMode,
): string {
  const sides = columns.map(comparison)
  const names = columns.map((_, i) => `t.${fieldName(i)}`).join(', ')
  const values = columns.map(({ name }, i) => `p.${identifier(name)} AS p${i}`).join(', ')
  const [texts, parts] = [recordsSql(segment, mode), partsSql(paths)]
  const rows = isWhole
    ? `SELECT ${names}, ${values} FROM ${texts} t POSITIONAL JOIN ${parts} p`
    : `SELECT ${names}, ${values} FROM (SELECT true AS kept, * FROM (${keepingRules(texts, columns)})) t
        POSITIONAL JOIN (FROM ${parts} LIMIT ${segment.records} OFFSET ${offset}) p WHERE t.kept`
  const reads = columns.map(
    ({ type, declared }, i) => declared && `, ${readDeclared(declared, type, fieldName(i)).value} AS t${i}`,
  )
  const isQuick = sides.map(({ quick }) => `(${quick})`).join(' AND ')
  const others = sides.map(({ same }, i) => `WHEN NOT coalesce(${same}, false) THEN ${i}`).join(' ')
  return `SELECT count(*), min(record * ${columns.length} + other) FROM (
    SELECT row_number() OVER () - 1 AS record, CASE WHEN ${isQuick} THEN NULL ${others} END AS other
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

interface Comparison {
  /** SQL that is true for the value of the text, and false or null for others. */
  readonly same: string
  /** SQL that is true only for such values, and costs less. */
  readonly quick: string
}

function comparison({ type, nullWords, declared }: TargetColumn, i: number): Comparison {
  const [text, part] = [fieldName(i), `p${i}`]
  if (declared !== undefined) {
    const { isMissing } = readDeclared(declared, type, text)
    const same = `CASE WHEN ${isMissing} THEN ${part} IS NULL ELSE ${part} = t${i} END`
    return { same, quick: same }
  }
  const isSame = `${part} IS NOT DISTINCT FROM ${text}`
  if (type.kind === 'text') return { same: isSame, quick: isSame }
  const value = tryCast(type, text)
  const whens = readExactly(type, text, value).map((read) => `WHEN ${read.when} THEN ${part} = ${read.value}`)
  const isNull = [`${text} IS NULL`, ...nullWords.map((word) => `${text} = ${literal(word)}`)].join(' OR ')
  const same = `CASE ${whens.join(' ')} WHEN ${isNull} THEN ${part} IS NULL END`
  if (type.kind === 'timestamptz' || ('form' in type && type.form !== undefined)) return { same, quick: same }
  if (type.kind !== 'number') return { same, quick: `CAST(${part} AS VARCHAR) IS NOT DISTINCT FROM ${text}` }
  // At most 15 digits, which every double keeps.
  const isShort = `strlen(${text}) <= 15 AND (abs(${part}) BETWEEN 1e-290 AND 1e290 OR ${text} = '0')`
  return { same, quick: `${part} IS NOT DISTINCT FROM ${value} AND coalesce(${isShort}, ${text} IS NULL)` }
}
