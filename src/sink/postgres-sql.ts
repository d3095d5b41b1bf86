// PostgreSQL SQL: the statements of a copy. Knows no connection.
import type { CopyOrder } from './sink.ts'

/**
 * What has been copied, in a table beside the copies: a row for each dataset in each table, and one without a dataset
 * for the table.
 */
export const ledgerName = 'csv_upload_copies'

/** A column of a dataset, with its name and type in a table. */
export interface TableColumn {
  readonly name: string
  readonly type: string
}

export type CopyStatements = ReturnType<typeof copySql>

/** The maximum length of a PostgreSQL name, in bytes. */
const nameBytesMax = 63
const lockTimeout = '30s'

export const settings = [
  `SET lock_timeout = '${lockTimeout}'`,
  "SET datestyle = 'ISO, YMD'",
  "SET timezone = 'UTC'",
  'SET standard_conforming_strings = on',
  'SET client_min_messages = warning',
]

/** Two at once would fail: one waits for the other. */
export function ledgerSql(schema: string): readonly string[] {
  return [
    'BEGIN',
    `SELECT pg_advisory_xact_lock(hashtextextended(${literal(ledgerName)}, 0))`,
    `CREATE TABLE IF NOT EXISTS ${qualified(schema, ledgerName)} (
      table_name text NOT NULL,
      dataset_id text NOT NULL,
      owner text NOT NULL,
      mode text,
      records bigint,
      copied_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (table_name, dataset_id)
    )`,
    `ALTER TABLE ${qualified(schema, ledgerName)} ADD COLUMN IF NOT EXISTS file_sha256 text`,
    'COMMIT',
  ]
}

/** Whether the table exists with every column that `ledgerSql` gives it. */
export function isLedgerThereSql(schema: string): string {
  const ledger = `to_regclass(${literal(qualified(schema, ledgerName))})`
  return `SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = ${ledger} AND attname = 'file_sha256')`
}

/** @param stage A name that nobody else uses. */
export function copySql(schema: string, order: CopyOrder, stage: string) {
  const { table, mode, key, datasetId, fileSha256, owner, isSharedTable, records } = order
  const columns = tableColumns(order.columns)
  const target = qualified(schema, table)
  const ledger = qualified(schema, ledgerName)
  const ofTable = `table_name = ${literal(table)}`
  const keyNames = key.map((one) =>
    identifier(columns[order.columns.findIndex(({ name }) => name === one)]?.name ?? one),
  )
  const primaryKey = mode === 'upsert' ? `, PRIMARY KEY (${keyNames.join(', ')})` : ''
  const staged = stagedSql({ schema, mode, table, stage, keyNames, columns })
  return {
    /** Adds the row for the table itself, unless it exists. Waits for another copy that is just adding it. */
    claimTable: `INSERT INTO ${ledger} (table_name, dataset_id, owner)
      VALUES (${literal(table)}, '', ${literal(isSharedTable ? '*' : owner)}) ON CONFLICT DO NOTHING`,
    /** Returns the owner, and locks out other copies of the table until the end of the transaction. */
    lockTable: `SELECT owner FROM ${ledger} WHERE ${ofTable} AND dataset_id = '' FOR UPDATE`,
    /** Returns at most two of the datasets in the table. */
    datasets: `SELECT dataset_id, mode FROM ${ledger} WHERE ${ofTable} AND dataset_id <> '' LIMIT 2`,
    isDatasetThere: `SELECT dataset_id, mode FROM ${ledger} WHERE ${ofTable} AND dataset_id = ${literal(datasetId)}`,
    /** Returns at most one dataset of the same owner in the table that is read from the same file. */
    sameFile: `SELECT dataset_id FROM ${ledger}
      WHERE ${ofTable} AND owner = ${literal(owner)} AND file_sha256 = ${literal(fileSha256)} LIMIT 1`,
    isTableThere: `SELECT to_regclass(${literal(target)}) IS NOT NULL`,
    /** Returns a `FoundColumn` for each column of the table. */
    foundColumns: foundColumnsSql(literal(target)),
    forgetDatasets: `DELETE FROM ${ledger} WHERE ${ofTable} AND dataset_id <> ''`,
    remember: `INSERT INTO ${ledger} (table_name, dataset_id, owner, mode, file_sha256, records)
      VALUES (${[table, datasetId, owner, mode, fileSha256].map(literal).join(', ')}, ${records})`,
    createTable: `CREATE TABLE ${target} (${definitionOf(columns)}${primaryKey})`,
    /** The table that the records go into first; null if they go directly into the target. */
    createStage: staged.create,
    copy: `COPY ${staged.into} (${namesOf(columns)}) FROM STDIN WITH (FORMAT csv, ENCODING 'UTF8')`,
    /** Moves them into the target. */
    finish: staged.finish,
  }
}

