// Tests of segment SQL: quoting of names and paths, and failure messages without values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifier, literal, pathLiteral, withoutValues } from './segment-sql.ts'

test('identifier(), literal() and pathLiteral() double quotes, and pathLiteral() escapes glob patterns', () => {
  assert.equal(identifier('a "b"'), '"a ""b"""')
  assert.equal(literal("it's"), "'it''s'")
  assert.equal(pathLiteral("a*b?[c]'"), "'a[*]b[?][[]c]'''")
})

test('withoutValues() removes the record that a failure quotes, and keeps the problem', () => {
  const message = 'CSV Error on Line: 7\nOriginal Line: secret,"1\n2"\nExpected Number of Columns: 2 Found: 3\nfixes'
  assert.equal(withoutValues(message), 'CSV Error on Line: 7\nExpected Number of Columns: 2 Found: 3')
  assert.doesNotMatch(withoutValues('CSV Error\nOriginal Line: secret'), /secret/)
})

test('withoutValues() truncates a long message', () => {
  assert.equal(withoutValues('x'.repeat(10_000)).length, 500)
})
