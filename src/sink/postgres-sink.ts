// PostgreSQL sink: copies a dataset into a table in one transaction. The one file that knows the driver.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client, DatabaseError } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { ByteStream } from '../core/byte-stream.ts'
import type { CopyTarget } from '../core/copies/copy-status.ts'
import {
  type CopyStatements,
  copySql,
  type FoundColumn,
  isLedgerThereSql,
  keepsValues,
  ledgerName,
  ledgerSql,
  settings,
  tableColumns,
} from './postgres-sql.ts'
import { type CopyOrder, type CopySource, type Sink, SinkError } from './sink.ts'

const connectMsMax = 10_000
/** Columns that an error names at most. */
const problemsShown = 5

/** Anything that the URL lacks, such as a password, the driver finds where PostgreSQL's own programs do. */
export function createPostgresSink({ url, schema }: Pick<CopyTarget, 'url' | 'schema'>): Sink {
  return {
    async copy(order, source, signal) {
      if (order.table === ledgerName) throw new SinkError(`Table '${ledgerName}' is not for copies`, false)
      const client = new Client({
        connectionString: url,
        connectionTimeoutMillis: connectMsMax,
        keepAlive: true,
        application_name: 'csv-upload',
      })
      // A lost connection shows up in the statement that waits for it.
      client.on('error', () => {})
      const end = () => void client.end().catch(() => {})
      signal.addEventListener('abort', end)
      try {
        signal.throwIfAborted()
        await client.connect()
        await copyInto(client, schema, order, source, signal)
      } catch (error) {
        signal.throwIfAborted()
        throw error instanceof ReadFailure ? error.cause : sinkError(error)
      } finally {
        signal.removeEventListener('abort', end)
        // Uncommitted work is rolled back. A broken connection may never report its end.
        end()
      }
    },
  }
}

async function copyInto(
  client: Client,
  schema: string,
  order: CopyOrder,
  source: CopySource,
  signal: AbortSignal,
): Promise<void> {
  const run = async (...statements: readonly string[]) => {
    for (const statement of statements) await client.query(statement)
  }
  await run(...settings)
  if (!(await flag(client, isLedgerThereSql(schema)))) await run(...ledgerSql(schema))
  const sql = copySql(schema, order, `${order.table.slice(0, 40)}__${randomBytes(6).toString('hex')}`)
  await run('BEGIN')
  const isTableThere = await claim(client, order, sql)
  if (isTableThere && (await isCopied(client, order, sql))) {
    await run('ROLLBACK')
    return
  }
  if (isTableThere && order.mode !== 'replace') await checkAddition(client, order, sql)
  if (!isTableThere || order.mode === 'replace') await run(sql.forgetDatasets)
  if (!isTableThere && order.mode !== 'replace') await run(sql.createTable)
  if (sql.createStage !== null) await run(sql.createStage)
  const copied = await send(client, sql.copy, source, signal)
  if (copied !== order.records) {
    throw new SinkError(`The database took ${copied} of ${order.records} records`, false)
  }
  await run(...sql.finish, sql.remember, 'COMMIT')
}

/** True if the table exists. @throws {SinkError} if it is not for copies of this owner */
async function claim(client: Client, { table, owner }: CopyOrder, sql: CopyStatements): Promise<boolean> {
  const { rowCount: isNew } = await client.query(sql.claimTable)
  const { rows } = await client.query<{ readonly owner: string }>(sql.lockTable)
  const isTableThere = await flag(client, sql.isTableThere)
  const [row] = rows
  const isTheirs = row?.owner === '*' || row?.owner === owner
  if (isNew && isTableThere) throw new SinkError(`Table '${table}' was not made by a copy`, false)
  if (!isTheirs) throw new SinkError(`Table '${table}' was made by a copy of another owner`, false)
  return isTableThere
}