interface StagingTable extends Pick<CopyOrder, 'mode' | 'table'> {
  readonly schema: string
  readonly stage: string
  readonly keyNames: readonly string[]
  readonly columns: readonly TableColumn[]
}

/** Where the records go first, and how they get into the target from there. */
function stagedSql({ schema, mode, table, stage, keyNames, columns }: StagingTable) {
  const target = qualified(schema, table)
  const names = namesOf(columns)
  if (mode === 'append') return { create: null, into: target, finish: [] }
  if (mode === 'replace') {
    const fresh = qualified(schema, stage)
    const finish = [`DROP TABLE IF EXISTS ${target}`, `ALTER TABLE ${fresh} RENAME TO ${identifier(table)}`]
    return { create: `CREATE TABLE ${fresh} (${definitionOf(columns)})`, into: fresh, finish }
  }
  const temporary = identifier(stage)
  // The column that shows which of several records with the same key came last.
  const place = identifier(unusedName('place', new Set(columns.map(({ name }) => name))))
  const changed = columns.map(({ name }) => identifier(name)).filter((name) => !keyNames.includes(name))
  const update = changed.map((name) => `${name} = EXCLUDED.${name}`).join(', ')
  const keys = keyNames.join(', ')
  // A unique index of the target takes nulls for different keys, and DISTINCT ON for equal ones: records would be lost.
  const notNull = keyNames.map((name) => `ALTER COLUMN ${name} SET NOT NULL`).join(', ')
  return {
    create: `CREATE TEMPORARY TABLE ${temporary} ON COMMIT DROP AS SELECT ${names} FROM ${target} WITH NO DATA;
      ALTER TABLE ${temporary} ADD COLUMN ${place} bigserial, ${notNull}`,
    into: temporary,
    finish: [
      `INSERT INTO ${target} (${names})
        SELECT ${names} FROM (SELECT DISTINCT ON (${keys}) * FROM ${temporary} ORDER BY ${keys}, ${place} DESC) AS latest
        ON CONFLICT (${keys}) DO ${update === '' ? 'NOTHING' : `UPDATE SET ${update}`}`,
    ],
  }
}

function namesOf(columns: readonly TableColumn[]): string {
  return columns.map(({ name }) => identifier(name)).join(', ')
}

function definitionOf(columns: readonly TableColumn[]): string {
  return columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ')
}

/** The columns of a table for those of a dataset: names that are too long are cut, and stay distinct. */
export function tableColumns(columns: CopyOrder['columns']): readonly TableColumn[] {
  const used = new Set(columns.map(({ name }) => name).filter((name) => Buffer.byteLength(name) <= nameBytesMax))
  return columns.map(({ name, type }) => {
    if (Buffer.byteLength(name) <= nameBytesMax) return { name, type: tableType(type) }
    const cut = unusedName(name, used)
    used.add(cut)
    return { name: cut, type: tableType(type) }
  })
}

function unusedName(name: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `_${number}`
    const found = startOf(name, nameBytesMax - end.length) + end
    if (!used.has(found)) return found
  }
}

