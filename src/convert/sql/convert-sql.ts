// Convert SQL: the statement that writes a segment as typed Parquet, or fails at the first value that does not fit.
import type { ValueClass } from '../../core/column-facts.ts'
import type { DeclaredValues } from '../../core/declared-values.ts'
import type { ColumnType } from '../../core/receipt.ts'
import type { Segment, TargetColumn } from '../convert.ts'
import { keepsChecks, readDeclared } from './declared-sql.ts'
import { readExactly, tryCast } from './lossless-sql.ts'
import { fieldName, identifier, literal, type ReadMode, recordsSql } from './segment-sql.ts'
import { isOneOf } from './value-class-sql.ts'

const misfit = 'misfit'

/** The complete message of DuckDB for `error('misfit')`; no other error can have it. */
export const misfitMessage = `Invalid Input Error: ${misfit}`

/**
 * Version 2 has texts as DELTA_LENGTH_BYTE_ARRAY, which Spark 3.5.0 to 3.5.6 reads wrongly (SPARK-52240), and no option
 * of DuckDB 1.5.6 excludes only that. Version 1 takes 6 % more space for texts, 26 % more for mixed columns. A row
 * group is in memory until it is full: half of the usual 122,880 rows took 40 MB less and no more time. Trying the
 * usual dictionary of up to a fifth of the rows took 3 % more time for columns that have none (10.5 million records,
 * 2026-11); its usual megabyte per column is too much for a thousand columns.
 */
export const parquetOptions = [
  'FORMAT parquet, PARQUET_VERSION v1, COMPRESSION snappy',
  'ROW_GROUP_SIZE 61440, DICTIONARY_SIZE_LIMIT 2000, STRING_DICTIONARY_PAGE_SIZE_LIMIT 65536, USE_TMP_FILE false',
].join(', ')

/**
 * Writes a segment. Returns one row with `count`, the number of records, and `column_statistics`, a map in column
 * order.
 */
export function convertSql(segment: Segment, columns: readonly TargetColumn[], toPath: string, mode: ReadMode): string {
  const casts = columns.flatMap(({ type, declared }, i) =>
    declared
      ? `, ${readDeclared(declared, type, fieldName(i)).value} AS t${i}`
      : type.kind === 'text' || type.kind === 'boolean'
        ? []
        : `, ${tryCast(type, fieldName(i))} AS t${i}`,
  )
  const values = columns.map((column, i) => `${value(column, i)} AS ${identifier(column.name)}`)
  const records = `SELECT *${casts.join('')} FROM ${recordsSql(segment, mode)}`
  return `COPY (SELECT ${values.join(', ')} FROM (${records})) TO ${literal(toPath)} (${parquetOptions}, RETURN_STATS true)`
}

function value({ type, nullWords, classes, declared }: TargetColumn, i: number): string {
  const text = fieldName(i)
  if (declared !== undefined) return declaredValue(declared, type, i)
  if (type.kind === 'text') return classes === undefined ? text : openText(classes, text)
  const whens = readExactly(type, text, `t${i}`).map((read) => `WHEN ${read.when} THEN ${read.value}`)
  // After the checks, which are null for a null: a column without nulls has no extra cost.
  const isNull = [`${text} IS NULL`, ...nullWords.map((word) => `${text} = ${literal(word)}`)]
  return `CASE ${whens.join(' ')} WHEN ${isNull.join(' OR ')} THEN NULL ELSE error(${literal(misfit)}) END`
}

/** A value that might prove another type is a misfit. */
function openText(classes: readonly ValueClass[], text: string): string {
  return `CASE WHEN ${text} IS NULL OR ${isOneOf(classes, text)} THEN ${text} ELSE error(${literal(misfit)}) END`
}

function declaredValue(declared: DeclaredValues, type: ColumnType, i: number): string {
  const { isMissing } = readDeclared(declared, type, fieldName(i))
  const raise = `error(${literal(misfit)})`
  const value = `WHEN ${keepsChecks(declared, type, `t${i}`)} THEN t${i}`
  return `CASE WHEN ${isMissing} THEN ${declared.isRequired ? raise : 'NULL'} ${value} ELSE ${raise} END`
}
