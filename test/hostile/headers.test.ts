// Tests of headers: attempts to mislead a browser, a cache, a proxy or a log all fail.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { createHttpServer, defaultHttpOptions } from '../../src/http/server.ts'
import { type Answer, bodyOf, Client, contentType, jsonOf, refusalOf, type UploadResponse } from '../support/client.ts'
import { sharedService } from '../support/shared-service.ts'
import { Conversation } from '../wire/conversation.ts'
import { createFakeService } from '../wire/fake-service.ts'
import { bareRequest, fileBody, rawRequest } from '../wire/requests.ts'

const service = await sharedService()
const client = new Client(service.url)

const script = '<!doctype html><html><script>alert(1)</script>'
const receipt = await client.upload({
  content: `${script},"<img src=x onerror=alert(1)>"\n1,2\n`,
  fileName: 'a.html',
  dialect: { delimiter: ',' },
})
const { links } = receipt

const origins = ['http://evil.example', 'null', 'http://localhost.evil.example', 'https://127.0.0.1', 'file://', '*']
for (const origin of origins) {
  test(`no origin is ever allowed to read a response: ${origin}`, async () => {
    const before = await client.datasetIds()
    const asks: readonly (readonly [string, string])[] = [
      ...['/qas/datasets', links.rows, links.original, '/healthz', '/openapi.json'].map(
        (path) => ['GET', path] as const,
      ),
      ['OPTIONS', '/qas/uploadCsv'],
      ['DELETE', links.self],
      ['POST', '/qas/uploadCsv'],
    ]
    for (const [method, path] of asks) {
      const { headers } = await client.ask(method, path, undefined, { origin, 'access-control-request-method': 'POST' })
      const given = Object.keys(headers).filter((name) => name.startsWith('access-control'))
      assert.deepEqual(given, [], `${method} ${path}`)
      assert.ok(!JSON.stringify(headers).includes('evil'), `${method} ${path} reflects the origin`)
    }
    assert.deepEqual(await client.datasetIds(), before)
  })
}

const forwarded = {
  'x-forwarded-host': 'evil.example',
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-proto': 'https',
  'x-original-url': '/qas/datasets',
  'x-rewrite-url': '/qas/datasets',
  'x-http-method-override': 'DELETE',
  forwarded: 'for=203.0.113.7;host=evil.example;proto=https',
}

test('forwarded headers have no effect on links, paths or methods', async () => {
  const plain = await client.ask('GET', links.self)
  const spoofed = await client.ask('GET', links.self, undefined, forwarded)
  assert.deepEqual(jsonOf<UploadResponse>(spoofed), jsonOf<UploadResponse>(plain))
  assert.ok(!JSON.stringify(spoofed.headers).includes('evil'))
  const answer = await client.ask('GET', '/qas/datasets', undefined, { ...forwarded, host: 'evil.example' })
  assert.equal(answer.status, 421, 'a forwarded host was taken for the requested host')
})

test('no response can be run, framed or sniffed by a browser', async () => {
  const saved = [links.original, links.csv, links.ndjson, links.parquet, links.rejectsCsv]
  for (const path of saved) {
    const { headers } = await client.ask('GET', path)
    assert.match(String(headers['content-disposition']), /^attachment; /, path)
    assert.match(String(headers['content-security-policy']), /sandbox/, path)
    holdsForBrowsers(path, headers)
  }
  for (const path of [
    '/qas/datasets',
    links.self,
    links.rows,
    links.rejects,
    links.profile,
    '/nope',
    '/qas/%3Cscript%3E',
  ]) {
    const { headers } = await client.ask('GET', path)
    assert.match(String(headers['content-type']), /^application\/json/, path)
    holdsForBrowsers(path, headers)
  }
})

function holdsForBrowsers(path: string, headers: Answer['headers']): void {
  assert.equal(headers['x-content-type-options'], 'nosniff', path)
  assert.doesNotMatch(String(headers['content-type']), /html|xml|javascript|svg/, path)
}

test('private responses are not stored by shared caches', async () => {
  for (const path of ['/qas/datasets', ...Object.values(links)]) {
    for (const suffix of ['', '/x.css', '?x=.js']) {
      const answer = await client.ask('GET', `${path}${suffix}`)
      const control = String(answer.headers['cache-control'] ?? '')
      if (answer.status === 200) assert.match(control, /no-store|private/, `${path}${suffix}`)
      else assert.ok(answer.status >= 400, `${path}${suffix}: ${answer.status}`)
    }
  }
})

