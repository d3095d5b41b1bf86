// Fake ClickHouse: an HTTP server that executes the statements of a copy like the real one, and fails when a test wants
// it to. It reads no Parquet: unless a test says otherwise, each byte of a part is a record.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { datasetColumn, versionColumn } from './clickhouse-sql.ts'

export interface FakeTable {
  engine: string
  comment: string
  partitionKey: string
  keys: readonly string[]
  /** Name, type and kind. */
  columns: readonly (readonly [string, string, string])[]
  /** Default values of the hidden columns. */
  marks: { dataset: string; version: number }
  /** The dataset and version of each row. */
  rows: readonly { readonly dataset: string; readonly version: number }[]
  isStale: boolean
}

export type Fault =
  /** The connection is cut before the statement is done, or after it. */
  | { readonly kind: 'lost'; readonly isDone: boolean }
  /** Nothing is answered. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'answer'; readonly status: number; readonly headers?: object; readonly text: string }

export interface Asked {
  readonly statement: string
  readonly parameters: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

const q = '`((?:[^`\\\\]|\\\\.)*)`'
const pattern = (text: string) => new RegExp(text.replaceAll('@', q), 's')

export class FakeClickHouse implements AsyncDisposable {
  readonly tables = new Map<string, FakeTable>()
  readonly asked: Asked[] = []
  databaseEngine = 'Atomic'
  isWide = true
  /** The number of records in the body of an `INSERT`. */
  recordsOf: (body: Uint8Array) => number = (body) => body.length
  /** Called for each statement, in order of arrival. */
  fault: (statement: string, asked: number) => Fault | null = () => null
  /** Called whenever a statement has been done. */
  onDone: (statement: string) => void = () => {}
  readonly #server: Server
  readonly #isEncrypted: boolean

  private constructor(create: (listener: RequestListener) => Server, isEncrypted: boolean) {
    this.#server = create((request, response) => void this.#answer(request, response).catch(() => response.destroy()))
    this.#isEncrypted = isEncrypted
  }

  static async start(create: (listener: RequestListener) => Server = createServer, isEncrypted = false) {
    const fake = new FakeClickHouse(create, isEncrypted)
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve))
    return fake
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo // it listens on a port
    return `clickhouse${this.#isEncrypted ? 's' : ''}://loader@127.0.0.1:${port}/sales`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams: parameters } = new URL(request.url ?? '', 'http://fake')
    const inAddress = parameters.get('query')
    const chunks: Buffer[] = []
    if (inAddress === null) for await (const chunk of request) chunks.push(chunk)
    const statement = inAddress ?? Buffer.concat(chunks).toString()
    this.asked.push({ statement, parameters, headers: request.headers })
    const fault = this.fault(statement, this.asked.length)
    if (fault?.kind === 'silent') return
    if (fault?.kind === 'answer') {
      response.writeHead(fault.status, { ...fault.headers }).end(fault.text)
      return
    }
    if (fault !== null && !fault.isDone) {
      request.socket.destroy()
      return
    }
    if (inAddress !== null) for await (const chunk of request) chunks.push(chunk)
    const outcome = this.#run(statement, this.recordsOf(Buffer.concat(chunks)))
    this.onDone(statement)
    if (fault !== null) request.socket.destroy()
    else if (typeof outcome === 'string') {
      const code = /^Code: (\d+)/.exec(outcome)?.[1] ?? '0'
      response.writeHead(500, { 'X-ClickHouse-Exception-Code': code }).end(`${outcome} (version 25.8.1.1)\n`)
    } else response.writeHead(200).end(outcome.map((row) => `${JSON.stringify(row)}\n`).join(''))
  }

  /** Rows, or an error. */
  #run(statement: string, records: number): readonly (readonly unknown[])[] | string {
    const match = (text: string) => pattern(text).exec(statement)?.slice(1)
    if (statement.startsWith('SELECT')) return this.#select(statement)
    const created = match('^CREATE TABLE @ (.*)')
    if (created !== undefined) return this.#create(created[0]!, created[1]!)
    const moved = match('^ALTER TABLE @ MOVE PARTITION tuple\\(\\) TO TABLE @$')
    if (moved !== undefined)
      return this.#with(moved, (from, to) => {
        to.rows = [...to.rows, ...from.rows]
        from.rows = []
      })
    const altered = match('^ALTER TABLE @ (MODIFY COLUMN .*)')
    if (altered !== undefined) return this.#with(altered.slice(0, 1), (table) => mark(table, altered[1]!))
    const inserted = match('^INSERT INTO @ ')
    if (inserted !== undefined) {
      return this.#with(inserted, (table) => {
        table.rows = [...table.rows, ...Array.from({ length: records }, () => ({ ...table.marks }))]
      })
    }
    const renamed = match('^RENAME TABLE @ TO @$')
    if (renamed !== undefined) {
      if (this.tables.has(renamed[1]!)) return exists(renamed[1]!)
      return this.#with(renamed.slice(0, 1), (table) => {
        this.tables.delete(renamed[0]!)
        this.tables.set(renamed[1]!, table)
      })
    }
    const exchanged = match('^EXCHANGE TABLES @ AND @$')
    if (exchanged !== undefined) {
      return this.#with(exchanged, (one, other) => {
        this.tables.set(exchanged[0]!, other)
        this.tables.set(exchanged[1]!, one)
      })
    }
    const dropped = match('^DROP TABLE IF EXISTS @$')
    if (dropped === undefined) return `Code: 62. DB::Exception: Syntax error: ${statement}`
    this.tables.delete(dropped[0]!)
    return []
  }

  #select(statement: string): readonly (readonly unknown[])[] | string {
    const named = /(?:name|table) = '(\w+)'/.exec(statement)?.[1] ?? ''
    if (statement.includes('system.databases')) return [[this.databaseEngine, this.isWide ? 1 : 0]]
    if (statement.includes('startsWith(name')) {
      const start = /startsWith\(name, '(\w+)'\)/.exec(statement)?.[1] ?? ''
      return [...this.tables].filter(([name, { isStale }]) => isStale && name.startsWith(start)).map(([name]) => [name])
    }
    const table = this.tables.get(named)
    if (statement.includes('system.tables')) {
      return table === undefined ? [] : [[table.engine, table.comment, table.partitionKey, table.keys.join(', ')]]
    }
    if (statement.includes('system.columns')) {
      return (table?.columns ?? []).map(([name, type, kind]) => {
        return [name, type, kind, table?.keys.includes(name) === true ? 1 : 0]
      })
    }
    const from = pattern(' FROM @').exec(statement)?.[1] ?? ''
    const counted = this.tables.get(from)
    if (counted === undefined) return missing(from)
    const datasetId = /= '(\w+)'\)/.exec(statement)?.[1]
    const all = counted.rows.length
    return [datasetId === undefined ? [all] : [all, counted.rows.filter((row) => row.dataset === datasetId).length]]
  }

  #create(name: string, rest: string): readonly [] | string {
    if (this.tables.has(name)) return exists(name)
    const like = pattern('^AS @').exec(rest)?.[1]
    if (like !== undefined) {
      const model = this.tables.get(like)
      if (model === undefined) return missing(like)
      const engine = / ENGINE = (\w+)/.exec(rest)?.[1] ?? model.engine
      this.tables.set(name, { ...model, engine, rows: [], isStale: false })
      return []
    }
    const [, columns = '', engine = '', keys = '', comment = ''] =
      /^\((.*)\)\s+ENGINE = (\w+)[^ ]* ORDER BY (.*) COMMENT '(.*)'$/s.exec(rest) ?? []
    const defined = [...columns.matchAll(/`(\w+)` (.*?)(?: (MATERIALIZED) [^,]*)?(?:, (?=`)|$)/g)]
    const table: FakeTable = {
      engine,
      comment: comment.replaceAll('\\', ''),
      partitionKey: '',
      keys: [...keys.matchAll(/`(\w+)`/g)].map((one) => one[1]!),
      columns: defined.map(([, column, type, kind]) => [column!, type!, kind ?? '']),
      marks: { dataset: '', version: 0 },
      rows: [],
      isStale: false,
    }
    mark(table, columns)
    this.tables.set(name, table)
    return []
  }

  #with(names: readonly string[], change: (table: FakeTable, other: FakeTable) => void): readonly [] | string {
    const [one = '', other = one] = names
    const [table, second] = [this.tables.get(one), this.tables.get(other)]
    if (table === undefined) return missing(one)
    if (second === undefined) return missing(other)
    change(table, second)
    return []
  }
}

function mark(table: FakeTable, columns: string): void {
  const [, dataset] = new RegExp(`\`${datasetColumn}\` \\S+ MATERIALIZED '(\\w*)'`).exec(columns) ?? []
  const [, version] = new RegExp(`\`${versionColumn}\` \\S+ MATERIALIZED toUInt64\\((\\d+)\\)`).exec(columns) ?? []
  table.marks = {
    dataset: dataset ?? table.marks.dataset,
    version: version === undefined ? table.marks.version : Number(version),
  }
}

const missing = (name: string) => `Code: 60. DB::Exception: Table sales.${name} does not exist. (UNKNOWN_TABLE)`
const exists = (name: string) => `Code: 57. DB::Exception: Table sales.${name} already exists. (TABLE_ALREADY_EXISTS)`
