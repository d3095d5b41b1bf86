// ClickHouse sink: copies a dataset into a hidden table, and then puts it in place with one statement.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClickHouseAddress, type ClickHouseClient, ClickHouseError, openClickHouse } from './clickhouse-client.ts'
import { isLostError, sinkError } from './clickhouse-errors.ts'
import * as sql from './clickhouse-sql.ts'
import { type CopyOrder, type CopySource, ReadFailure, type Sink, SinkError, type SourcePart } from './sink.ts'

export interface ClickHouseOptions extends ClickHouseAddress {
  /** Wait before a part whose response was lost is sent again. Milliseconds. */
  readonly resendMs?: readonly number[]
}

const resendMsByDefault = [500, 4_000]
const cleanMsMax = 10_000
/** The server's code for a name that exists. */
const tableExists = 57

export function createClickHouseSink(options: ClickHouseOptions): Sink {
  return {
    async copy(order, source, signal) {
      if (sql.isStage(order.table)) throw new SinkError(`Table '${order.table}' is not for copies`, false)
      try {
        const client = await openClickHouse(options)
        await new Copy(client, order, source, signal, options.resendMs ?? resendMsByDefault).run()
      } catch (error) {
        signal.throwIfAborted()
        throw error instanceof ReadFailure ? error.cause : sinkError(error)
      }
    },
  }
}

/** One try. */
class Copy {
  readonly #client: ClickHouseClient
  readonly #order: CopyOrder
  readonly #source: CopySource
  readonly #signal: AbortSignal
  readonly #resendMs: readonly number[]
  /** The table that the records go into first. */
  readonly #stage: string
  /**
   * The same table with all records in it. All processes use this one name, so that the records are in the table only
   * once.
   */
  readonly #sealed: string

  constructor(
    client: ClickHouseClient,
    order: CopyOrder,
    source: CopySource,
    signal: AbortSignal,
    resendMs: readonly number[],
  ) {
    this.#client = client
    this.#order = order
    this.#source = source
    this.#signal = signal
    this.#resendMs = resendMs
    this.#stage = sql.stageName(order.table, randomBytes(6).toString('hex'))
    this.#sealed = sql.stageName(order.table, order.datasetId)
  }

  async run(): Promise<void> {
    const { table, mode, records } = this.#order
    const [[engine, isWide] = []] = await this.#rows(sql.serverSql)
    if (!/^(?:Atomic|Replicated|Shared)$/.test(engine ?? '')) {
      throw new SinkError(`The database has the engine ${engine ?? 'of none'}: copies need Atomic`, false)
    }
    const found = await this.#find(table)
    if (found !== null) this.#refuseOthers(found)
    const columns = sql.tableColumns(this.#order)
    this.#refuseNames()
    if (found !== null && mode !== 'replace') this.#refuseMisfits(found)
    if (found !== null && (await this.#isCopied(found))) return
    if (found !== null && mode !== 'replace' && records === 0) return
    if (isWide !== '1' && isWide !== 'true') await this.#refuseYears()
    await this.#dropStale()
    try {
      if (found === null) await this.#makeTable(columns)
      else if (mode === 'replace') await this.#replace(columns)
      else if (mode === 'append') await this.#append(columns, found)
      else await this.#upsert(columns, found)
    } finally {
      await this.#dropStage()
    }
  }

  async #find(table: string): Promise<sql.FoundTable | null> {
    const [row] = await this.#rows(sql.tableSql(table))
    if (row === undefined) return null
    const columns = await this.#rows(sql.columnsSql(table))
    const [engine, comment, partitionKey, sortingKey] = row
    return {
      engine: engine ?? '',
      mark: sql.markOf(comment ?? ''),
      isPartitioned: partitionKey !== '',
      sortingKey: sortingKey ?? '',
      columns: columns.map(([name, type, kind, isKey]) => {
        return { name: name ?? '', type: type ?? '', kind: kind ?? '', isKey: isKey === '1' }
      }),
    }
  }

  #refuseOthers({ mark }: sql.FoundTable): void {
    const { table, owner } = this.#order
    if (mark === null) throw new SinkError(`Table '${table}' was not made by a copy`, false)
    if (mark.owner !== '*' && mark.owner !== owner) {
      throw new SinkError(`Table '${table}' was made by a copy of another owner`, false)
    }
  }

  #refuseNames(): void {
    const reserved = this.#order.columns.find(({ name }) => name === sql.datasetColumn || name === sql.versionColumn)
    if (reserved !== undefined) throw new SinkError(`A column cannot be called '${reserved.name}'`, false)
  }