/** Whole characters of at most this many bytes. */
function startOf(text: string, bytesMax: number): string {
  let bytes = 0
  let start = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > bytesMax) return start
    start += character
  }
  return start
}

function tableType(type: string): string {
  if (type.startsWith('decimal(')) return type.replace('decimal', 'numeric')
  const found = tableTypes[type]
  if (found === undefined) throw new Error(`Cannot find a type of PostgreSQL for '${type}'`)
  return found
}

const tableTypes: Readonly<Record<string, string>> = {
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  text: 'text',
}

function qualified(schema: string, name: string): string {
  return `${identifier(schema)}.${identifier(name)}`
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A column of a table in the database. */
export interface FoundColumn {
  readonly name: string
  /** As PostgreSQL shows it: `numeric(9,2)`. */
  readonly shown: string
  /** The type below all domains: its name if it is one of PostgreSQL's own, `enum`, or empty. */
  readonly type: string
  /** Its modifier, such as a length; −1 for none. https://www.postgresql.org/docs/current/catalog-pg-attribute.html */
  readonly modifier: number
}

/** Returns a `FoundColumn` for each column. A domain may be over a domain; the modifier is that of the last one. */
export function foundColumnsSql(tableLiteral: string): string {
  return `WITH RECURSIVE found AS (
      SELECT attname, atttypid AS type, atttypmod AS modifier, format_type(atttypid, atttypmod) AS shown
      FROM pg_attribute WHERE attrelid = to_regclass(${tableLiteral}) AND attnum > 0 AND NOT attisdropped
      UNION ALL
      SELECT attname, typbasetype, typtypmod, shown FROM found JOIN pg_type ON oid = type WHERE typtype = 'd'
    )
    SELECT attname AS name, shown, modifier, CASE WHEN typtype = 'e' THEN 'enum'
      WHEN typnamespace = 'pg_catalog'::regnamespace THEN typname ELSE '' END AS type
    FROM found JOIN pg_type ON oid = found.type WHERE typtype <> 'd'`
}

const wholes = ['int2', 'int4', 'int8', 'numeric', 'text', 'varchar']

/**
 * Types that store a value unchanged, or refuse it. Not among them is what changes some values without an error: `char`
 * pads, `money` and floats round, `boolean` reads 1 as true, `uuid` and `jsonb` write another text.
 */
const keptBy: Readonly<Record<string, readonly string[]>> = {
  integer: wholes,
  decimal: ['numeric', 'text', 'varchar'],
  number: ['float8', 'numeric', 'text', 'varchar'],
  boolean: ['bool', 'text', 'varchar'],
  date: ['date', 'timestamp', 'text', 'varchar'],
  time: ['time', 'text', 'varchar'],
  timestamp: ['timestamp', 'text', 'varchar'],
  timestamptz: ['timestamptz', 'text', 'varchar'],
  text: ['text', 'varchar', 'json', 'enum'],
}

const secondDigits = 6

/** Whether a column stores each value of a receipt's type unchanged, or refuses it with an error. */
export function keepsValues({ type, modifier }: Pick<FoundColumn, 'type' | 'modifier'>, receiptType: string): boolean {
  const [kind = '', , scaleText = '0'] = receiptType.split(/[(,)]/)
  const scale = Number(scaleText)
  const kept = kind === 'decimal' && scale === 0 ? wholes : keptBy[kind]
  if (!kept?.includes(type)) return false
  if (modifier < 0) return true
  if (type === 'numeric') return kind !== 'number' && scaleOf(modifier) >= scale
  // Spaces beyond its length are cut without an error; only texts end with spaces.
  if (type === 'varchar') return kind !== 'text'
  return kind === 'date' || !type.startsWith('time') || modifier >= secondDigits
}

/** The scale is signed, in the last 11 bits. https://github.com/postgres/postgres/blob/REL_18_0/src/backend/utils/adt/numeric.c#L916 */
function scaleOf(modifier: number): number {
  return (((modifier - 4) & 0x7ff) ^ 1_024) - 1_024
}
