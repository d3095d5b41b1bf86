// The log of a whole run: lines of JSON that tell what happened, and nothing of what clients sent.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { scratchDir } from './running-service.ts'

const program = join(import.meta.dirname, '..', '..', 'src', 'bin', 'csv-upload.ts')
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

/** What must stand nowhere: each is sent in another place. */
const secrets = Array.from({ length: 10 }, (_, index) => `hush${index}hush`)
const [cell, rejected, fileName, authorization, cookie, query, dialect, sql, column, broken] = secrets

test('the log of a whole run has one line of JSON a request, and nothing that a client sent', async () => {
  await using dir = await scratchDir()
  const flags = ['serve', '--port', '0', '--data', join(dir.path, 'data'), '--log-level', 'debug', '--converters', '1']
  const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  const log: string[] = []
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => log.push(line))
  let requestCount = 0
  try {
    const url = await listening(child.stderr, said)
    const headers = {
      authorization: `Bearer ${authorization}`,
      'x-api-key': `${authorization}`,
      cookie: `session=${cookie}`,
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    }
    const ask = async (method: string, path: string, body?: FormData | string) => {
      requestCount += 1
      const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
      const response = await fetch(url + path, { method, headers: { ...headers, ...type }, ...(body && { body }) })
      return { response, text: await response.text() }
    }
    const csv = `id,${column}\n1,${cell}\n2,x,${rejected}\n3,"${broken}\n`
    const { response, text } = await ask('POST', `/qas/uploadCsv?key=${query}`, form(csv))
    assert.equal(response.status, 200, text)
    assert.match(response.headers.get('traceresponse') ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
    const { id } = JSON.parse(text) as { readonly id: string }
    await ask('POST', '/qas/uploadCsv', form(csv, `{"delimiter":"${dialect}"}`))
    await ask('POST', '/qas/uploadCsv', form(`%PDF-1.7 ${cell}`))
    await ask('GET', `/qas/datasets/${id}/rows?columns=${column}`)
    await ask('GET', `/qas/datasets/${id}/rows?columns=${query}`)
    await ask('GET', `/qas/datasets?name=${fileName}&limit=${query}`)
    await ask('GET', `/qas/datasets/${id}/rejects`)
    await ask('POST', `/qas/datasets/${id}/query`, JSON.stringify({ sql: `SELECT '${sql}' FROM data` }))
    await ask('POST', `/qas/datasets/${id}/query`, JSON.stringify({ sql: `SELECT ${sql} FROM data` }))
    await ask('POST', `/qas/datasets/${id}/readings`, `{"dialect":{"commentChar":"${dialect}"}}`)
    await ask('DELETE', `/qas/datasets/${id}`)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  const everything = [...log, ...said].join('\n')
  assert.deepEqual(
    secrets.filter((secret) => everything.includes(secret)),
    [],
    everything,
  )
  const lines = log.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const requests = lines.filter(({ msg }) => msg === 'request')
  assert.equal(requests.length, requestCount)
  assert.equal(new Set(requests.map(({ reqId }) => reqId)).size, requestCount, 'ids that are not unique')
  for (const request of requests) {
    assert.match(String(request.reqId), /^[0-9a-f-]{36}$/)
    assert.deepEqual([request.traceId, request.parentId], [traceId, '00f067aa0ba902b7'])
    assert.equal(typeof request.status, 'number')
  }
})

function form(csv: string, stated?: string): FormData {
  const body = new FormData()
  if (stated !== undefined) body.append('dialect', stated)
  body.append('file', new Blob([csv]), `${fileName}.csv`)
  return body
}

async function listening(stderr: NodeJS.ReadableStream, said: string[]): Promise<string> {
  const lines = createInterface({ input: stderr })
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line)
      const found = /^Listening on (\S+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    lines.on('close', () => reject(new Error(`Cannot start the service: ${said.join('\n')}`)))
  })
  return url
}
