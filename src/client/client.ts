// Client: the requests to a server, with retries. Knows the routes; knows no terminal and no file.
import { stat } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { ClientError } from './client-error.ts'
import { type Ask, Http, type ServerAddress } from './http.ts'
import { type Resuming, type SeekableFile, sendResumable } from './resumable-upload.ts'
import { type Attempts, type RetryRules, withRetries } from './retry.ts'
import { readStatus, type SentStatus } from './sent-status.ts'
import { type OutgoingFile, type Sending, type SentFile, sendFile } from './upload.ts'
import { readReceipt, type SentReceipt } from './uploaded-receipt.ts'
import { watchUpload } from './watch-upload.ts'

/** Polling interval for a server without events. Milliseconds. */
const askEveryMs = 2_000
/** The largest page of uploads. */
const uploadsPageMax = 1_000

/** Query parameters; null leaves one out. */
export type Query = Readonly<Record<string, string | number | boolean | null>>

export class Client implements Disposable {
  readonly #http: Http
  readonly #rules: RetryRules
  readonly #signal: AbortSignal

  /** @param signal Aborts whatever is in progress, which then fails with the signal's reason. */
  constructor(address: ServerAddress, rules: RetryRules, signal: AbortSignal) {
    this.#http = new Http(address)
    this.#rules = rules
    this.#signal = signal
  }

  get url(): URL {
    return this.#http.url
  }

