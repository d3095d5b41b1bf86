// ClickHouse SQL: names, types and the statements of a copy. Knows no connection.
import type { CopyOrder } from './sink.ts'

/** Which dataset a row came with, and when its copy was asked for: columns that `SELECT *` does not show. */
export const datasetColumn = '_csv_upload_dataset'
export const versionColumn = '_csv_upload_version'
const datasetType = 'LowCardinality(String)'
const versionType = 'UInt64'
/** What rows get that come otherwise. */
const noDataset = `${identifier(datasetColumn)} ${datasetType} MATERIALIZED ''`
const versionNow = `${identifier(versionColumn)} ${versionType} MATERIALIZED toUInt64(toUnixTimestamp64Milli(now64(3)))`

/** Between the name of a table and what makes the name of one that a copy fills unlike any other. */
const stageMark = '__csv_upload_'
/** The comment of a table that copies may use begins with it. */
const markStart = 'csv-upload '
/** One that has not changed for so long is of a process that has died. */
const stageStaleSeconds = 3 * 3_600

export interface TableColumn {
  readonly name: string
  readonly type: string
}

/** What a copy writes into the comment of a table that it makes. */
export interface TableMark {
  /** `*` for all. */
  readonly owner: string
  /** The dataset that the table was made with, and how. */
  readonly dataset: string
  readonly mode: CopyOrder['mode']
}

/** A table as it is. */
export interface FoundTable {
  readonly engine: string
  /** Null where no copy has made it, and nobody has said that copies may use it. */
  readonly mark: Partial<TableMark> | null
  readonly isPartitioned: boolean
  /** As the server writes it: names, separated by commas. */
  readonly sortingKey: string
  readonly columns: readonly FoundColumn[]
}

export interface FoundColumn extends TableColumn {
  /** `MATERIALIZED` and others that an `INSERT` does not fill; else empty. */
  readonly kind: string
  readonly isKey: boolean
}

/** Settings without which values might not arrive as they are, whatever the server or the user has. */
export const insertSettings = {
  // A null where none may be is an error, as is a column that a file lacks.
  input_format_null_as_default: '0',
  input_format_parquet_allow_missing_columns: '0',
  input_format_parquet_case_insensitive_column_matching: '0',
  // Of records with one key the last one counts.
  input_format_parquet_preserve_order: '1',
  max_threads: '1',
  max_insert_threads: '1',
  date_time_overflow_behavior: 'throw',
  // An answer means that the records are in; parts that are alike are all wanted.
  async_insert: '0',
  insert_deduplicate: '0',
} as const

/** `[engine of the database, 1 if days and moments have the years 1 to 9999]` */
export const serverSql = `SELECT engine, toString(toDate32(-719162)) = '0001-01-01'
  AND toString(fromUnixTimestamp64Micro(253402300799999999, 'UTC')) = '9999-12-31 23:59:59.999999'
  FROM system.databases WHERE name = currentDatabase()`

export function isStage(table: string): boolean {
  return table.includes(stageMark)
}

export function stageName(table: string, unique: string): string {
  return `${table}${stageMark}${unique}`
}

export function tableSql(table: string): string {
  return `SELECT engine, comment, partition_key, sorting_key FROM system.tables WHERE ${isTable('name', table)}`
}

export function columnsSql(table: string): string {
  return `SELECT name, type, default_kind, is_in_sorting_key FROM system.columns
    WHERE ${isTable('table', table)} ORDER BY position`
}

export function staleStagesSql(table: string): string {
  const since = `now() - ${stageStaleSeconds}`
  return `SELECT name FROM system.tables WHERE database = currentDatabase()
    AND startsWith(name, ${literal(table + stageMark)}) AND metadata_modification_time < ${since}
    AND startsWith(comment, ${literal(markStart)})
    AND name NOT IN (SELECT table FROM system.parts WHERE database = currentDatabase() AND modification_time > ${since})`
}

/** Gives how many records are in a table, and how many of them came with a dataset. */
export function countsSql(table: string, datasetId: string): string {
  return `SELECT count(), countIf(${identifier(datasetColumn)} = ${literal(datasetId)}) FROM ${identifier(table)}`
}

export function countSql(table: string): string {
  return `SELECT count() FROM ${identifier(table)}`
}

/** For records of one dataset, whose hidden columns say so. */
export function createSql(stage: string, order: CopyOrder, columns: readonly TableColumn[]): string {
  const shown = columns.map(({ name, type }) => `${identifier(name)} ${type}`)
  return `CREATE TABLE ${identifier(stage)} (${[...shown, ...markedColumns(order)].join(', ')})
    ENGINE = MergeTree ORDER BY ${keyOf(order)} COMMENT ${literal(markText(order))}`
}

/** The same columns and order as a table that is there. */
export function createLikeSql(stage: string, order: CopyOrder, { sortingKey }: FoundTable): readonly string[] {
  const engine = order.mode === 'upsert' ? ` ENGINE = MergeTree ORDER BY (${sortingKey})` : ''
  const changes = markedColumns(order).map((column) => `MODIFY COLUMN ${column}`)
  return [
    `CREATE TABLE ${identifier(stage)} AS ${identifier(order.table)}${engine}`,
    `ALTER TABLE ${identifier(stage)} ${changes.join(', ')}`,
  ]
}

