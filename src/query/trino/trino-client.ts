// Trino client: runs one statement over Trino's HTTP protocol, page by page. Knows no SQL, and no limits but those of a
// page. https://trino.io/docs/476/develop/client-protocol.html
import { setTimeout as sleep } from 'node:timers/promises'
import { parsePage, type TrinoColumn, type TrinoPage } from './trino-page.ts'

export interface TrinoServer {
  /** URL of the coordinator: `https://host:port`. */
  readonly url: string
  readonly user: string
  /** Empty for none. */
  readonly password: string
}

export interface TrinoClientOptions extends TrinoServer {
  /** Session properties by name. */
  readonly session: Readonly<Record<string, string>>
  /** For tests. Milliseconds. */
  readonly retryMsMax?: number
  /** For tests. Bytes. */
  readonly pageBytesMax?: number
}

/** The rows of one page; `columns` is null before they are known. */
export interface TrinoRows {
  readonly columns: readonly TrinoColumn[] | null
  readonly rows: readonly (readonly unknown[])[]
}

/** Trino cannot be reached, rejects our credentials, or does not speak its protocol. */
export class TrinoUnreachable extends Error {
  override readonly name = 'TrinoUnreachable'
}

/** A page exceeds the size limit. */
export class PageTooLarge extends Error {
  override readonly name = 'PageTooLarge'
}

/** A statement that Trino could not run, with Trino's message. */
export class TrinoFailure extends Error {
  override readonly name = 'TrinoFailure'
  readonly failure: NonNullable<TrinoPage['failure']>

  constructor(failure: NonNullable<TrinoPage['failure']>) {
    super(failure.message)
    this.failure = failure
  }
}

/** No catalog has this name, so an unqualified name refers to nothing. */
const nowhere = 'csv_upload_none'

/** How long a request without a response is retried. Milliseconds. */
const retryMsUsual = 10_000
/** Timeout of one response, which Trino sends within a second even if it has no news. Milliseconds. */
const answerMsMax = 30_000
const cancelMsMax = 5_000
/** Trino aims at 1 MB; a page has at least one row. Bytes. */
const pageBytesUsual = 67_108_864

export class TrinoClient {
  readonly #options: TrinoClientOptions
  readonly #headers: Readonly<Record<string, string>>

  constructor(options: TrinoClientOptions) {
    this.#options = options
    const { user, password, session } = options
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#headers = {
      'X-Trino-User': user,
      ...(password !== '' && { Authorization: `Basic ${credentials}` }),
      'X-Trino-Source': 'csv-upload',
      'X-Trino-Catalog': nowhere,
      'X-Trino-Schema': nowhere,
      'X-Trino-Time-Zone': 'UTC',
      'X-Trino-Client-Capabilities': 'PARAMETRIC_DATETIME',
      'X-Trino-Session': Object.entries(session)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join(','),
    }
  }

  /**
   * Runs a statement; each page is fetched on demand. A statement that is not read to its end, for whatever reason, is
   * cancelled.
   * @throws {TrinoFailure} {TrinoUnreachable} {PageTooLarge}, and the reason of `signal`
   */
  async *run(sql: string, signal: AbortSignal): AsyncGenerator<TrinoRows> {
    let next: string | null = null
    try {
      let page = await this.#exchange('/v1/statement', sql, signal)
      for (;;) {
        next = page.next
        if (page.failure !== null) throw new TrinoFailure(page.failure)
        yield page
        if (next === null) return
        page = await this.#exchange(next, null, signal)
      }
    } finally {
      if (next !== null) await this.#cancel(next)
    }
  }

  /** All rows of a statement that returns few. */
  async rows(sql: string, signal: AbortSignal): Promise<readonly (readonly unknown[])[]> {
    const all: (readonly unknown[])[] = []
    for await (const { rows } of this.run(sql, signal)) all.push(...rows)
    return all
  }

  /** @param path With its query; the rest of the address is always ours, whatever address Trino gives. */
  async #exchange(path: string, sql: string | null, signal: AbortSignal): Promise<TrinoPage> {
    const until = performance.now() + (this.#options.retryMsMax ?? retryMsUsual)
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
      const tried = await this.#attempt(path, sql, signal)
      if ('page' in tried) return tried.page
      // A statement that only reads, or creates what does not exist yet, may be sent twice.
      if (performance.now() + pauseMs > until) throw tried.problem
      await sleep(pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }

  /** A problem that is returned may have passed by the next attempt. */
  async #attempt(
    path: string,
    sql: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly page: TrinoPage } | { readonly problem: TrinoUnreachable }> {
    try {
      const response = await this.#send(sql === null ? 'GET' : 'POST', path, sql, signal)
      if (response.status === 200) return { page: parsePage(await this.#textOf(response)) }
      await response.body?.cancel()
      const problem = new TrinoUnreachable(`Trino answers ${response.status}`)
      if ([429, 502, 503, 504].includes(response.status)) return { problem }
      throw problem
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof TrinoUnreachable || error instanceof PageTooLarge) throw error
      if (error instanceof SyntaxError) throw new TrinoUnreachable(`Trino answers ${error.message}`)
      return { problem: new TrinoUnreachable('Trino does not answer', { cause: error }) }
    }
  }

  #send(method: string, path: string, body: string | null, signal: AbortSignal): Promise<Response> {
    const url = new URL(path, this.#options.url)
    const within = AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)])
    return fetch(url, { method, body, headers: this.#headers, signal: within, redirect: 'manual' })
  }

  async #textOf(response: Response): Promise<string> {
    const bytesMax = this.#options.pageBytesMax ?? pageBytesUsual
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > bytesMax) throw new PageTooLarge(`a page has more than ${bytesMax} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  /** A statement that is not cancelled ends at its time limit. */
  async #cancel(path: string): Promise<void> {
    try {
      const response = await this.#send('DELETE', path, null, AbortSignal.timeout(cancelMsMax))
      await response.body?.cancel()
    } catch {
      // Nothing more can be done about it here.
    }
  }
}
