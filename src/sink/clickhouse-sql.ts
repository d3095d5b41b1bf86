// ClickHouse SQL: the names, types and statements of a copy. Knows no connection.
import type { CopyOrder } from './sink.ts'

/** The dataset of a row, and when its copy was requested: columns that `SELECT *` does not show. */
export const datasetColumn = '_csv_upload_dataset'
export const versionColumn = '_csv_upload_version'
const datasetType = 'LowCardinality(String)'
const versionType = 'UInt64'
/** Values for rows from other sources. */
const noDataset = `${identifier(datasetColumn)} ${datasetType} MATERIALIZED ''`
const versionNow = `${identifier(versionColumn)} ${versionType} MATERIALIZED toUInt64(toUnixTimestamp64Milli(now64(3)))`

/** Separates the name of a table from the suffix that makes the name of a stage unique. */
const stageMark = '__csv_upload_'
/** Prefix of the comment of a table that copies may use. */
const markStart = 'csv-upload '
/** A stage that has not changed for this long belongs to a process that has died. */
const stageStaleSeconds = 3 * 3_600

export interface TableColumn {
  readonly name: string
  readonly type: string
}

/** The comment that a copy writes when it creates a table. */
export interface TableMark {
  /** `*` for all. */
  readonly owner: string
  /** The dataset for which the table was created, and how. */
  readonly dataset: string
  readonly mode: CopyOrder['mode']
}

/** The current state of a table. */
export interface FoundTable {
  readonly engine: string
  /** Null if no copy has created it, and nobody has released it for copies. */
  readonly mark: Partial<TableMark> | null
  readonly isPartitioned: boolean
  /** As the server writes it: names, separated by commas. */
  readonly sortingKey: string
  readonly columns: readonly FoundColumn[]
}

export interface FoundColumn extends TableColumn {
  /** `MATERIALIZED` and other kinds that an `INSERT` does not fill; otherwise empty. */
  readonly kind: string
  readonly isKey: boolean
}

/** Without these settings, values might change on the way, depending on the settings of the server or the user. */
export const insertSettings = {
  // A null in a column without nulls is an error, as is a column missing from a file.
  input_format_null_as_default: '0',
  input_format_parquet_allow_missing_columns: '0',
  input_format_parquet_case_insensitive_column_matching: '0',
  // Of several records with the same key, the last one counts.
  input_format_parquet_preserve_order: '1',
  max_threads: '1',
  max_insert_threads: '1',
  date_time_overflow_behavior: 'throw',
  // A response means that the records are stored; identical parts are all kept.
  async_insert: '0',
  insert_deduplicate: '0',
} as const

/** `[engine of the database, 1 if dates and instants cover the years 1 to 9999]` */
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

/** Returns the number of records in a table, and how many of them came with a dataset. */
export function countsSql(table: string, datasetId: string): string {
  return `SELECT count(), countIf(${identifier(datasetColumn)} = ${literal(datasetId)}) FROM ${identifier(table)}`
}

export function countSql(table: string): string {
  return `SELECT count() FROM ${identifier(table)}`
}

/** For records of one dataset, as their hidden columns state. */
export function createSql(stage: string, order: CopyOrder, columns: readonly TableColumn[]): string {
  const shown = columns.map(({ name, type }) => `${identifier(name)} ${type}`)
  return `CREATE TABLE ${identifier(stage)} (${[...shown, ...markedColumns(order)].join(', ')})
    ENGINE = MergeTree ORDER BY ${keyOf(order)} COMMENT ${literal(markText(order))}`
}

/** With the columns and order of an existing table. */
export function createLikeSql(stage: string, order: CopyOrder, { sortingKey }: FoundTable): readonly string[] {
  const engine = order.mode === 'upsert' ? ` ENGINE = MergeTree ORDER BY (${sortingKey})` : ''
  const changes = markedColumns(order).map((column) => `MODIFY COLUMN ${column}`)
  return [
    `CREATE TABLE ${identifier(stage)} AS ${identifier(order.table)}${engine}`,
    `ALTER TABLE ${identifier(stage)} ${changes.join(', ')}`,
  ]
}

/** Like a stage, without its records: of several rows with one key, the newest counts. */
export function createUpsertSql(table: string, order: CopyOrder, columns: readonly TableColumn[]): string {
  const shown = columns.map(({ name, type }) => `${identifier(name)} ${type}`)
  return `CREATE TABLE ${identifier(table)} (${[...shown, noDataset, versionNow].join(', ')})
    ENGINE = ReplacingMergeTree(${identifier(versionColumn)}) ORDER BY ${keyOf(order)} COMMENT ${literal(markText(order))}`
}

export function insertSql(stage: string, columns: readonly TableColumn[]): string {
  return `INSERT INTO ${identifier(stage)} (${columns.map(({ name }) => identifier(name)).join(', ')}) FORMAT Parquet`
}

/** From now on, rows from other sources belong to no dataset. */
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

/** The mark of a table that copies may use; null for other tables. */
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

/** The columns of a new table. Key columns have no nulls. */
export function tableColumns({ columns, mode, key }: CopyOrder): readonly TableColumn[] {
  return columns.map(({ name, type }) => {
    const plain = tableType(type)
    return { name, type: mode === 'upsert' && key.includes(name) ? plain : `Nullable(${plain})` }
  })
}

/** True if a column of a table stores every value of another type unchanged. */
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

/** The ClickHouse type that stores every value of a receipt's type exactly, as the server writes it. */
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
  // ClickHouse has none without a zone: in UTC, it shows what the file contains.
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
