// Tests of SQL text: names and paths in quotes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifier, literal, pathLiteral } from './sql-text.ts'

test('identifier(), literal() and pathLiteral() double quotes, and pathLiteral() escapes glob patterns', () => {
  assert.equal(identifier('a "b"'), '"a ""b"""')
  assert.equal(literal("it's"), "'it''s'")
  assert.equal(pathLiteral("a*b?[c]'"), "'a[*]b[?][[]c]'''")
})