/** @throws {SinkError} if adding to the table would change values, or add records of a file a second time */
async function checkAddition(client: Client, { table, mode, columns }: CopyOrder, sql: CopyStatements): Promise<void> {
  const { rows: found } = await client.query<FoundColumn>(sql.foundColumns)
  const problems = tableColumns(columns).flatMap(({ name, type }, i) => {
    const column = found.find((one) => one.name === name)
    const receiptType = columns[i]?.type ?? ''
    // PostgreSQL reports a missing column itself.
    if (column === undefined || keepsValues(column, receiptType)) return []
    return `column '${name}' is ${column.shown}, expected ${type} for ${receiptType}`
  })
  if (problems.length > 0) {
    const shown = problems.slice(0, problemsShown).join('; ')
    const others = problems.length > problemsShown ? ` (and ${problems.length - problemsShown} more)` : ''
    const wayOut = 'values could change; alter the table, or copy into another one'
    throw new SinkError(`Cannot add records to table '${table}': ${shown}${others}; ${wayOut}`, false)
  }
  if (mode === 'upsert') return
  const { rows: same } = await client.query<LedgerRow>(sql.sameFile)
  if (same[0] === undefined) return
  const seen = `it has the records of dataset '${same[0].dataset_id}', which is read from the same file`
  const wayOut = `copy with 'replace' or 'upsert', or delete those rows and the dataset's row in '${ledgerName}'`
  throw new SinkError(`Cannot append to table '${table}': ${seen}; ${wayOut}`, false)
}

/** Replacing is repeated only while nothing else is in the table. */
async function isCopied(client: Client, { datasetId, mode }: CopyOrder, sql: CopyStatements): Promise<boolean> {
  const { rows } = await client.query<LedgerRow>(mode === 'replace' ? sql.datasets : sql.isDatasetThere)
  const [first] = rows
  if (mode === 'replace') return rows.length === 1 && first?.dataset_id === datasetId && first.mode === 'replace'
  return first !== undefined
}

interface LedgerRow {
  readonly dataset_id: string
  readonly mode: string
}

async function send(client: Client, statement: string, source: CopySource, signal: AbortSignal): Promise<number> {
  await using stream = await source().catch(cannotRead)
  const sink = client.query(copyFrom(statement))
  await pipeline(Readable.from(chunksOf(stream), { objectMode: false }), sink, { signal })
  return sink.rowCount ?? 0
}

/** The chunks of a stream; an error while reading becomes a `ReadFailure`. */
async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    cannotRead(error)
  }
}

/** The records could not be read: `cause` has the reason, which is not a failure of the database. */
class ReadFailure extends Error {}

function cannotRead(cause: unknown): never {
  throw new ReadFailure('cannot read', { cause })
}

async function flag(client: Client, statement: string): Promise<boolean> {
  const { rows } = await client.query<[boolean]>({ text: statement, rowMode: 'array' })
  return rows[0]?.[0] === true
}

/** The database's own message for errors that the person who requested the copy can correct. */
function sinkError(error: unknown): SinkError {
  if (error instanceof SinkError) return error
  if (!(error instanceof DatabaseError) || error.code === undefined) {
    return isLost(error) ? new SinkError('The database cannot be reached', true, error) : refused(error)
  }
  const group = error.code.slice(0, 2)
  if (transientGroups.has(group)) return new SinkError('The database is not available', true, error)
  // lock_not_available
  if (error.code === '55P03') return new SinkError('The table is in use by others', true, error)
  if (shownGroups.has(group)) {
    // Such as: COPY people, line 2, column born: "1815-13-01".
    const [where] = /^COPY .*/m.exec(error.where ?? '') ?? []
    const message = `The database refuses the copy: ${error.message}${where === undefined ? '' : ` (${where})`}`
    return new SinkError(message, false, error)
  }
  return refused(error)
}

/** Errors that only the operator can correct: passwords, certificates, database names. */
function refused(error: unknown): SinkError {
  return new SinkError('The database refuses the connection or the copy', false, error)
}

/** True for network errors, and for a connection that the driver has lost. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return /^(?:E[A-Z0-9]+|EAI_AGAIN)$/.test(code) || /^Connection terminated|^timeout expired/.test(error.message)
}

/** Lost connections, conflicts with others, lack of resources, and shutdowns. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const transientGroups: ReadonlySet<string> = new Set(['08', '40', '53', '57', '58'])
/** Values, constraints, names and privileges, what cannot be dropped. */
const shownGroups: ReadonlySet<string> = new Set(['0A', '21', '22', '23', '2B', '42', '54'])