  /** Rows are moved into a table as a whole, so it must have the same structure. */
  #refuseMisfits({ engine, isPartitioned, columns }: sql.FoundTable): void {
    const { table, mode, key, columns: wanted } = this.#order
    const refuse = (why: string) => {
      throw new SinkError(`Table '${table}' ${why}`, false)
    }
    const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name)
    const engines =
      mode === 'upsert' ? /^(?:Shared|Replicated)?ReplacingMergeTree$/ : /^(?:Shared|Replicated)?MergeTree$/
    if (!engines.test(engine) || (mode === 'upsert' && !isSameSet(keys, key))) {
      const how = mode === 'upsert' ? `upserting by ${key.join(', ')}` : 'appending'
      refuse(`is not for ${how}: it is a ${engine}${keys.length === 0 ? '' : ` ordered by ${keys.join(', ')}`}`)
    }
    if (isPartitioned) refuse('has partitions: copies need one that has none')
    const hidden = mode === 'upsert' ? [sql.datasetColumn, sql.versionColumn] : [sql.datasetColumn]
    for (const name of hidden) {
      const isThere = columns.some((one) => one.name === name && one.kind === 'MATERIALIZED')
      if (!isThere) refuse(`has no materialized column ${name}, which copies need`)
    }
    for (const { name, type } of wanted) {
      const column = columns.find((one) => one.name === name)
      if (column === undefined) refuse(`has no column '${name}'`)
      else if (column.kind === 'MATERIALIZED' || column.kind === 'ALIAS') refuse(`computes its column '${name}' itself`)
      else if (!sql.holds(column.type, type)) {
        refuse(`has a column '${name}' of ${column.type}: ${type} needs ${sql.tableType(type)}`)
      }
    }
  }

  /** Replacing is repeated only while nothing else is in the table. An upsert can be repeated with the same outcome. */
  async #isCopied({ mark, columns }: sql.FoundTable): Promise<boolean> {
    const { table, mode, datasetId, records } = this.#order
    if (mode === 'upsert') return false
    if (mode === 'append') return await this.#isAppended()
    if (mark?.dataset !== datasetId || mark.mode !== 'replace') return false
    if (!columns.some(({ name }) => name === sql.datasetColumn)) return false
    const [[all, ofDataset] = []] = await this.#rows(sql.countsSql(table, datasetId))
    return Number(all) === records && Number(ofDataset) === records
  }

  async #isAppended(): Promise<boolean> {
    const { table, datasetId, records } = this.#order
    const [[, ofDataset] = []] = await this.#rows(sql.countsSql(table, datasetId))
    const count = Number(ofDataset)
    if (count === 0) return false
    if (count === records) return true
    const remedy = `delete those where ${sql.datasetColumn} = '${datasetId}', and copy again`
    throw new SinkError(`Table '${table}' has ${count} of the dataset's ${records} records: ${remedy}`, false)
  }

  /** Older servers support only the years 1900 to 2299, and change others silently. */
  async #refuseYears(): Promise<void> {
    const names = this.#order.columns.filter(({ type }) => /^(?:date|timestamp)/.test(type)).map(({ name }) => name)
    if (names.length === 0 || this.#order.records === 0) return
    for (const [i, extremes] of (await this.#source.extremes(names)).entries()) {
      const outside = [extremes?.min, extremes?.max].find((one) => one !== undefined && (one < '1900' || one >= '2300'))
      if (outside !== undefined) {
        const why = 'this ClickHouse holds the years 1900 to 2299'
        throw new SinkError(`Column '${names[i]}' has ${outside}: ${why}`, false)
      }
    }
  }

  async #makeTable(columns: readonly sql.TableColumn[]): Promise<void> {
    const { table, mode } = this.#order
    await this.#run(sql.createSql(this.#stage, this.#order, columns))
    await this.#fill(columns)
    if (mode !== 'upsert') {
      await this.#run(sql.unmarkSql(this.#stage), sql.renameSql(this.#stage, table))
      return
    }
    const fresh = sql.stageName(table, randomBytes(6).toString('hex'))
    try {
      await this.#run(sql.createUpsertSql(fresh, this.#order, columns), sql.moveSql(this.#stage, fresh))
      await this.#run(sql.renameSql(fresh, table))
    } finally {
      await this.#drop(fresh)
    }
  }

  async #replace(columns: readonly sql.TableColumn[]): Promise<void> {
    const { table } = this.#order
    await this.#run(sql.createSql(this.#stage, this.#order, columns))
    await this.#fill(columns)
    await this.#run(sql.unmarkSql(this.#stage), sql.exchangeSql(this.#stage, table))
    // The replaced rows may have arrived only now, from someone else.
    const replaced = await this.#find(this.#stage)
    try {
      if (replaced !== null) this.#refuseOthers(replaced)
    } catch (error) {
      await this.#run(sql.exchangeSql(this.#stage, table))
      throw error
    }
  }

  /** Whichever process fills a stage first renames it; all of them move that one, and moving it again moves nothing. */
  async #append(columns: readonly sql.TableColumn[], found: sql.FoundTable): Promise<void> {
    const { table } = this.#order
    try {
      if ((await this.#find(this.#sealed)) === null) {
        await this.#run(...sql.createLikeSql(this.#stage, this.#order, found))
        await this.#fill(columns)
        await this.#run(sql.renameSql(this.#stage, this.#sealed)).catch((error: unknown) => {
          if (!isCode(error, tableExists)) throw error
        })
      }
      if (!(await this.#isAppended())) await this.#run(sql.moveSql(this.#sealed, table))
      if (!(await this.#isAppended())) throw new SinkError('The database has not kept the records', true)
    } catch (error) {
      // Without it, the next try fills another one; with it, the next try continues here.
      if (!this.#signal.aborted && !sinkError(error).isTransient) await this.#drop(this.#sealed)
      throw error
    }
    await this.#drop(this.#sealed)
  }

  async #upsert(columns: readonly sql.TableColumn[], found: sql.FoundTable): Promise<void> {
    await this.#run(...sql.createLikeSql(this.#stage, this.#order, found))
    await this.#fill(columns)
    await this.#run(sql.moveSql(this.#stage, this.#order.table))
  }

  /** Ensures that all records are there, or fails. */
  async #fill(columns: readonly sql.TableColumn[]): Promise<void> {
    const filled = this.#order.columns
    const into = sql.insertSql(
      this.#stage,
      columns.filter(({ name }) => filled.some((one) => one.name === name)),
    )
    let count = 0
    for (const part of this.#source.parts) {
      if (part.records > 0) await this.#send(into, part, count)
      count += part.records
    }
    const taken = await this.#count()
    if (taken !== this.#order.records) {
      throw new SinkError(`The database took ${taken} of ${this.#order.records} records`, false)
    }
  }

  /** Sends a part again if the response was lost, unless its records are there. */
  async #send(into: string, part: SourcePart, before: number): Promise<void> {
    const settings = this.#order.columns.some(({ type }) => type === 'time')
      ? { ...sql.insertSettings, enable_time_time64_type: '1' }
      : sql.insertSettings
    for (const waitMs of [...this.#resendMs, null]) {
      try {
        await this.#client.insert(into, part, settings, this.#signal)
        return
      } catch (error) {
        if (waitMs === null || !isLostError(error)) throw error
        await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal: this.#signal })
        const count = await this.#count()
        if (count === before + part.records) return
        if (count !== before) throw error
      }
    }
  }

  async #count(): Promise<number> {
    const [[count] = []] = await this.#rows(sql.countSql(this.#stage))
    return Number(count)
  }

  /** Tables left by processes that died. */
  async #dropStale(): Promise<void> {
    for (const [name] of await this.#rows(sql.staleStagesSql(this.#order.table))) {
      if (name !== null && name !== undefined) await this.#drop(name)
    }
  }

  /** After an exchange, this is the replaced table; rows may have arrived in it only then, from someone else. */
  async #dropStage(): Promise<void> {
    const find = () => this.#client.rows(sql.tableSql(this.#stage), AbortSignal.timeout(cleanMsMax))
    const [[, comment] = []] = await find().catch(() => [])
    if (sql.markOf(comment ?? '') !== null) await this.#drop(this.#stage)
  }

  /** Also if the copy is stopped. What cannot be dropped is dropped by a later copy. */
  async #drop(table: string): Promise<void> {
    const settings = { max_table_size_to_drop: '0' }
    await this.#client.run(sql.dropSql(table), AbortSignal.timeout(cleanMsMax), settings).catch(() => {})
  }

  async #run(...statements: readonly string[]): Promise<void> {
    const time = this.#order.columns.some(({ type }) => type === 'time')
    const settings = time ? { enable_time_time64_type: '1' } : {}
    for (const statement of statements) await this.#client.run(statement, this.#signal, settings)
  }

  #rows(query: string) {
    return this.#client.rows(query, this.#signal)
  }
}

function isCode(error: unknown, code: number): boolean {
  return error instanceof ClickHouseError && error.code === code
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}
