// ClickHouse client: runs one statement after another over HTTP. Knows no statement.
import { readFile } from 'node:fs/promises'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ClickHouseSecret, passwordOf } from './clickhouse-password.ts'
import { chunksOf, opened, type SourcePart } from './sink.ts'

export interface ClickHouseAddress extends ClickHouseSecret {
  /** `clickhouse://user@host:8123/database`, or `clickhouses://` to encrypt; without a password. */
  readonly url: string
  /** Timeout of a connection attempt. Milliseconds. */
  readonly connectMs?: number
  /** Timeout without a byte sent or received: a response begins only when its statement is done. Milliseconds. */
  readonly idleMs?: number
}

export type Settings = Readonly<Record<string, string>>
export type Row = readonly (string | null)[]

/** An error of the server. */
export class ClickHouseError extends Error {
  override readonly name = 'ClickHouseError'
  /** As in its `ErrorCodes.cpp`; null if the response has none. */
  readonly code: number | null
  /** HTTP status: 200 if the statement failed after its response had begun. */
  readonly status: number

  constructor(message: string, code: number | null, status: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

export interface ClickHouseClient {
  /** Runs a statement that returns no rows. */
  run(sql: string, signal: AbortSignal, settings?: Settings): Promise<void>
  /** The rows of a query, as texts and nulls. */
  rows(sql: string, signal: AbortSignal): Promise<readonly Row[]>
  /** Runs an `INSERT … FORMAT …` with the bytes of a part, which are streamed. */
  insert(sql: string, part: SourcePart, settings: Settings, signal: AbortSignal): Promise<void>
}

const connectMsByDefault = 10_000
const idleMsByDefault = 300_000
/** Size limit of a statement: it may have many columns with long names. Bytes. */
const statementBytesMax = '16777216'
/** An `INSERT` is in the URL of its request; the server accepts a mebibyte. */
const addressBytesMax = 1_000_000
const answerBytesMax = 16 * 1_048_576
/** A successful response ends with this if its statement fails after it has begun. */
const lateException = /(?:^|\n)(?:__exception__|Code: \d+\. DB::)/

/** Finds the password, and reads the certificate files; connects for each statement. */
export async function openClickHouse(given: ClickHouseAddress): Promise<ClickHouseClient> {
  const { url, connectMs = connectMsByDefault, idleMs = idleMsByDefault } = given
  const address = new URL(url)
  const isEncrypted = address.protocol === 'clickhouses:'
  const place = {
    host: address.hostname.replace(/^\[|\]$/g, ''),
    port: address.port || (isEncrypted ? '8443' : '8123'),
    database: decodeURIComponent(address.pathname.slice(1)),
    user: decodeURIComponent(address.username) || 'default',
  }
  const password = await passwordOf(place, given)
  const connection = {
    host: place.host,
    port: place.port,
    method: 'POST',
    agent: false,
    ...(isEncrypted && (await tlsOptions(address.searchParams))),
  }
  const credentials = { 'x-clickhouse-user': headerText(place.user), 'x-clickhouse-key': headerText(password) }
  const ask = async (settings: Settings, bytes: number, body: AsyncIterable<Uint8Array>, signal: AbortSignal) => {
    const common = { database: place.database, max_query_size: statementBytesMax, wait_end_of_query: '1' }
    const path = `/?${new URLSearchParams({ ...common, ...settings })}`
    if (path.length > addressBytesMax) throw new ClickHouseError('The names of the columns are too long', null, 414)
    const headers = { ...credentials, 'content-type': 'application/octet-stream', 'content-length': bytes }
    const outgoing = (isEncrypted ? httpsRequest : httpRequest)({ ...connection, path, headers, signal })
    return await exchange(outgoing, body, connectMs, idleMs)
  }
  const askText = (sql: string, settings: Settings, signal: AbortSignal) => {
    const body = Buffer.from(sql)
    return ask(settings, body.length, Readable.from([body]), signal)
  }
  return {
    async run(sql, signal, settings = {}) {
      await askText(sql, settings, signal)
    },
    async rows(sql, signal) {
      const quoted = { output_format_json_quote_64bit_integers: '1' }
      const answer = await askText(`${sql} FORMAT JSONCompactEachRow`, quoted, signal)
      return answer.split('\n').filter(Boolean).map(rowOf)
    },
    async insert(sql, part, settings, signal) {
      await using stream = await opened(() => part.open())
      await ask({ ...settings, query: sql }, part.bytes, chunksOf(stream), signal)
    },
  }
}

/** Sends a body, and resolves to the response if it is a success. */
async function exchange(
  outgoing: ClientRequest,
  body: AsyncIterable<Uint8Array>,
  connectMs: number,
  idleMs: number,
): Promise<string> {
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  outgoing.once('response', resolve)
  outgoing.on('error', reject)
  outgoing.once('socket', (socket) => {
    socket.setKeepAlive(true, 30_000)
    const isSlow = () => outgoing.destroy(lost('no connection in time'))
    const timer = setTimeout(isSlow, connectMs)
    socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
    socket.setTimeout(idleMs, () => outgoing.destroy(lost('no answer in time')))
  })
  // The server may respond before it has received everything: that response then counts.
  const sent = pipeline(body, outgoing).catch(reject)
  try {
    const incoming = await answered
    return goodText(incoming, await textOf(incoming))
  } finally {
    outgoing.destroy()
    await sent
  }
}

function lost(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > answerBytesMax) throw new ClickHouseError('The answer is too long', null, incoming.statusCode ?? 0)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** @throws {ClickHouseError} */
function goodText({ statusCode: status = 0, headers }: IncomingMessage, text: string): string {
  const header = headers['x-clickhouse-exception-code']
  if (status === 200 && header === undefined && !lateException.test(text)) return text
  const [, found] = /Code: (\d+)\. DB::/.exec(text) ?? []
  const code = Number(header ?? found)
  throw new ClickHouseError(messageOf(text) || `Status ${status}`, Number.isInteger(code) ? code : null, status)
}

/** The error text, without the codes in front, and without the places and the version at the end. */
function messageOf(text: string): string {
  const [, message = ''] = /Code: \d+\. (?:DB::\w*Exception: |Code: \d+\. )+([\s\S]*)/.exec(text) ?? []
  return message.replace(/ ?\(version [\s\S]*$|: \(in file[\s\S]*$|: While executing [\s\S]*$/, '').trim()
}

function rowOf(line: string): Row {
  const cells = JSON.parse(line) as readonly unknown[] // a row of a format that is asked for
  return cells.map((cell) => (cell === null ? null : String(cell)))
}

async function tlsOptions(parameters: URLSearchParams) {
  const file = async (name: string) => {
    const path = parameters.get(name)
    return path === null ? undefined : await readFile(path)
  }
  const [ca, cert, key] = await Promise.all([file('sslrootcert'), file('sslcert'), file('sslkey')])
  return { ca, cert, key, rejectUnauthorized: parameters.get('sslmode') !== 'no-verify' }
}

/** Node writes headers as Latin-1: these are the bytes of UTF-8. */
function headerText(text: string): string {
  return Buffer.from(text).toString('latin1')
}
