// Tests of the API description: responses conform to it, and every response is described.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Description, type JsonSchema } from './description.ts'
import { type Exchange, examplesOf, exchanged, overLimits, session, startService, twoHosts, upload } from './session.ts'

describe('the description of the service', () => {
  let service: Awaited<ReturnType<typeof startService>>
  let description: Description
  let exchanges: readonly Exchange[]

  before(async () => {
    service = await startService()
    description = await Description.of(service.url)
    await using limited = await startService('--max-file-size', '1KB', '--max-request-size', '4KB')
    exchanges = [...(await session(service.url)), ...(await twoHosts(service.url)), ...(await overLimits(limited.url))]
  })
  after(() => service[Symbol.asyncDispose]())

  it('gives every operation a unique name', () => {
    const ids = description.operations.map(({ operation }) => operation.operationId)
    assert.ok(ids.length > 15)
    assert.deepEqual(
      ids.filter((id, index) => !/^[a-z][A-Za-z]+$/.test(id) || ids.indexOf(id) !== index),
      [],
    )
    const known = new Set(description.document.tags.map(({ name }) => name))
    for (const { path, method, operation } of description.operations) {
      const what = `${method} ${path}`
      assert.match(operation.summary, /^[A-Z].{5,}[^.]$/, what)
      assert.match(operation.description, /^[A-Z].{5,}\.$/s, what)
      assert.ok(operation.tags.length > 0 && operation.tags.every((tag) => known.has(tag)), what)
      assert.ok(
        Object.keys(operation.responses).some((status) => Number(status) < 300) && operation.responses.default,
        what,
      )
    }
  })

  it('describes every parameter and every field', () => {
    const { components } = description.document
    const parts = Object.entries(components.schemas).flatMap(([name, schema]) => undescribed(schema, name))
    const rest = description.operations.flatMap(({ operation }) => [
      ...operation.parameters.filter((one) => !one.description).map((one) => `${operation.operationId} ${one.name}`),
      ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
        undescribed({ description: 'above it', ...schema }, operation.operationId),
      ),
    ])
    assert.ok(Object.keys(components.schemas).length > 10)
    assert.deepEqual([...parts, ...rest], [])
  })

  it('matches the response of every operation', () => {
    assert.deepEqual(
      exchanges.flatMap((exchange) => description.faults(exchange)),
      [],
    )
    const done = new Set(exchanges.map(({ operationId, status }) => `${operationId} ${status}`))
    const wanted = description.operations.flatMap(({ operation }) =>
      Object.keys(operation.responses).flatMap((status) =>
        status === 'default' ? [] : [`${operation.operationId} ${status}`],
      ),
    )
    assert.deepEqual(
      wanted.filter((one) => !done.has(one)),
      [],
      'a response that session.ts does not provoke',
    )
  })

  it('matches HEAD responses, and OPTIONS and 405 list the methods of every path', async () => {
    // The session has deleted it.
    await fetch(`${service.url}/qas/uploadCsv`, upload())
    const ending = new Set(['cancelUpload', 'deleteDataset', 'restoreDataset', 'eraseDataset'])
    const gets = exchanges.filter(({ operationId, status }) => !ending.has(operationId) && status < 300)
    const asked = new Set(gets.flatMap(({ method, path }) => (method === 'GET' ? [path] : [])))
    const paths = new Map(
      [...gets, ...gets.filter(({ method }) => method === 'GET')].map(({ path, operationId }) => [path, operationId]),
    )
    for (const [path, operationId] of paths) {
      const described = description.operations.filter((one) => Description.matches(one.path, path))
      assert.ok(described.length > 0, path)
      const methods = described.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      const allow = [...new Set([...methods, 'OPTIONS', ...resumableMethods(path)])].toSorted()
      const allowed = ({ headers }: Response) => headers.get('allow')?.split(', ').toSorted()
      const options = await fetch(service.url + path, { method: 'OPTIONS' })
      assert.deepEqual([options.status, allowed(options)], [204, allow], path)
      const other = await fetch(service.url + path, { method: 'PUT' })
      assert.deepEqual([other.status, allowed(other)], [405, allow], path)
      if (!allow.includes('HEAD') || !asked.has(path)) continue
      const head = await exchanged(service.url, operationId, path, { method: 'HEAD' })
      assert.deepEqual(description.faults(head), [])
      assert.deepEqual([head.status, head.body.length], [200, 0], path)
    }
  })

  it('lists the codes of each error, and only operations for users', async () => {
    const methods = new Set(description.operations.map(({ method }) => method))
    assert.deepEqual([...methods].toSorted(), ['DELETE', 'GET', 'POST'])
    for (const { path, operation } of description.operations) {
      assert.doesNotMatch(path, /.\/$/)
      for (const [status, response] of Object.entries(operation.responses)) {
        const isError = status === 'default' || Number(status) >= 400
        assert.equal(/^`[A-Z_]+`(, `[A-Z_]+`)*$/.test(response.description), isError, `${path} ${status}`)
      }
    }
    const text = await (await fetch(`${service.url}/openapi.json`)).text()
    // Generated code would shadow names that it needs itself.
    const globals = Object.keys(description.document.components.schemas).filter((name) => name in globalThis)
    assert.deepEqual(globals, [])
    assert.doesNotMatch(text, /"enum":\[[^\]]*\\[nrtu]/)
  })

  it('is served with pages, scripts and lists that are compressed for clients that accept gzip', async () => {
    const page = await fetch(service.url)
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? assert.fail('the page has no script')
    for (const path of ['/', '/docs', script, '/qas/uploads?limit=10']) {
      const [plain, coded] = await Promise.all(
        ['identity', 'gzip'].map(async (coding) => {
          const request = get(`${service.url}${path}`, { headers: { 'accept-encoding': coding } })
          const [response] = (await once(request, 'response')) as [IncomingMessage]
          return { headers: response.headers, body: await buffer(response) }
        }),
      )
      assert.deepEqual(
        [plain?.headers['content-encoding'], coded?.headers['content-encoding']],
        [undefined, 'gzip'],
        path,
      )
      assert.deepEqual([plain?.headers.vary, coded?.headers.vary], ['accept-encoding', 'accept-encoding'], path)
      assert.deepEqual(gunzipSync(coded?.body ?? ''), plain?.body, path)
    }
  })

  it('is sent compressed to clients that accept gzip', async () => {
    const from = async (acceptEncoding?: string) => {
      const headers = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }
      const [response] = (await once(get(`${service.url}/openapi.json`, { headers }), 'response')) as [IncomingMessage]
      assert.equal(response.headers.vary, 'accept-encoding')
      return { coding: response.headers['content-encoding'], body: await buffer(response) }
    }
    const plain = await from()
    assert.deepEqual(JSON.parse(plain.body.toString()), description.document)
    for (const accepted of ['gzip', 'br, gzip;q=0.5'] as const) {
      const { coding, body } = await from(accepted)
      assert.deepEqual([coding, gunzipSync(body)], ['gzip', plain.body])
    }
    for (const refused of ['', 'br', 'identity', 'gzip;q=0'] as const) {
      assert.deepEqual(await from(refused), { coding: undefined, body: plain.body })
    }
  })

  it('shows real responses as examples', () => {
    const url = new URL('../../src/http/openapi/examples.json', import.meta.url)
    const shown: unknown = JSON.parse(readFileSync(url, 'utf8'))
    assert.deepEqual(shown, examplesOf(exchanges, description), 'to update them: npm run docs')
  })

  it('is a page that loads nothing from other origins and runs no inline script', async () => {
    const response = await fetch(`${service.url}/docs`)
    const page = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:/)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.doesNotMatch(
      page,
      /<script(?! type="module" src="\/assets\/)|<style|<img|<iframe|\son\w+=|\sstyle=|(src|href)="(https?:)?\/\//,
    )
    for (const { operation } of description.operations)
      assert.ok(page.includes(`id="${operation.operationId}"`), operation.operationId)
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1])
    assert.ok(links.length > 50)
    assert.deepEqual(
      links.filter((one) => !ids.has(one)),
      [],
    )
  })

  it('has pages of the docs below it, whose links lead to existing pages and headings', async () => {
    const pages = new Map<string, string>()
    const wanted = ['/docs/tutorial']
    const links: (readonly [from: string, path: string, id: string])[] = []
    for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
      if (pages.has(path)) continue
      const response = await fetch(service.url + path)
      assert.equal(response.status, 200, path)
      assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self';/)
      const html = await response.text()
      pages.set(path, html)
      assert.doesNotMatch(
        html,
        /<script(?! type="module" src="\/assets\/)|<style|<img|\son\w+=|\sstyle=|\ssrc="(https?:)?\/\//,
      )
      for (const [, target = ''] of html.matchAll(/href="((?:\/docs[^"#]*)?(?:#[^"]*)?)"/g)) {
        const [to = '', id = ''] = target.split('#')
        links.push([path, to || path, id])
        wanted.push(to || path)
      }
    }
    assert.ok(pages.size > 50, `${pages.size} pages`)
    for (const name of ['', '/errors', '/notes', '/faq', '/decisions/page']) assert.ok(pages.has(`/docs${name}`), name)
    assert.deepEqual(
      links.filter(([, to, id]) => id !== '' && !pages.get(to)?.includes(` id="${id}"`)),
      [],
    )
    assert.equal((await fetch(`${service.url}/docs/nothing`)).status, 404)
  })

  it('shows only examples that conform to the schemas', () => {
    const described = description.operations.flatMap(({ operation }) => Object.values(operation.responses))
    const ofErrors = described.flatMap(({ content = {} }) =>
      Object.values(content).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ schema, value: example }],
      ),
    )
    const ofSchemas = Object.values(description.document.components.schemas).flatMap(({ examples = [], ...schema }) =>
      examples.map((value) => ({ schema, value })),
    )
    assert.ok(ofErrors.length > 12 && ofSchemas.length > 12, `${ofErrors.length} and ${ofSchemas.length} examples`)
    for (const { schema, value } of [...ofErrors, ...ofSchemas]) {
      assert.deepEqual(description.valueFaults(schema, value), [])
      assert.doesNotMatch(JSON.stringify(value), /undefined|NaN/)
    }
  })
})

/** Requests of resumable-upload clients beyond the described operations. */
function resumableMethods(path: string): readonly string[] {
  if (path === '/qas/uploads') return ['POST']
  return /^\/qas\/uploads\/[^/]+$/.test(path) ? ['PATCH', 'HEAD'] : []
}

function undescribed(schema: JsonSchema, path: string): readonly string[] {
  if (schema.$ref !== undefined) return []
  const own = schema.description === undefined ? [path] : []
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => undescribed(one, `${path}.${name}`))
  const items =
    schema.items?.properties === undefined ? [] : undescribed({ description: 'above it', ...schema.items }, path)
  return [...own, ...members, ...items]
}
