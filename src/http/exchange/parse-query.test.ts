// Tests of schema checks: the messages for parameters and bodies that do not match a schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryBody, readingBody, rowsQuery } from '../openapi/request-schemas.ts'
import { routesOf } from '../routes.ts'
import { defaultHttpOptions } from '../server.ts'
import { compileQuery } from './parse-query.ts'

type Schema = Parameters<typeof compileQuery>[0]['schema']

/** The message of the refusal; null if the value is accepted. */
function refusal(schema: Schema, httpPart: string, given: unknown): string | null {
  const checked: unknown = compileQuery({ schema, httpPart, method: 'POST', url: '/' })(given)
  assert.ok(typeof checked === 'object' && checked !== null)
  return 'error' in checked ? (checked.error as Error).message : null // a ServiceError, as its docstring says
}

test('compileQuery() names the required members if a body has none of them', () => {
  for (const given of [undefined, null, {}, [], ['sql'], 1, 'select 1']) {
    assert.equal(refusal(queryBody, 'body', given), "Cannot read request: its body is not a JSON object with 'sql'")
    const problem = "Cannot read request: its body is not a JSON object with 'dialect' or 'schema'"
    assert.equal(refusal(readingBody, 'body', given), problem)
  }
})

test('compileQuery() names the invalid member or parameter', () => {
  const cases: readonly (readonly [Schema, string, unknown, RegExp | null])[] = [
    [queryBody, 'body', { sql: 'select 1' }, null],
    [queryBody, 'body', { sql: 1 }, /parameter 'sql': '1', expected one text of 1 to 65536 characters/],
    [queryBody, 'body', { sql: 'select 1', x: 2 }, /parameter 'x': it is unknown, expected one of sql/],
    [queryBody, 'body', { sqll: 'select 1' }, /parameter 'sqll': it is unknown, expected one of sql/],
    [rowsQuery, 'querystring', {}, null],
    [rowsQuery, 'querystring', { limit: '10' }, null],
    [rowsQuery, 'querystring', { limit: 'abc' }, /parameter 'limit': 'abc', expected one whole number from 1 to/],
    [rowsQuery, 'querystring', { limit: ['1', '2'] }, /parameter 'limit': it is given 2 times/],
    [
      rowsQuery,
      'querystring',
      { ofset: '1' },
      /parameter 'ofset': it is unknown, expected one of offset, limit, columns/,
    ],
  ]
  for (const [schema, part, given, wanted] of cases) {
    const seen = refusal(schema, part, given)
    if (wanted === null) assert.equal(seen, null)
    else assert.match(seen ?? 'taken', wanted)
  }
})

test('compileQuery() says of every parameter of every route what is wanted', () => {
  const checked = new Set<string>()
  for (const row of routesOf(defaultHttpOptions)) {
    for (const part of ['querystring', 'body'] as const) {
      const given = row[part] as Schema & { readonly properties?: object; readonly required?: readonly string[] }
      for (const name of Object.keys(given?.properties ?? {})) {
        for (const wrong of [{}, [], ['1', '2'], '', -1, '\0'.repeat(70_000), null]) {
          const needed = part === 'body' ? Object.fromEntries((given.required ?? []).map((one) => [one, 'a'])) : {}
          const message = refusal(given, part, { ...needed, [name]: wrong })
          if (message === null) continue
          checked.add(name)
          assert.doesNotMatch(message, /undefined|NaN|null to/, `${row.url} ${name}: ${message}`)
          assert.match(message, new RegExp(`'${name}'.*, expected \\S`, 's'))
        }
      }
    }
  }
  for (const name of ['id', 'table', 'key', 'mode', 'limit', 'sql']) assert.ok(checked.has(name), name)
})
