// Rows SQL: statements that read Parquet parts back, as JSON rows or as files. Knows no CSV.

import type { LinesTarget, RowMatch } from '../part-reader.ts'
import { identifier, literal, pathLiteral } from './sql-text.ts'

/** Records offset … offset+limit-1. */
export interface RecordWindow {
  readonly offset: number
  readonly limit: number
}

/** One part, and others in which the window should have the same records. */
export interface PartComparison extends RecordWindow {
  /** The part first. */
  readonly paths: readonly string[]
  readonly columns: readonly string[]
  /** These are all records of these parts. */
  readonly isWhole: boolean
}

/** A column of a part, as DESCRIBE names it. */
export interface PartColumn {
  readonly name: string
  readonly type: string
}

/** A range of records of one part, or all records of some. */
export interface PartWindow {
  readonly paths: readonly string[]
  readonly window: RecordWindow | null
  readonly columns: readonly PartColumn[]
  /** False if a column of the part has the name under which the reader returns record numbers. */
  readonly hasNumbers: boolean
}

/** The requested range of several parts. */
export interface MatchQuery extends RecordWindow {
  readonly paths: readonly string[]
  readonly columns: readonly PartColumn[]
  readonly match: RowMatch
}

/** The name under which the reader returns record numbers, in any case. */
export const numberName = 'file_row_number'

/** Returns a row for each of these columns, or for each column: its name and its type. */
export function describeSql(path: string, names: readonly string[] | null = null): string {
  const described = names === null ? '' : `SELECT ${names.map(identifier).join(', ')} `
  return `SELECT column_name, column_type FROM (DESCRIBE ${described}FROM ${partsSql([path])})`
}

/**
 * Records offset … offset+limit-1 of one part, each as the text of a JSON array. The rows are made here and not in
 * JavaScript because the binding drops a byte order mark at the start of a text.
 */
export function rowsSql(window: PartWindow): string {
  return windowSql(`json_array(${window.columns.map(jsonValue).join(', ')})`, window)
}

/** Records of all parts whose value in a column is this text, in order. */
export function matchingRowsSql({ paths, columns, match, offset, limit }: MatchQuery): string {
  return `SELECT json_array(${columns.map(jsonValue).join(', ')}) FROM ${partsSql(paths)}
    WHERE ${identifier(match.column)} = ${literal(match.value)} LIMIT ${limit} OFFSET ${offset}`
}

/** The same records as a file of lines: JSON objects whose members are in column order, or CSV. */
export function linesSql(window: PartWindow, { toPath, csvDelimiter, quotesTexts }: LinesTarget): string {
  if (csvDelimiter === null)
    return `COPY (${windowSql(jsonObject(window.columns), window)}) TO ${literal(toPath)} (${asIs})`
  // Readers skip an empty line, and some a line of blanks. Databases take one for a null, and quotes for a text.
  const isAlone = window.columns.length === 1 && !quotesTexts
  const texts = isAlone || quotesTexts ? window.columns.filter(({ type }) => type === 'VARCHAR') : []
  const quoted = texts.length === 0 ? '' : `, FORCE_QUOTE (${texts.map(({ name }) => identifier(name)).join(', ')})`
  const orEmpty = (value: string) => (isAlone ? `COALESCE(CAST(${value} AS VARCHAR), '')` : value)
  const values = window.columns.map((column) => `${orEmpty(csvValue(column))} AS ${identifier(column.name)}`).join(', ')
  const format = `FORMAT csv, HEADER false, DELIMITER ${literal(csvDelimiter)}${quoted}`
  return `COPY (${windowSql(values, window)}) TO ${literal(toPath)} (${format}, USE_TMP_FILE false)`
}

/**
 * Lines that are complete, as a file of CSV whose quotes are nothing. FORMAT json looks in each line for what CSV would
 * quote: 15 % of its CPU time (DuckDB 1.5.6, 2026-11).
 */
const asIs = "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', FORCE_QUOTE *, USE_TMP_FILE false"

function jsonObject(columns: readonly PartColumn[]): string {
  return `json_object(${columns.map((column) => `${literal(column.name)}, ${jsonValue(column)}`).join(', ')})`
}

/** Instants in UTC, in a format that every database reads. */
function csvValue({ name, type }: PartColumn): string {
  const column = identifier(name)
  return type === 'TIMESTAMP WITH TIME ZONE' ? `CAST(${column} AT TIME ZONE 'UTC' AS VARCHAR) || 'Z'` : column
}

function windowSql(values: string, { paths, window, hasNumbers }: PartWindow): string {
  if (window === null) return `SELECT ${values} FROM ${partsSql(paths)}`
  const { offset, limit } = window
  if (!hasNumbers) return `SELECT ${values} FROM ${partsSql(paths)} LIMIT ${limit} OFFSET ${offset}`
  // By the record number, the reader can skip row groups; OFFSET would read them. On one thread, they stay in order.
  return `SELECT ${values} FROM ${partsSql(paths, `${numberName} = true`)}
    WHERE ${numberName} >= ${offset} AND ${numberName} < ${offset + limit}`
}

/**
 * Returns the first value of a part that differs from that of other parts, null if there is none: its record, from 0,
 * times the number of columns, plus its column.
 *
 * Whole parts are read side by side: with a limit, DuckDB collects the other records first, which takes 40 % more CPU
 * time (128 MB, 2 cores, DuckDB 1.5.6, 2026-11).
 */
export function differenceSql({ columns, paths, offset, limit, isWhole }: PartComparison): string {
  const valuesOf = (table: string) => columns.map((name, i) => `${identifier(name)} AS ${table}${i}`).join(', ')
  const others = isWhole ? '' : ` LIMIT ${limit} OFFSET ${offset}`
  const whens = columns.map((_, i) => `WHEN a${i} IS DISTINCT FROM b${i} THEN ${i}`).join(' ')
  return `SELECT min(record * ${columns.length} + other) FROM (
    SELECT row_number() OVER () - 1 AS record, CASE ${whens} END AS other
    FROM (SELECT ${valuesOf('a')} FROM ${partsSql(paths.slice(0, 1))})
    POSITIONAL JOIN (SELECT ${valuesOf('b')} FROM ${partsSql(paths.slice(1))}${others}))`
}

/** The records of parts, in order, as a table. */
export function partsSql(paths: readonly string[], option = 'file_row_number = false'): string {
  return `read_parquet([${paths.map(pathLiteral).join(', ')}], hive_partitioning = false, ${option})`
}

/** Numbers that JSON readers may not keep exactly are written as text. */
function jsonValue({ name, type }: PartColumn): string {
  const column = identifier(name)
  if (type === 'BOOLEAN' || type === 'DOUBLE' || type === 'VARCHAR') return column
  if (type === 'BIGINT') {
    const isSafe = `${column} BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`
    return `CASE WHEN ${isSafe} THEN to_json(${column}) ELSE to_json(CAST(${column} AS VARCHAR)) END`
  }
  if (type === 'TIMESTAMP WITH TIME ZONE') {
    return `replace(CAST(${column} AT TIME ZONE 'UTC' AS VARCHAR), ' ', 'T') || 'Z'`
  }
  return `CAST(${column} AS VARCHAR)`
}
