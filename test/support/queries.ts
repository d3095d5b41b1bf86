// Queries: sends SQL queries to a running service and reads the responses. Knows no statement.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** A file with a column of each type. */
export const typesCsv = [
  'id,big,amount,ratio,flag,day,at,moment,name',
  '1,9223372036854775807,1.50,0.1,true,2024-02-29,2024-02-29T10:00:00,2024-02-29T10:00:00Z,Anna',
  '2,-5,-2.25,-1e300,false,1999-12-31,1999-12-31T23:59:59.5,1999-12-31T23:59:59.5Z,"a ""b"", c"',
  '3,,,,,,,,""',
  '',
].join('\n')

export interface QueryResponse {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
  readonly truncated: boolean
}

/** Retries while other queries take all places, as a client would. */
export async function ask(url: string, id: string, sql: string, accept?: string): Promise<QueryResponse> {
  const headers = { 'content-type': 'application/json', ...(accept !== undefined && { accept }) }
  const body = JSON.stringify({ sql })
  while (true) {
    const response = await fetch(`${url}/qas/datasets/${id}/query`, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== 503) return { status: response.status, type: response.headers.get('content-type'), text }
    await sleep(20)
  }
}

/** The rows of a query that must succeed. */
export async function queryRows(url: string, id: string, sql: string): Promise<QueryResult['rows']> {
  const { status, text } = await ask(url, id, sql)
  assert.equal(status, 200, `${sql}: ${text}`)
  return (JSON.parse(text) as QueryResult).rows
}

/** Code and message for a statement that must be rejected. */
export async function queryProblem(url: string, id: string, sql: string): Promise<string> {
  const { status, text } = await ask(url, id, sql)
  const record = JSON.parse(text) as Readonly<Record<string, unknown>>
  const keys = ['timestamp', 'status', 'error', 'exception', 'message', 'path']
  assert.deepEqual(Object.keys(record), keys, sql.slice(0, 100))
  assert.equal(record.status, status)
  assert.equal(status, 400, text)
  return `${String(record.exception).replace(/^csvupload\.Query|Exception$/g, '')}: ${record.message}`
}
