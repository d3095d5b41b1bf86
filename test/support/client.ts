// Client: sends files and other requests, each on its own connection. Knows nothing of processes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http'
import type { uploadJson } from '../../src/http/exchange/receipt-json.ts'
import type { RejectPage, RowPage } from '../../src/service/service.ts'

export type UploadResponse = ReturnType<typeof uploadJson>

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The fields of an error that tests check. */
export interface Refusal {
  readonly status: number
  readonly exception: string
  readonly message: string
}

/** A file of a form. */
export interface FileToSend {
  readonly content: string | Uint8Array
  readonly fileName?: string
  readonly dialect?: object
  readonly schema?: object
}

const boundary = 'whole-service-7f3a'
export const contentType = `multipart/form-data; boundary=${boundary}`

/** The bytes before and after the content of a file in an upload. */
export function uploadFraming({ fileName = 'sample.csv', dialect, schema }: Omit<FileToSend, 'content'>) {
  const part = (name: string, value: object | undefined) =>
    value === undefined
      ? ''
      : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${JSON.stringify(value)}\r\n`
  const declared = part('dialect', dialect) + part('schema', schema)
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`
  return { contentType, before: declared + head, behind: `\r\n--${boundary}--\r\n` }
}

/** The multipart body of an upload. */
export function bodyOf({ content, ...file }: FileToSend): Buffer {
  const { before, behind } = uploadFraming(file)
  return Buffer.concat([Buffer.from(before), Buffer.from(content), Buffer.from(behind)])
}

/** The whole response. Errors while sending show in it, or in its absence. */
async function answerTo(outgoing: ClientRequest): Promise<Answer> {
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => {})
  const body = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
  return { status: incoming.statusCode!, headers: incoming.headers, body }
}

/** Begins an upload with some bytes of its body, on a connection of its own; `end` sends the rest. */
export function beginUpload(url: string, body: Buffer, bytes: number) {
  const headers = { 'content-type': contentType, 'content-length': body.length }
  const outgoing = request(`${url}/qas/uploadCsv`, { method: 'POST', headers, agent: false })
  const answered = answerTo(outgoing)
  answered.catch(() => {})
  outgoing.write(body.subarray(0, bytes))
  if (bytes === body.length) outgoing.end()
  return { answered, end: () => void (outgoing.writableEnded || outgoing.end(body.subarray(bytes))) }
}

export class Client {
  readonly #url: string
  readonly #headers: OutgoingHttpHeaders

  /** @param headers Sent with every request. */
  constructor(url: string, headers: OutgoingHttpHeaders = {}) {
    this.#url = url
    this.#headers = headers
  }

  /** Sends any request; returns the whole response, even if it arrives before all of the body is sent. */
  async ask(method: string, path: string, body?: Uint8Array, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    const described = body && { 'content-type': contentType, 'content-length': body.length }
    return this.#ask(method, path, { ...described, ...headers }, body)
  }

  /** Sends a request with a JSON body. */
  async askJson(path: string, body: Uint8Array): Promise<Answer> {
    return this.#ask('POST', path, { 'content-type': 'application/json', 'content-length': body.length }, body)
  }

  /** Sends an upload without a declared length. */
  async askInChunks(path: string, body: Uint8Array): Promise<Answer> {
    return this.#ask('POST', path, { 'content-type': contentType, 'transfer-encoding': 'chunked' }, body)
  }

  async #ask(method: string, path: string, given?: OutgoingHttpHeaders, body?: Uint8Array): Promise<Answer> {
    const agent = new Agent()
    try {
      const outgoing = request(new URL(path, this.#url), { method, agent, headers: { ...this.#headers, ...given } })
      const answered = answerTo(outgoing)
      outgoing.end(body)
      return await answered
    } finally {
      agent.destroy()
    }
  }

  send(file: FileToSend): Promise<Answer> {
    return this.ask('POST', '/qas/uploadCsv', bodyOf(file))
  }

  /** Sends a file that must be accepted. */
  async upload(file: FileToSend | string | Uint8Array): Promise<UploadResponse> {
    const isFile = typeof file === 'object' && 'content' in file
    const answer = await this.send(isFile ? file : { content: file })
    assert.equal(answer.status, 200, answer.body.toString())
    return jsonOf<UploadResponse>(answer)
  }

  /** Sends a file that must be refused. */
  async refused(file: FileToSend): Promise<Refusal> {
    return refusalOf(await this.send(file))
  }

  async get(path: string): Promise<Buffer> {
    const answer = await this.ask('GET', path)
    assert.equal(answer.status, 200, `${path}: ${answer.body}`)
    return answer.body
  }

  async datasetIds(): Promise<readonly string[]> {
    const page = await this.get('/qas/datasets?limit=1000')
    return (JSON.parse(page.toString()) as { datasets: { id: string }[] }).datasets.map(({ id }) => id)
  }

  async rows({ links }: UploadResponse, query = ''): Promise<RowPage> {
    return JSON.parse((await this.get(`${links.rows}${query}`)).toString())
  }

  /** Every row, page by page. */
  async allRows(receipt: UploadResponse, columns?: string): Promise<readonly (readonly unknown[])[]> {
    const rows: (readonly unknown[])[] = []
    while (true) {
      const page = await this.rows(
        receipt,
        `?limit=10000&offset=${rows.length}${columns === undefined ? '' : `&columns=${columns}`}`,
      )
      rows.push(...page.rows)
      if (page.rows.length === 0 || rows.length >= page.total) return rows
    }
  }

  /** Every reject, page by page. */
  async allRejects({ links }: UploadResponse): Promise<RejectPage['rejects']> {
    const rejects: RejectPage['rejects'][number][] = []
    while (true) {
      const body = await this.get(`${links.rejects}?limit=10000&offset=${rejects.length}`)
      const page = JSON.parse(body.toString()) as RejectPage
      rejects.push(...page.rejects)
      if (page.rejects.length === 0 || rejects.length >= page.total) return rejects
    }
  }
}

/** The value of a JSON response; the caller asserts its type. */
export function jsonOf<Value>({ body }: Answer): Value {
  return JSON.parse(body.toString()) as Value
}

/** The error record of a refusal; asserts that it has exactly the six fields. */
export function refusalOf(answer: Answer): Refusal {
  const record = jsonOf<Refusal>(answer)
  assert.deepEqual(Object.keys(record), ['timestamp', 'status', 'error', 'exception', 'message', 'path'])
  assert.equal(record.status, answer.status)
  return record
}
