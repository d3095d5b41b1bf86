// Tests of origins: to which web pages and host names the service responds.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { createHttpServer, defaultHttpOptions, type HttpOptions } from '../../src/http/server.ts'
import { Conversation } from './conversation.ts'
import { createFakeService } from './fake-service.ts'

async function start(http: Partial<HttpOptions> = {}) {
  const options = { ...defaultHttpOptions, port: 0, shutdownGraceMs: 100, ...http }
  const server = await createHttpServer(createFakeService(), options, pino({ level: 'silent' }))
  return { port: server.port, [Symbol.asyncDispose]: () => server.close() }
}

describe('pages of other origins', () => {
  const origin = 'http://localhost:3000'
  const page = { origin, 'sec-fetch-site': 'cross-site' }
  const allowOf = (response: Response) => response.headers.get('access-control-allow-origin')

  it('may use the service if their origin is allowed, and read its errors, too', async () => {
    await using server = await start({ allowedOrigins: [origin] })
    const base = `http://127.0.0.1:${server.port}`
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
    const preflight = await fetch(`${base}/qas/uploadCsv`, { method: 'OPTIONS', headers: { ...page, ...asked } })
    assert.deepEqual([preflight.status, allowOf(preflight)], [204, origin])
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST, OPTIONS')
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/)
    const form = new FormData()
    form.append('file', new Blob(['id\n1\n']), 'a.csv')
    const uploaded = await fetch(`${base}/qas/uploadCsv`, { method: 'POST', headers: page, body: form })
    assert.deepEqual([uploaded.status, allowOf(uploaded)], [200, origin])
    const { id } = (await uploaded.json()) as { readonly id: string } // verified by the wire suite
    for (const [path, status] of [
      ['/nope', 404],
      ['/qas/datasets?limit=0', 400],
      [`/qas/datasets/${id}/original`, 200],
    ] as const) {
      const response = await fetch(base + path, { headers: page })
      assert.deepEqual([response.status, allowOf(response)], [status, origin])
      assert.match(response.headers.get('vary') ?? '', /\borigin\b/)
      assert.match(response.headers.get('access-control-expose-headers') ?? '', /etag/)
      await response.arrayBuffer()
    }
  })

  it('otherwise get nothing from it, on any route', async () => {
    for (const allowedOrigins of [[], ['https://app.example.org']]) {
      await using server = await start({ allowedOrigins })
      const base = `http://127.0.0.1:${server.port}`
      for (const path of ['/healthz', '/qas/datasets', '/metrics', '/openapi.json', '/nope']) {
        const response = await fetch(base + path, { headers: page })
        assert.equal(allowOf(response), null, path)
        await response.arrayBuffer()
      }
      const headers = { ...page, 'access-control-request-method': 'POST' }
      const preflight = await fetch(`${base}/qas/uploadCsv`, { method: 'OPTIONS', headers })
      assert.deepEqual(
        [...preflight.headers.keys()].filter((name) => name.startsWith('access-control-')),
        [],
      )
      const upload = await fetch(`${base}/qas/uploadCsv`, { method: 'POST', headers: page, body: new FormData() })
      assert.equal(upload.status, 403)
    }
  })
})

describe('a host name that is not allowed', () => {
  it('works only for probes and metrics', async () => {
    await using server = await start()
    for (const [path, status] of [
      ['/healthz', 200],
      ['/readyz', 200],
      ['/metrics', 200],
      ['/qas/datasets', 421],
      ['/openapi.json', 421],
      ['/nope', 421],
    ] as const) {
      using talk = await Conversation.open(server.port)
      await talk.send(`GET ${path} HTTP/1.1\r\nHost: csv.internal:8080\r\n\r\n`)
      assert.equal((await talk.answered(1)).final[0]?.status, status, path)
    }
  })
})
