// Tests of the log of a whole run: JSON lines say what happened, and contain nothing that clients sent.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { scopes } from '../../src/access/access.ts'
import { formatKeys, newKey } from '../../src/access/api-keys.ts'
import { canLimit } from '../../torture/floods.ts'
import { RunningService, scratchDir } from '../support/running-service.ts'
import { until } from '../support/until.ts'
import { Conversation } from '../wire/conversation.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

/** Texts that must not occur in the log; each is sent in a different place. */
const secrets = Array.from({ length: 10 }, (_, index) => `hush${index}hush`)
const [cell, rejected, fileName, authorization, cookie, query, dialect, sql, column, broken] = secrets

test('the log of a whole run has one JSON line per request, and nothing that a client sent', async () => {
  await using dir = await scratchDir()
  await using service = await startLogged(join(dir.path, 'data'), [])
  const { url } = service
  let requestCount = 0
  {
    const headers = {
      authorization: `Bearer ${authorization}`,
      'x-api-key': `${authorization}`,
      range: 'bytes=0-3',
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
    for (const file of ['data.csv', 'data.ndjson', 'data.parquet', 'annotated.csv', 'rejects.csv'])
      await ask('GET', `/qas/datasets/${id}/${file}`)
    await ask('DELETE', `/qas/datasets/${id}`)
  }
  const log = await logOf(service)
  const everything = log.join('\n')
  assert.deepEqual(
    secrets.filter((secret) => everything.includes(secret)),
    [],
    everything,
  )
  assert.doesNotMatch(everything, /Warning/)
  const lines = log
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const requests = lines.filter(({ msg }) => msg === 'request')
  assert.equal(requests.length, requestCount)
  assert.equal(new Set(requests.map(({ reqId }) => reqId)).size, requestCount, 'ids are not unique')
  for (const request of requests) {
    assert.match(String(request.reqId), /^[0-9a-f-]{36}$/)
    assert.deepEqual([request.traceId, request.parentId], [traceId, '00f067aa0ba902b7'])
    assert.equal(typeof request.status, 'number')
  }
})

test('the log of a whole run with keys and tokens contains none of them, valid or not', async () => {
  await using dir = await scratchDir()
  const [keys, jwks] = [join(dir.path, 'keys.json'), join(dir.path, 'jwks.json')]
  const { secret, key } = newKey({ name: 'ci', owner: 'anna', scopes })
  await writeFile(keys, formatKeys([key]))
  const pair = await generateKeyPair('ES256')
  await writeFile(jwks, JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }] }))
  const claims = { sub: 'anna', scope: scopes.join(' '), iss: 'https://issuer.example', aud: 'csv' }
  const sign = (expires: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setExpirationTime(expires)
      .sign(pair.privateKey)
  const [token, late] = [await sign('1h'), await sign('-1h')]
  const jwt = ['--jwt-keys', jwks, '--jwt-issuer', claims.iss, '--jwt-audience', claims.aud]
  await using service = await startLogged(join(dir.path, 'data'), ['--keys', keys, ...jwt])
  const statuses: number[] = []
  for (const given of [secret, token, late, `${secret}x`, `${token}x`]) {
    const headers = { authorization: `Bearer ${given}` }
    const sent = await fetch(`${service.url}/qas/uploadCsv`, { method: 'POST', headers, body: form('a\n1\n') })
    statuses.push(sent.status)
    await fetch(`${service.url}/qas/datasets?key=${given}`, { headers })
    await fetch(`${service.url}/qas/datasets/${given}`, { headers })
  }
  assert.deepEqual(statuses, [200, 200, 401, 401, 401])
  const everything = (await logOf(service)).join('\n')
  assert.match(everything, /"audit":"denied"/)
  const parts = [secret, key.sha256, ...token.split('.').slice(1), ...late.split('.').slice(1)]
  assert.deepEqual(
    parts.filter((part) => everything.includes(part)),
    [],
  )
})

test('every cancellation is a line for audits, also through a proxy without DELETE', async () => {
  await using dir = await scratchDir()
  await using service = await startLogged(join(dir.path, 'data'), [])
  const tus = { 'tus-resumable': '1.0.0' }
  const cancelled: string[] = []
  for (const [method, headers] of [
    ['DELETE', tus],
    ['POST', { ...tus, 'x-http-method-override': 'DELETE' }],
  ] as const) {
    const begun = { method: 'POST', headers: { ...tus, 'upload-length': '7' } }
    const path = (await fetch(`${service.url}/qas/uploads`, begun)).headers.get('location') ?? ''
    assert.equal((await fetch(service.url + path, { method, headers })).status, 204)
    cancelled.push(path.split('/').at(-1) ?? '')
  }
  const lines = (await logOf(service)).filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.filter(({ audit }) => audit === 'cancellation').map(({ uploadId }) => uploadId),
    cancelled,
  )
})

test('unreadable requests leave one line each, and nothing that a client sent', async () => {
  await using dir = await scratchDir()
  await using service = await startLogged(join(dir.path, 'data'), [])
  const port = Number(new URL(service.url).port)
  const requests = [
    `GET /?key=${query} HTTP/1.1\r\nHost: x\r\nCookie: session=${cookie}\r\nno colon ${cell}\r\n\r\n`,
    `${sql} HTTP/1.1\r\nAuthorization: Basic ${authorization}\r\n\r\n`,
    `POST /qas/uploadCsv HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${broken}\r\n`,
    `GET /${column} HTTP/1.1\r\nHost: x\r\nX-Long: ${cell}${'x'.repeat(20_000)}\r\n\r\n`,
  ]
  for (const request of requests) {
    using talk = await Conversation.open(port)
    await talk.send(request)
    await talk.answered(1)
  }
  const log = await logOf(service)
  const everything = log.join('\n')
  assert.deepEqual(
    secrets.filter((secret) => everything.includes(secret)),
    [],
    everything,
  )
  assert.ok(log.filter((line) => line.includes('"msg":"request"')).length >= requests.length, everything)
})

test('a start with too few descriptors for a child is logged as not ready, with the reason', async (t) => {
  if (!canLimit) return t.skip('prlimit is not installed')
  await using dir = await scratchDir()
  // Enough descriptors to listen.
  await using service = await startLogged(join(dir.path, 'data'), [], ['prlimit', '--nofile=32:32'])
  const isUnready = (line: string) => line.includes('"the service is not ready"')
  await until('the log says so', () => service.said.some(isUnready))
  const line = JSON.parse(service.said.find(isUnready) ?? '{}')
  assert.equal(line.level, 50)
  assert.match(line.err.message, /no reader starts|the limit of open files and connections/)
})

function form(csv: string, declared?: string): FormData {
  const body = new FormData()
  if (declared !== undefined) body.append('dialect', declared)
  body.append('file', new Blob([csv]), `${fileName}.csv`)
  return body
}

/** A service whose output can be read. */
function startLogged(dataDir: string, flags: readonly string[], wrapper: readonly string[] = []) {
  return RunningService.start(dataDir, ['--log-level', 'debug', ...flags], {}, wrapper)
}

/** Ends a service, and returns its output. */
async function logOf(service: RunningService): Promise<readonly string[]> {
  service.kill('SIGTERM')
  await service.outputEnded
  return service.said
}