/** Like a stage, without its records: of several rows with one key the newest counts. */
export function createUpsertSql(table: string, order: CopyOrder, columns: readonly TableColumn[]): string {
  const shown = columns.map(({ name, type }) => `${identifier(name)} ${type}`)
  return `CREATE TABLE ${identifier(table)} (${[...shown, noDataset, versionNow].join(', ')})
    ENGINE = ReplacingMergeTree(${identifier(versionColumn)}) ORDER BY ${keyOf(order)} COMMENT ${literal(markText(order))}`
}

export function insertSql(stage: string, columns: readonly TableColumn[]): string {
  return `INSERT INTO ${identifier(stage)} (${columns.map(({ name }) => identifier(name)).join(', ')}) FORMAT Parquet`
}

/** From now on rows that come otherwise are of no dataset. */
export function unmarkSql(stage: string): string {
  return `ALTER TABLE ${identifier(stage)} MODIFY COLUMN ${noDataset}`
}

export function renameSql(from: string, to: string): string {
  return `RENAME TABLE ${identifier(from)} TO ${identifier(to)}`
}

export function exchangeSql(one: string, other: string): string {
  return `EXCHANGE TABLES ${identifier(one)} AND ${identifier(other)}`
}

/** All rows at once: the tables have no partitions. */
export function moveSql(from: string, to: string): string {
  return `ALTER TABLE ${identifier(from)} MOVE PARTITION tuple() TO TABLE ${identifier(to)}`
}

export function dropSql(table: string): string {
  return `DROP TABLE IF EXISTS ${identifier(table)}`
}

/** Of a table that copies may use. */
export function markOf(comment: string): Partial<TableMark> | null {
  if (!comment.startsWith(markStart)) return null
  try {
    return JSON.parse(comment.slice(markStart.length)) as Partial<TableMark> // what it lacks is missed where it is used
  } catch {
    return null
  }
}

function markText({ owner, isSharedTable, datasetId, mode }: CopyOrder): string {
  const mark: TableMark = { owner: isSharedTable ? '*' : owner, dataset: datasetId, mode }
  return markStart + JSON.stringify(mark)
}

function markedColumns({ datasetId, mode, askedAt }: CopyOrder): readonly string[] {
  const dataset = `${identifier(datasetColumn)} ${datasetType} MATERIALIZED ${literal(datasetId)}`
  const version = `${identifier(versionColumn)} ${versionType} MATERIALIZED toUInt64(${askedAt})`
  return mode === 'upsert' ? [dataset, version] : [dataset]
}

function keyOf({ mode, key }: CopyOrder): string {
  return mode === 'upsert' ? `(${key.map(identifier).join(', ')})` : 'tuple()'
}

/** The columns of a new table. Those of a key have no nulls. */
export function tableColumns({ columns, mode, key }: CopyOrder): readonly TableColumn[] {
  return columns.map(({ name, type }) => {
    const plain = tableType(type)
    return { name, type: mode === 'upsert' && key.includes(name) ? plain : `Nullable(${plain})` }
  })
}

/** True if a column of a table takes every value of another type as it is. */
export function holds(found: string, type: string): boolean {
  const inner = found.replace(/^LowCardinality\((.*)\)$/, '$1').replace(/^Nullable\((.*)\)$/, '$1')
  const wanted = tableType(type)
  const [precision, scale] = decimalOf(wanted) ?? []
  const [foundPrecision, foundScale] = decimalOf(inner) ?? []
  if (precision === undefined || scale === undefined || foundPrecision === undefined || foundScale === undefined) {
    return inner === wanted
  }
  return foundScale >= scale && foundPrecision - foundScale >= precision - scale
}

function decimalOf(type: string): readonly [number, number] | null {
  const [, precision, scale] = /^Decimal\((\d+), ?(\d+)\)$/.exec(type) ?? []
  return precision === undefined ? null : [Number(precision), Number(scale)]
}

/** The type of ClickHouse that holds every value of a type of the receipt exactly, as the server writes it. */
export function tableType(type: string): string {
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? []
  if (precision !== undefined) return `Decimal(${precision}, ${scale})`
  const found = tableTypes[type]
  if (found === undefined) throw new Error(`Cannot find a type of ClickHouse for '${type}'`)
  return found
}

const moment = "DateTime64(6, 'UTC')"
const tableTypes: Readonly<Record<string, string>> = {
  integer: 'Int64',
  number: 'Float64',
  boolean: 'Bool',
  date: 'Date32',
  time: 'Time64(6)',
  // It has none without a zone: with UTC it shows what the file has.
  timestamp: moment,
  timestamptz: moment,
  text: 'String',
}

function isTable(column: string, table: string): string {
  return `database = currentDatabase() AND ${column} = ${literal(table)}`
}

function identifier(name: string): string {
  return `\`${escaped(name, '`')}\``
}

function literal(text: string): string {
  return `'${escaped(text, "'")}'`
}

function escaped(text: string, quote: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
}
