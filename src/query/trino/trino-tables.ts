// Trino tables: external tables of Trino's Hive connector over the parts of datasets, created on demand. Reads no rows.
import { createHash } from 'node:crypto'
import { hiveTypes, quotedName, quotedText, trinoType } from '../../core/engines/trino-sql.ts'
import type { EngineTable } from '../query.ts'
import { type TrinoClient, TrinoFailure } from './trino-client.ts'

export interface TrinoSchema {
  readonly catalog: string
  readonly schema: string
}

/**
 * Session properties of every statement. Columns are found by position: Hive knows neither capital letters nor every
 * name that a column of a CSV file may have.
 */
export function tableSession(catalog: string): Readonly<Record<string, string>> {
  return {
    [`${catalog}.parquet_use_column_names`]: 'false',
    [`${catalog}.timestamp_precision`]: 'MICROSECONDS',
  }
}

/** The table `data` in SQL, with the names and types of the receipt. */
export interface OpenTrinoTable {
  /** Without catalog and schema. */
  readonly name: string
  /** A query that returns it. */
  readonly sql: string
  /** Names, in double quotes. */
  readonly columns: readonly string[]
}

/** Number of tables that are remembered to exist. */
const knownMax = 1_000

export class TrinoTables {
  readonly #client: TrinoClient
  readonly #schema: TrinoSchema
  /** Names of tables that exist. */
  readonly #known = new Set<string>()

  constructor(client: TrinoClient, schema: TrinoSchema) {
    this.#client = client
    this.#schema = schema
  }

  /** Creates it if it does not exist. A repaired dataset is stored elsewhere, and gets another table. */
  async open(table: EngineTable, signal: AbortSignal): Promise<OpenTrinoTable> {
    const name = tableName(table)
    if (!this.#known.has(name)) {
      await this.create(name, table, signal)
      this.#known.add(name)
      const [oldest] = this.#known
      if (this.#known.size > knownMax && oldest !== undefined) this.#known.delete(oldest)
    }
    const columns = table.columns.map((column) => quotedName(column.name))
    return { name, columns, sql: selectSql(table.columns, this.qualified(name)) }
  }

  /** Someone else has dropped it. */
  isGone(name: string): void {
    this.#known.delete(name)
  }

  async create(
    name: string,
    { columns, url }: Pick<EngineTable, 'columns' | 'url'>,
    signal: AbortSignal,
  ): Promise<void> {
    const list = columns.map(({ type }, i) => `${columnName(i)} ${trinoType(type, hiveTypes)}`)
    const at = `external_location = ${quotedText(url)}, format = 'PARQUET'`
    const sql = `CREATE TABLE IF NOT EXISTS ${this.qualified(name)} (${list.join(', ')}) WITH (${at})`
    await this.#client.rows(sql, signal).catch((error: unknown) => {
      // Someone else was creating it.
      if (!(error instanceof TrinoFailure) || error.failure.name !== 'TABLE_ALREADY_EXISTS') throw error
    })
  }

  /** The parts stay: Trino deletes no files of an external table. */
  async drop(name: string, signal: AbortSignal): Promise<void> {
    this.#known.delete(name)
    await this.#client.rows(`DROP TABLE IF EXISTS ${this.qualified(name)}`, signal)
  }

  /** Drops what any process has created for a dataset. */
  async dropAll(id: string, signal: AbortSignal): Promise<void> {
    const { catalog, schema } = this.#schema
    const pattern = quotedText(`dataset\\_${id}\\_%`)
    const sql = `SHOW TABLES FROM ${quotedName(catalog)}.${quotedName(schema)} LIKE ${pattern} ESCAPE '\\'`
    for (const [name] of await this.#client.rows(sql, signal)) await this.drop(String(name), signal)
  }

  /**
   * True if, according to Trino, a statement reads this table and no other, and writes none.
   * @throws {TrinoFailure} if it cannot be run
   */
  async isOnlyRead(name: string, sql: string, signal: AbortSignal): Promise<boolean> {
    const [[text] = []] = await this.#client.rows(`EXPLAIN (TYPE IO, FORMAT JSON) ${sql}`, signal)
    const { inputTableColumnInfos: inputs, outputTable: output } = ioOf(text)
    const { catalog, schema } = this.#schema
    const own = JSON.stringify({ catalog, schemaTable: { schema, table: name } })
    return output === undefined && Array.isArray(inputs) && inputs.every((one) => JSON.stringify(one?.table) === own)
  }

  qualified(name: string): string {
    const { catalog, schema } = this.#schema
    return [catalog, schema, name].map(quotedName).join('.')
  }
}

function ioOf(text: unknown): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** True if Trino reports that there is no table of this name. */
export function isMissing(error: unknown, name: string): boolean {
  return error instanceof TrinoFailure && error.failure.name === 'TABLE_NOT_FOUND' && error.message.includes(name)
}

function tableName({ id, url }: EngineTable): string {
  return `dataset_${id}_${createHash('sha256').update(url).digest('hex').slice(0, 16)}`
}

function columnName(index: number): string {
  return `c${index + 1}`
}

/** Columns whose names differ only by case are included in `*`, but are ambiguous by name. */
function selectSql(columns: EngineTable['columns'], from: string): string {
  const list = columns.map(({ name, type }, i) => `${valueSql(columnName(i), type)} AS ${quotedName(name)}`)
  return `SELECT ${list.join(', ')} FROM ${from}`
}

/** Types that Hive lacks. The session is in UTC, so Trino can use a condition despite the cast of a timestamp. */
function valueSql(column: string, type: string): string {
  if (type === 'time') return `CAST(from_unixtime_nanos(${column} * 1000) AS time(6))`
  return type === 'timestamptz' ? `CAST(${column} AS timestamp(6) with time zone)` : column
}
