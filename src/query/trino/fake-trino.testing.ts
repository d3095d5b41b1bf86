// Fake Trino: a server that speaks Trino's protocol and responds as a test defines, for faults that a real one does not
// produce on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** Members of a page except its id and `nextUri`. */
export type FakePage = Readonly<Record<string, unknown>>

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Of a POST. */
  readonly sql: string
}

export interface FakeTrino extends AsyncDisposable {
  readonly url: string
  /** In order of arrival. */
  readonly requests: readonly FakeRequest[]
  /** Statements in order of arrival. */
  readonly statements: readonly string[]
  /** Number of cancelled statements. */
  readonly cancelled: number
  /** Resolves with the next DELETE. */
  nextCancelled(): Promise<void>
}

export interface FakeTrinoOptions {
  /** The pages of a statement, one per request. */
  readonly answer: (sql: string) => readonly FakePage[]
  /** True if it has responded, or never will. */
  readonly fault?: (request: FakeRequest, response: ServerResponse) => boolean
  /** Address of the next page, if it is another one. */
  readonly nextUri?: (path: string) => string
}

const column = (name: string, rawType: string, types: readonly unknown[] = []) => ({
  name,
  type: rawType,
  typeSignature: { rawType, arguments: types },
})

/** A page of columns, by name and raw type, and rows. */
export function pageOf(columns: Readonly<Record<string, string>>, ...data: readonly (readonly unknown[])[]): FakePage {
  return { columns: Object.entries(columns).map(([name, type]) => column(name, type)), data }
}

/** A page with a Trino error. */
export function failureOf(errorName: string, errorType: string, message: string, place?: readonly [number, number]) {
  const errorLocation = place && { lineNumber: place[0], columnNumber: place[1] }
  return { error: { errorName, errorType, message, errorLocation } }
}

export async function startFakeTrino({ answer, fault, nextUri }: FakeTrinoOptions): Promise<FakeTrino> {
  const requests: FakeRequest[] = []
  const statements: string[] = []
  let cancelled = 0
  let onCancelled = () => {}
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    let sql = ''
    for await (const chunk of request) sql += chunk
    const seen = { method, path, headers, sql }
    requests.push(seen)
    if (method === 'POST') statements.push(sql)
    if (method === 'DELETE') {
      cancelled += 1
      response.writeHead(204).end()
      onCancelled()
      return
    }
    if (fault?.(seen, response) === true) return
    const [, statement = `${statements.length - 1}`, page = '0'] = /executing\/(\d+)\/(\d+)/.exec(path) ?? []
    const pages = answer(statements[Number(statement)] ?? '')
    const next = `${url}/v1/statement/executing/${statement}/${Number(page) + 1}`
    const isLast = Number(page) + 1 >= pages.length
    const shown = {
      id: statement,
      stats: {},
      ...(!isLast && { nextUri: nextUri?.(next) ?? next }),
      ...pages[Number(page)],
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url,
    requests,
    statements,
    get cancelled() {
      return cancelled
    },
    nextCancelled: () =>
      new Promise((resolve) => {
        onCancelled = resolve
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
