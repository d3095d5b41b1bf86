// Engine SQL: statements that let an engine read a dataset directly from a bucket. Sends nothing.
import type { Column } from '../core/receipt.ts'

export const engines = ['spark', 'clickhouse', 'trino', 'trino-iceberg', 'duckdb'] as const
export type Engine = (typeof engines)[number]

export interface EngineTable {
  /** Letters, digits and underscores. */
  readonly name: string
  readonly columns: readonly Pick<Column, 'name' | 'type'>[]
  /** Directory of the parts: `s3://bucket/…/data/`. */
  readonly url: string
  /** Names of the parts in it, in file order. */
  readonly files: readonly string[]
  /** URL of the bucket's server; empty for AWS. */
  readonly endpoint: string
}

/** The statement, with a line end. @throws {Error} if the engine does not support such columns */
export function engineSql(engine: Engine, table: EngineTable): string {
  return `${writers[engine](table)};\n`
}

const writers: Readonly<Record<Engine, (table: EngineTable) => string>> = {
  spark: ({ name, columns, url }) => {
    const list = columns.map((column) => `\`${column.name.replaceAll('`', '``')}\` ${typeIn(column.type, 'spark')}`)
    return `CREATE TABLE ${name} (\n  ${list.join(',\n  ')}\n) USING parquet LOCATION '${url.replace(/^s3:/, 's3a:')}'`
  },
  clickhouse: ({ name, columns, url, endpoint }) => {
    const list = columns.map(
      (column) => `\`${column.name.replace(/[\\`]/g, '\\$&')}\` Nullable(${typeIn(column.type, 'clickhouse')})`,
    )
    const address = `${httpUrl(url, endpoint)}*.parquet`
    return `CREATE TABLE ${name} (\n  ${list.join(',\n  ')}\n) ENGINE = S3('${address}', 'Parquet')`
  },
  trino: ({ name, columns, url }) => {
    checkNames(columns, notInHive)
    const list = columns.map((column) => `${quotedName(column.name)} ${typeIn(column.type, 'hive')}`)
    const at = `external_location = ${quotedText(url)}, format = 'PARQUET'`
    const hint = columns.some(({ type }) => type.startsWith('timestamp')) ? `-- ${hiveHint}\n` : ''
    return `${hint}CREATE TABLE ${name} (\n  ${list.join(',\n  ')}\n) WITH (${at})`
  },
  'trino-iceberg': ({ name, columns, url }) => {
    checkNames(columns, () => null)
    const list = columns.map((column) => `${quotedName(column.name)} ${typeIn(column.type, 'iceberg')}`)
    const adding = `ALTER TABLE ${name} EXECUTE add_files(location => ${quotedText(url)}, format => 'PARQUET')`
    return `CREATE TABLE ${name} (\n  ${list.join(',\n  ')}\n);\n${adding}`
  },
  duckdb: ({ name, url, files }) => {
    const list = files.map((file) => `  '${url}${file}'`)
    return `CREATE VIEW ${name} AS SELECT * FROM read_parquet([\n${list.join(',\n')}\n])`
  },
}

/**
 * Without the first setting, Trino refuses such a table; without the second, it shows times in another zone if its Java
 * process uses one.
 */
const hiveHint = 'For timestamps: hive.timestamp-precision=MICROSECONDS and hive.parquet.time-zone=UTC in the catalog.'

/** @param problemOf The problem with a name; null if there is none. */
function checkNames(columns: EngineTable['columns'], problemOf: (name: string) => string | null): void {
  const taken = new Map<string, string>()
  for (const { name } of columns) {
    const [shown, lower] = [JSON.stringify(name), name.toLowerCase()]
    const before = taken.get(lower)
    taken.set(lower, name)
    const problem = hiddenColumns.includes(lower)
      ? 'Trino has its own column of that name'
      : before === undefined
        ? problemOf(name)
        : `to Trino it is the same as ${JSON.stringify(before)}`
    if (problem !== null) throw new Error(`Cannot make a table with a column ${shown}: ${problem}`)
  }
}

/** Trino's Hive connector rejects such names. */
function notInHive(name: string): string | null {
  const problem = name.includes(',') ? 'has a comma' : /^ | $/.test(name) ? 'begins or ends with a space' : null
  return problem && `no name in Hive ${problem}; --as trino-iceberg accepts it`
}

/**
 * Trino's Hive and Iceberg connectors accept such columns, but then cannot read the table.
 * https://trino.io/docs/476/connector/hive.html#metadata-columns
 */
const hiddenColumns = ['$file_modified_time', '$file_size', '$partition', '$path']

type Dialect = 'spark' | 'clickhouse' | 'hive' | 'iceberg'

/**
 * What each engine calls our types; Iceberg as Hive unless it says otherwise. Spark 4.0 and Hive have no time of day:
 * they read the microseconds since midnight. ClickHouse has no timestamp without a zone: in UTC, it shows the values of
 * the file. Hive has no timestamps with a zone: instants are timestamps in UTC.
 */
const typeNames: Readonly<Record<string, { readonly [Name in Dialect]?: string }>> = {
  integer: { spark: 'BIGINT', clickhouse: 'Int64', hive: 'bigint' },
  number: { spark: 'DOUBLE', clickhouse: 'Float64', hive: 'double' },
  boolean: { spark: 'BOOLEAN', clickhouse: 'Bool', hive: 'boolean' },
  date: { spark: 'DATE', clickhouse: 'Date32', hive: 'date' },
  time: { spark: 'BIGINT', clickhouse: 'Time64(6)', hive: 'bigint', iceberg: 'time(6)' },
  timestamp: { spark: 'TIMESTAMP_NTZ', clickhouse: "DateTime64(6, 'UTC')", hive: 'timestamp(6)' },
  timestamptz: {
    spark: 'TIMESTAMP',
    clickhouse: "DateTime64(6, 'UTC')",
    hive: 'timestamp(6)',
    iceberg: 'timestamp(6) with time zone',
  },
  text: { spark: 'STRING', clickhouse: 'String', hive: 'varchar' },
}

function typeIn(type: string, dialect: Dialect): string {
  const isTrino = dialect === 'hive' || dialect === 'iceberg'
  if (type.startsWith('decimal(')) return isTrino ? type : type.replace('decimal', 'Decimal')
  const found = typeNames[type]?.[dialect] ?? typeNames[type]?.hive
  if (found === undefined) throw new Error(`Cannot name a type for '${type}'`)
  return found
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function httpUrl(url: string, endpoint: string): string {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(url) ?? []
  if (endpoint === '') return `https://${bucket}.s3.amazonaws.com/${path}`
  return `${endpoint.replace(/\/+$/, '')}/${bucket}/${path}`
}