test('an address in a request is never fetched', async (t) => {
  const visits: string[] = []
  const canary = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.end('a,b\n1,2\n')
  })
  await once(canary.listen(0, '127.0.0.1'), 'listening')
  t.after(() => canary.close())
  const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/canary.csv`
  const body = (value: unknown) => Buffer.from(JSON.stringify(value))
  await client.send({ content: url })
  await client.send({ content: `a,b\n1,2\n`, fileName: url, dialect: { $schema: url, delimiter: ',' } })
  await client.send({
    content: `a,b\n1,2\n`,
    schema: { $schema: url, $ref: url, fields: [{ name: 'a', rdfType: url }] },
  })
  await client.askJson(links.query, body({ sql: `SELECT * FROM read_csv('${url}')` }))
  await client.askJson(links.query, body({ sql: `SELECT * FROM '${url}'` }))
  await client.askJson(`${links.self}/readings`, body({ dialect: url, schema: url }))
  await client.ask('POST', '/qas/uploadCsv', body({ url }), { 'content-type': 'application/json' })
  const headers = { 'content-location': url, 'x-callback-url': url, referer: url, 'content-type': contentType }
  await client.ask('POST', `/qas/uploadCsv?url=${url}`, bodyOf({ content: `a,b\n${url},2\n` }), headers)
  assert.deepEqual(visits, [])
  await fetch(url)
  assert.equal(visits.length, 1, 'the canary detects no visit')
})

test('requests of resumable protocols have no effect', async () => {
  const before = (await client.datasetIds()).toSorted()
  const lengths = ['-1', '0', '9'.repeat(30), '1e9', 'abc', String(2 ** 53)]
  for (const length of lengths) {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': length, 'upload-offset': length }
    for (const method of ['POST', 'PATCH', 'PUT', 'HEAD', 'DELETE']) {
      const answer = await client.ask(method, '/qas/uploadCsv', Buffer.from('a,b\n1,2\n'), {
        ...headers,
        'content-type': 'application/offset+octet-stream',
        'upload-metadata': `filename ${'A'.repeat(4_000)}`,
        'upload-concat': 'final;/a /b',
      })
      assert.ok([405, 415].includes(answer.status), `${method}: ${answer.status}`)
      if (method !== 'HEAD') refusalOf(answer)
    }
  }
  assert.deepEqual((await client.datasetIds()).toSorted(), before)
})

test('a client cannot start a line of the log', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const server = await createHttpServer(createFakeService(), { ...defaultHttpOptions, port: 0 }, logger)
  const forged = '{"level":60,"msg":"forged"}'
  const requests = [
    bareRequest('GET', `/qas/%0d%0a${encodeURIComponent(forged)}`),
    bareRequest('GET', `/qas/\u001b[2J\u0085${forged.replaceAll(' ', '')}`),
    bareRequest('GET', '/healthz', [`User-Agent: \u001b[31m${forged}`, `X-Request-Id: a\u0009${forged}`]),
    bareRequest('GET', '/qas/datasets?name=%0a%1b', [`traceparent: ${forged}`]),
    rawRequest({ headers: [`Content-Type: multipart/form-data; x="\u0009${forged}"; boundary=BnD`] }),
    rawRequest({ body: fileBody('a\n1\n', `file\u001b${forged.replaceAll('"', "'")}`) }),
    Buffer.from(`\u001b[2J\n${forged}\n\r\n\r\n`, 'latin1'),
  ]
  for (const request of requests) {
    using talk = await Conversation.open(server.port)
    await talk.send(request)
    await talk.answered(1)
  }
  await server.close()
  assert.ok(lines.length >= requests.length)
  for (const line of lines) {
    assert.match(line, /^\{"level":\d0,.*\}\n$/)
    assert.equal(line.split('\n').length, 2)
    assert.ok(
      [...line.slice(0, -1)].every((character) => character >= ' ' && (character < '\x7f' || character > '\x9f')),
      JSON.stringify(line),
    )
    assert.notEqual((JSON.parse(line) as { msg: string }).msg, 'forged')
  }
})

test('nobody can start a line of the pretty log, or act on the terminal that shows it', () => {
  const forged = 'x\n[10:00:00.000] INFO: forged\r\u001b[31m\u0085\u009b\u202e\u2028\u2029\ud800'
  const program = `
    import { createLogger } from ${JSON.stringify(new URL('../../src/logger.ts', import.meta.url).href)}
    const forged = ${JSON.stringify(forged)}
    const logger = await createLogger({ logLevel: 'info', logFormat: 'pretty' })
    logger.info({ audit: 'upload', caller: forged, owner: forged, method: forged, name: forged, pid: forged }, 'audit')
    logger.info({ fileName: forged, headers: { 'user-agent': forged }, metadata: [forged], level: 30 }, 'request')
    logger.error({ err: new Error(forged, { cause: new Error(forged) }), msg: forged }, forged)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program])
  assert.equal(stderr.toString(), '')
  const text = stdout.toString()
  assert.ok(text.split('forged').length > 10, text)
  assert.match(text, /\n +at file:/)
  const lines = text.split('\n').filter((line) => /^\S/.test(line))
  assert.equal(lines.filter((line) => /^\[\d\d:\d\d:\d\d\] (INFO|ERROR)/.test(line)).length, 3, text)
  assert.deepEqual(
    lines.filter((line) => line.startsWith('[10:00')),
    [],
  )
  assert.doesNotMatch(text, /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\ufffd]/u)
})
