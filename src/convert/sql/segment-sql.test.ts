// Tests of sql: names, paths and what of a failure may be shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifier, literal, pathLiteral, withoutValues } from './segment-sql.ts'

test('identifier(), literal() and pathLiteral() double what would end them, and take patterns for characters', () => {
  assert.equal(identifier('a "b"'), '"a ""b"""')
  assert.equal(literal("it's"), "'it''s'")
  assert.equal(pathLiteral("a*b?[c]'"), "'a[*]b[?][[]c]'''")
})

test('withoutValues() leaves out the record that a failure quotes, and keeps what was wrong with it', () => {
  const message = 'CSV Error on Line: 7\nOriginal Line: secret,"1\n2"\nExpected Number of Columns: 2 Found: 3\nfixes'
  assert.equal(withoutValues(message), 'CSV Error on Line: 7\nExpected Number of Columns: 2 Found: 3')
  assert.doesNotMatch(withoutValues('CSV Error\nOriginal Line: secret'), /secret/)
})

test('withoutValues() cuts a long message', () => {
  assert.equal(withoutValues('x'.repeat(10_000)).length, 500)
})
