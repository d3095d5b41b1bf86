// Client: the requests to a server, with retries. Knows the routes; knows no terminal and no file.
import { stat } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { CorrectionOutcome } from '../core/responses.ts'
import { isFinished } from '../core/upload-status.ts'
import { ClientError, type Failure } from './client-error.ts'
import { type Ask, Http, jsonOf, type ServerAddress } from './http.ts'
import type { SendProgress, Transfer } from './request-body.ts'
import { type ListPage, readAs, type SentReceipt, type SentStatus, shapes } from './response-shapes.ts'
import { type ResumeOptions, type SeekableFile, sendResumable } from './resumable-upload.ts'
import { type Attempts, pause, type RetryRules, withRetries } from './retry.ts'
import { type OutgoingFile, sendFile } from './upload.ts'

/** How long a server waits for a change of status, and how long we do if something in between asks it not to. */
const waitSeconds = 20
const askEveryMs = 2_000
/** The largest page of a list that a server sends. */
export const pageMax = 1_000
/** Enough to see that several ids share a prefix. */
const foundMax = 10

export type DatasetList = 'datasets' | 'trash'

/** Query parameters; null leaves one out. */
export type Query = Readonly<Record<string, string | number | boolean | null>>

/** Corrections: a file of CSV or JSON lines, or such lines. */
export type CorrectionSource = { readonly path: string } | { readonly lines: string }

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
  send(file: OutgoingFile, sending: SendProgress): Promise<SentReceipt> {
    return sendFile(this.#transfer(sending), file)
  }

  /**
   * The same in as many requests as necessary; null if the server accepts a file in one request only. @throws
   * {ClientError}
   */
  sendResumable(file: SeekableFile, sending: SendProgress, resuming: ResumeOptions): Promise<SentReceipt | null> {
    return sendResumable(this.#transfer(sending), file, resuming)
  }

  #transfer(sending: SendProgress): Transfer {
    return { http: this.#http, rules: this.#rules, sending, signal: this.#signal }
  }

  /** The status of an upload and each that follows, until it has ended. @throws {ClientError} */
  async *watch(id: string): AsyncGenerator<SentStatus> {
    const path = `/qas/uploads/${encodeURIComponent(id)}`
    for (let known: OutgoingHttpHeaders = {}; ; ) {
      const { status, headers } = await this.#repeat(async () => {
        const ask = (headers: OutgoingHttpHeaders) => this.#http.ask({ method: 'GET', path, headers }, this.#signal)
        const response = await ask(known).catch(async (error: unknown) => {
          if (!hasNoPlaceToWait(error)) throw error
          await pause(error.failure.retryAfterMs ?? askEveryMs, this.#signal)
          const { prefer: _, ...others } = known
          return await ask(others)
        })
        if (response.statusCode === 304) return { status: null, headers: response.resume().headers }
        const status = readAs(shapes.status, await jsonOf(response, this.#signal))
        return { status, headers: response.headers }
      })
      if (status !== null) yield status
      if (status !== null && isFinished(status)) return
      if (known.prefer !== undefined && headers['preference-applied'] === undefined) {
        await pause(askEveryMs, this.#signal)
      }
      known = { prefer: `wait=${waitSeconds}`, ...(headers.etag && { 'if-none-match': headers.etag }) }
    }
  }

  /** Every upload that the server remembers, newest first. @throws {ClientError} */
  async *uploads(countMax: number): AsyncGenerator<SentStatus> {
    for await (const upload of this.#items('uploads', { limit: countMax })) yield readAs(shapes.status, upload)
  }

  /** Every dataset, newest first, or those in the trash. @throws {ClientError} */
  async *datasets(query: Query, countMax: number, list: DatasetList = 'datasets'): AsyncGenerator<SentReceipt> {
    for await (const dataset of this.#items(list, { ...query, limit: countMax })) yield dataset as SentReceipt // of a list of them
  }

  /** The items of a list, fetched page by page. */
  async *#items(list: DatasetList | 'uploads', query: Query): AsyncGenerator<unknown> {
    const name = list === 'trash' ? 'datasets' : list
    let after: string | null = null
    do {
      const page: ListPage = readAs(shapes[name], await this.json(`/qas/${list}`, { ...query, after }))
      yield* page[name] ?? []
      after = typeof page.after === 'string' ? page.after : null
    } while (after !== null)
  }

  /** The id of the upload that begins with this prefix. @throws {ClientError} `wrong` unless there is exactly one */
  findUpload(prefix: string): Promise<string> {
    return prefix.length === 36 ? Promise.resolve(prefix) : find('upload', prefix, this.uploads(pageMax))
  }

  /** The id of the dataset that begins with these lower-case digits. @throws {ClientError} `wrong` as for an upload */
  findId(prefix: string, list?: DatasetList): Promise<string> {
    if (prefix.length === 32) return Promise.resolve(prefix)
    return find('dataset', prefix, this.datasets({ id: prefix }, foundMax, list))
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
    return this.#ask({ method: 'GET', path: path + queryText(query), headers })
  }

  /**
   * Sends a GET and passes the response to `take`; starts over if its body breaks off, so `take` must be able to start
   * over, too. @throws {ClientError} and any error of `take`
   */
  async download<Value>(
    path: string,
    query: Query,
    take: (response: IncomingMessage) => Promise<Value>,
  ): Promise<Value> {
    const ask: Ask = { method: 'GET', path: path + queryText(query), headers: { accept: '*/*' } }
    return this.#repeat(async () => {
      const response = await this.#http.ask(ask, this.#signal)
      try {
        return await take(response)
      } finally {
        response.destroy()
      }
    })
  }

  /** The response to a POST of JSON that may be repeated, its body still to be read. @throws {ClientError} */
  post(path: string, json: string, accept = 'application/json'): Promise<IncomingMessage> {
    return this.#ask({ method: 'POST', path, headers: { 'content-type': 'application/json', accept }, body: json })
  }

  #ask(ask: Ask): Promise<IncomingMessage> {
    return this.#repeat(() => this.#http.ask(ask, this.#signal))
  }

  /**
   * Sends corrections, as a file or as lines of JSON, and resolves to the receipt of the corrected dataset. Retries if
   * that may help: the same corrections make the same dataset. @throws {ClientError} and any error of reading the file
   */
  async correct(id: string, source: CorrectionSource): Promise<SentReceipt> {
    return readAs(shapes.receipt, await this.#sendCorrections(datasetPath(id, 'corrections'), source))
  }

  /** What the same corrections would do. */
  async previewCorrections(id: string, source: CorrectionSource): Promise<CorrectionOutcome> {
    return readAs(shapes.corrected, await this.#sendCorrections(datasetPath(id, 'corrections/preview'), source))
  }

  async #sendCorrections(path: string, source: CorrectionSource): Promise<unknown> {
    const isLines = 'lines' in source || /\.(?:ndjson|jsonl)$/i.test(source.path)
    const headers = { 'content-type': isLines ? 'application/x-ndjson' : 'text/csv' }
    const body =
      'lines' in source
        ? { body: source.lines }
        : { bodyFile: { path: source.path, bytes: (await stat(source.path)).size } }
    return await this.#repeat(() => this.#http.json({ method: 'POST', path, headers, ...body }, this.#signal))
  }

  /** The receipt of a dataset. @throws {ClientError} */
  async receipt(id: string): Promise<SentReceipt> {
    return readAs(shapes.receipt, await this.json(datasetPath(id)))
  }

  /** Deletes a dataset, or moves it to the trash. @throws {ClientError} */
  remove(id: string, toTrash = false): Promise<void> {
    return this.#delete(`${datasetPath(id)}${toTrash ? '?trash' : ''}`)
  }

  /** A deletion by an earlier try of ours counts as a success. */
  async #delete(path: string): Promise<void> {
    const attempts: Attempts = { attempt: 1, pause: null }
    try {
      const ask: Ask = { method: 'DELETE', path }
      const response = await withRetries(() => this.#http.ask(ask, this.#signal), this.#rules, attempts, this.#signal)
      response.resume()
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

/** The server answers, but has no place for another request that waits. */
function hasNoPlaceToWait(error: unknown): error is ClientError & { failure: Failure & { kind: 'refused' } } {
  if (!(error instanceof ClientError) || error.failure.kind !== 'refused') return false
  return error.failure.record?.exception.endsWith('.TooManyWatchersException') === true
}

async function find(what: string, prefix: string, items: AsyncIterable<{ readonly id: string }>): Promise<string> {
  const ids: string[] = []
  for await (const { id } of items) if (id.startsWith(prefix) && ids.push(id) === foundMax) break
  if (ids.length === 1) return ids[0]!
  const found = ids.length === 0 ? `no ${what} has such an id` : `it could be ${ids.join(', ')}`
  throw ClientError.of('wrong', `Cannot find ${what} '${prefix}': ${found}`)
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
