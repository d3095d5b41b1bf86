// Violations SQL: the statement that finds the records of a segment that break a stated rule. Writes no data.
import { violationTextMax } from '../core/stated-values.ts'
import type { Segment, TargetColumn } from './convert.ts'
import { fieldName, literal, type ReadMode, recordsSql } from './sql.ts'
import { readStated, violatedSql } from './stated-sql.ts'

/**
 * Writes a line of JSON, a `Violation`, for each record that breaks a rule, in order. Gives one row: how many these are.
 * Where every record is short and broken, the lines are 30 times as long as the records; compressed they are half as long.
 */
export function violationsSql(
  segment: Segment,
  columns: readonly TargetColumn[],
  toPath: string,
  mode: ReadMode,
): string {
  const stated = columns.flatMap(({ type, stated: values }, i) => {
    if (values === undefined) return []
    const read = readStated(values, type, fieldName(i))
    // The value is named, so that it is made once for all rules.
    return [{ i, read, rule: violatedSql(values, type, { ...read, value: `t${i}` }) }]
  })
  const values = stated.map(({ i, read }) => `${read.value} AS t${i}`)
  const rules = stated.map(({ i, rule }) => `${rule} AS v${i}`)
  const chosen = (of: (i: number) => string) => stated.map(({ i }) => `WHEN ${i} THEN ${of(i)}`).join(' ')
  const first = stated.map(({ i }) => `WHEN v${i} IS NOT NULL THEN ${i}`).join(' ')
  const records = `SELECT *, row_number() OVER () AS record, ${values.join(', ')} FROM ${recordsSql(segment, mode)}`
  const judged = `SELECT *, ${rules.join(', ')} FROM (${records})`
  const found = `SELECT *, CASE ${first} END AS field FROM (${judged})`
  const text = `coalesce(left(CASE field ${chosen(fieldName)} END, ${violationTextMax}), '')`
  const lines = `SELECT record, field AS "column", CASE field ${chosen((i) => `v${i}`)} END AS rule, ${text} AS value
    FROM (${found}) WHERE field IS NOT NULL`
  return `COPY (${lines}) TO ${literal(toPath)} (FORMAT json, COMPRESSION zstd, USE_TMP_FILE false)`
}
