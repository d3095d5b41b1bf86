// Violations SQL: the statement that finds the records of a segment that violate a declared rule. Writes no data.
import { violationTextMax } from '../../core/declared-values.ts'
import type { Segment, TargetColumn } from '../convert.ts'
import { readDeclared, violatedSql } from './declared-sql.ts'
import { fieldName, literal, type ReadMode, recordsSql } from './segment-sql.ts'

/** More rules than any column has. */
const rulesMax = 100

/**
 * Writes a line of JSON, a `Violation`, for each record that breaks a rule, in order. Returns one row: their number. If
 * every record is short and broken, the lines are 30 times as long as the records; compressed, they are half as long.
 */
export function violationsSql(
  segment: Segment,
  columns: readonly TargetColumn[],
  toPath: string,
  mode: ReadMode,
): string {
  const declared = columns.flatMap(({ type, declared: values }, i) => {
    if (values === undefined) return []
    const read = readDeclared(values, type, fieldName(i))
    // The value is named, so that it is computed once for all rules.
    return [{ i, read, rule: violatedSql(values, type, { ...read, value: `t${i}` }) }]
  })
  const values = declared.map(({ i, read }) => `${read.value} AS t${i}`)
  // Column and rule as one number, the least of which is the first; null if all are null.
  const rules = declared.map(({ i, rule }) => `${i * rulesMax} + (${rule})`)
  const fields = segment.layout.width
  const texts = Array.from({ length: fields }, (_, i) => fieldName(i)).join(', ')
  const records = `SELECT *, row_number() OVER () AS record, ${values.join(', ')} FROM ${recordsSql(segment, mode)}`
  const found = `SELECT *, least(${rules.join(', ')}) AS first FROM (${records})`
  // Texts are assembled only for records that break a rule.
  const text = `coalesce(left([${texts}][first // ${rulesMax} + 1], ${violationTextMax}), '')`
  const lines = `SELECT record, first // ${rulesMax} AS "column", first % ${rulesMax} AS rule, ${text} AS value
    FROM (${found}) WHERE first IS NOT NULL`
  return `COPY (${lines}) TO ${literal(toPath)} (FORMAT json, COMPRESSION zstd, USE_TMP_FILE false)`
}