  /** @throws {ClientError} */
  send(file: OutgoingFile, sending: Sending): Promise<SentFile> {
    return sendFile(this.#http, file, this.#rules, sending, this.#signal)
  }

  /**
   * The same in as many requests as necessary; null if the server accepts a file in one request only. @throws
   * {ClientError}
   */
  sendResumable(file: SeekableFile, sending: Sending, resuming: Resuming): Promise<SentFile | null> {
    return sendResumable(this.#http, file, this.#rules, sending, this.#signal, resuming)
  }

  /** The status of an upload and each that follows, until it has ended. @throws {ClientError} */
  watch(id: string, signal: AbortSignal = this.#signal): AsyncGenerator<SentStatus> {
    return watchUpload(this.#http, id, { ...this.#rules, askEveryMs }, signal)
  }

  /** Every upload that the server remembers, newest first, fetched page by page. @throws {ClientError} */
  async *uploads(pageMax: number): AsyncGenerator<SentStatus> {
    let after: string | null = null
    do {
      const page = (await this.json('/qas/uploads', { limit: pageMax, after })) as UploadsPage // checked below
      if (!Array.isArray(page?.uploads)) {
        throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it is not a list of uploads' })
      }
      yield* page.uploads.map(readStatus)
      after = typeof page.after === 'string' ? page.after : null
    } while (after !== null)
  }

  /**
   * The id of the upload that begins with this prefix; a whole id is not looked up.
   *
   * @throws {ClientError} `wrong` if the server remembers no such upload, or several
   */
  async findUpload(prefix: string): Promise<string> {
    if (prefix.length === 36) return prefix
    const ids: string[] = []
    for await (const { id } of this.uploads(uploadsPageMax)) {
      if (id.startsWith(prefix) && ids.push(id) === 10) break
    }
    if (ids.length === 1) return ids[0]!
    const found = ids.length === 0 ? 'no upload has such an id' : `it could be ${ids.join(', ')}`
    throw new ClientError({ kind: 'wrong', message: `Cannot find upload '${prefix}': ${found}` })
  }

  /** Cancels an upload, or forgets one that has ended. @throws {ClientError} */
  cancel(id: string): Promise<void> {
    return this.#delete(`/qas/uploads/${encodeURIComponent(id)}`)
  }

  /** The response to a GET as JSON. @throws {ClientError} */
  json(path: string, query: Query = {}): Promise<unknown> {
    return this.#repeat(() => this.#http.json({ method: 'GET', path: path + queryText(query) }, this.#signal))
  }

  /** The response to a GET, its body still to be read. @throws {ClientError} */
  open(path: string, query: Query = {}, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
    return this.ask({ method: 'GET', path: path + queryText(query), headers })
  }

  /**
   * Sends a GET and passes the response to `take`; starts over if its body breaks off, so `take` must be able to start
   * over, too. @throws {ClientError} and any error of `take`
   */
  async download<Value>(path: string, query: Query, take: (answer: IncomingMessage) => Promise<Value>): Promise<Value> {
    const ask: Ask = { method: 'GET', path: path + queryText(query), headers: { accept: '*/*' } }
    return this.#repeat(async () => {
      const answer = await this.#http.ask(ask, this.#signal)
      try {
        return await take(answer)
      } finally {
        answer.destroy()
      }
    })
  }

  /** The response to a request that changes nothing, its body still to be read. @throws {ClientError} */
  ask(ask: Ask): Promise<IncomingMessage> {
    return this.#repeat(() => this.#http.ask(ask, this.#signal))
  }

  /**
   * Sends a file of corrections, CSV or JSON lines, and resolves to the receipt of the corrected dataset. Retries if
   * that may help: the same corrections make the same dataset. @throws {ClientError} and any error of reading the file
   */
  async correct(id: string, path: string): Promise<{ readonly receipt: SentReceipt; readonly json: unknown }> {
    const { size: bytes } = await stat(path)
    const headers = { 'content-type': /\.(?:ndjson|jsonl)$/i.test(path) ? 'application/x-ndjson' : 'text/csv' }
    const ask: Ask = { method: 'POST', path: datasetPath(id, 'corrections'), headers, bodyFile: { path, bytes } }
    const json = await this.#repeat(() => this.#http.json(ask, this.#signal))
    return { receipt: readReceipt(json), json }
  }

  /** The receipt of a dataset. @throws {ClientError} */
  async receipt(id: string): Promise<{ readonly receipt: SentReceipt; readonly json: unknown }> {
    const json = await this.json(datasetPath(id))
    return { receipt: readReceipt(json), json }
  }

  /**
   * The id that begins with this prefix; a whole id is not looked up.
   *
   * @param prefix Hexadecimal digits in lower case.
   * @throws {ClientError} `wrong` if no dataset or more than one has such an id
   */
  async findId(prefix: string): Promise<string> {
    if (prefix.length === 32) return prefix
    const ids: string[] = []
    for await (const { id } of this.datasets({ id: prefix }, 10)) {
      if (ids.push(id) === 10) break
    }
    if (ids.length === 1) return ids[0]!
    const found = ids.length === 0 ? 'no dataset has such an id' : `it could be ${ids.join(', ')}`
    throw new ClientError({ kind: 'wrong', message: `Cannot find dataset '${prefix}': ${found}` })
  }

  /** Every dataset, newest first, fetched page by page. @throws {ClientError} */
  async *datasets(query: Query, pageMax: number): AsyncGenerator<SentReceipt> {
    let after: string | null = null
    do {
      const page = (await this.json('/qas/datasets', { ...query, limit: pageMax, after })) as ListPage // checked below
      if (!Array.isArray(page?.datasets)) {
        throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it is not a list of datasets' })
      }
      yield* page.datasets
      after = typeof page.after === 'string' ? page.after : null
    } while (after !== null)
  }

  /** Deletes a dataset. @throws {ClientError} */
  remove(id: string): Promise<void> {
    return this.#delete(datasetPath(id))
  }

  /** A deletion by an earlier try of ours counts as a success. */
  async #delete(path: string): Promise<void> {
    const attempts: Attempts = { attempt: 1, pause: null }
    try {
      const ask: Ask = { method: 'DELETE', path }
      const answer = await withRetries(() => this.#http.ask(ask, this.#signal), this.#rules, attempts, this.#signal)
      answer.resume()
    } catch (error) {
      const isGone = error instanceof ClientError && error.failure.kind === 'refused' && error.failure.status === 404
      if (!isGone || attempts.attempt === 1) throw error
    }
  }

  #repeat<Value>(action: () => Promise<Value>): Promise<Value> {
    return withRetries(action, this.#rules, { attempt: 1, pause: null }, this.#signal)
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]()
  }
}

interface UploadsPage {
  readonly uploads: readonly unknown[]
  readonly after: unknown
}

interface ListPage {
  readonly datasets: readonly SentReceipt[]
  readonly after: unknown
}

/** The path of a dataset, or of something below it: `datasetPath(id, 'rows')`. */
export function datasetPath(id: string, ...below: readonly string[]): string {
  return ['/qas/datasets', encodeURIComponent(id), ...below].join('/')
}

function queryText(query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}
