// The service answers as its own description says, and describes everything that it answers.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { JsonSchema } from '../../src/http/openapi/openapi.ts'
import { Description } from './description.ts'
import { type Exchange, examplesOf, exchanged, session, startService } from './session.ts'

describe('the description of the service', () => {
  let service: Awaited<ReturnType<typeof startService>>
  let description: Description
  let exchanges: readonly Exchange[]

  before(async () => {
    service = await startService()
    description = await Description.of(service.url)
    exchanges = await session(service.url)
  })
  after(() => service[Symbol.asyncDispose]())

  it('names every operation once, in words', () => {
    const ids = description.operations.map(({ operation }) => operation.operationId)
    assert.ok(ids.length > 30)
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
      const statuses = Object.keys(operation.responses).map(Number)
      assert.ok(statuses.some((status) => status < 300) && statuses.some((status) => status >= 500), what)
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

  it('holds for the answer of every operation', () => {
    assert.deepEqual(
      exchanges.flatMap((exchange) => description.faults(exchange)),
      [],
    )
    const done = new Set(exchanges.map(({ operationId, status }) => `${operationId} ${status}`))
    const wanted = description.operations
      .filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
      .flatMap(({ operation }) =>
        Object.keys(operation.responses).flatMap((status) =>
          Number(status) < 400 ? [`${operation.operationId} ${status}`] : [],
        ),
      )
    assert.deepEqual(
      wanted.filter((one) => !done.has(one)),
      [],
      'an operation that session.ts does not do',
    )
  })

  it('holds for HEAD, OPTIONS and what is not allowed', async () => {
    const paths = new Map(exchanges.map(({ path, method }) => [path, method]))
    for (const { path, operation } of description.operations.filter(({ method }) => method === 'OPTIONS')) {
      const real = [...paths.keys()].find((one) => description.faults(of(operation.operationId, one)).length === 0)
      assert.ok(real, path)
      const methods = description.operations.filter((one) => one.path === path).map(({ method }) => method)
      const options = await exchanged(service.url, operation.operationId, real, { method: 'OPTIONS' })
      assert.deepEqual(description.faults(options), [])
      assert.equal(options.headers.get('allow'), methods.join(', '))
      const other = await fetch(service.url + real, { method: 'PATCH' })
      assert.deepEqual([other.status, other.headers.get('allow')], [405, methods.join(', ')])
      const head = description.operations.find((one) => one.path === path && one.method === 'HEAD')
      if (head === undefined) continue
      const answer = await exchanged(service.url, head.operation.operationId, real, { method: 'HEAD' })
      assert.deepEqual(description.faults(answer), [])
    }
  })

  it('shows real answers as examples', () => {
    const url = new URL('../../src/http/openapi/examples.json', import.meta.url)
    const shown: unknown = JSON.parse(readFileSync(url, 'utf8'))
    assert.deepEqual(shown, examplesOf(exchanges), 'to bring them up to date: npm run docs')
  })

  it('is a page that loads nothing from elsewhere and runs nothing', async () => {
    const response = await fetch(`${service.url}/docs`)
    const page = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    const style = /<style>([^<]*)<\/style>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    assert.match(policy, /^default-src 'none'; style-src 'sha256-/)
    assert.ok(policy.includes(hash), 'the policy forbids the style of the page')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.doesNotMatch(page, /<script|<img|<link|<iframe|\son\w+=|\sstyle=|(src|href)="(https?:)?\/\//)
    const shown = description.operations.filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
    for (const { operation } of shown) assert.ok(page.includes(`id="${operation.operationId}"`), operation.operationId)
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1])
    assert.ok(links.length > 50)
    assert.deepEqual(
      links.filter((one) => !ids.has(one)),
      [],
    )
  })

  it('shows only examples that keep to the schemas', () => {
    for (const { operation } of description.operations) {
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const { schema, example, examples = {} } of Object.values(content)) {
          const values = [
            ...(example === undefined ? [] : [example]),
            ...Object.values(examples).map((one) => one.value),
          ]
          for (const value of values) {
            assert.deepEqual(description.valueFaults(schema, value), [], `${operation.operationId} ${status}`)
            assert.doesNotMatch(JSON.stringify(value), /undefined|NaN/, `${operation.operationId} ${status}`)
          }
        }
      }
    }
  })
})

/** An answer to OPTIONS as it should be. */
function of(operationId: string, path: string): Exchange {
  return {
    operationId,
    method: 'OPTIONS',
    path,
    status: 204,
    headers: new Headers({ allow: '' }),
    body: Buffer.alloc(0),
  }
}

function undescribed(schema: JsonSchema, path: string): readonly string[] {
  if (schema.$ref !== undefined) return []
  const own = schema.description === undefined ? [path] : []
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => undescribed(one, `${path}.${name}`))
  const items =
    schema.items?.properties === undefined ? [] : undescribed({ description: 'above it', ...schema.items }, path)
  return [...own, ...members, ...items]
}
