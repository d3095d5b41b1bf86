// Tests of query failures: the word at which a message points, on any line, even if the engine has cut the line, what
// is wrong in words, and what would do there.
import assert from 'node:assert/strict'
import { test } from 'node:test'

Object.assign(globalThis, {
  localStorage: { getItem: () => null },
  document: { documentElement: {} },
})
const { queryFailure } = await import('./query-failure.ts')

const at = (sql: string, message: string) => {
  const { place } = queryFailure(sql, message)
  return place === null ? null : sql.slice(place.from, place.to)
}

test('queryFailure() finds the marked word', () => {
  const message = 'Binder Error: column "nme" not found!\n\nLINE 1: SELECT nme FROM data\n               ^'
  assert.equal(at('SELECT nme FROM data', message), 'nme')
})

test('queryFailure() counts lines, and treats a quoted name as one word', () => {
  const sql = 'SELECT 1,\n  "no such" FROM data'
  assert.equal(at(sql, 'x\n\nLINE 2:   "no such" FROM data\n          ^'), '"no such"')
})

test('queryFailure() finds the place in a long line that is partly shown', () => {
  const sql = `SELECT ${'1, '.repeat(60)}nothing FROM data`
  const shown = sql.slice(150)
  const pad = ' '.repeat('LINE 1: ...'.length + shown.indexOf('nothing'))
  assert.equal(at(sql, `x\n\nLINE 1: ...${shown}\n${pad}^`), 'nothing')
})

test('queryFailure() has no place if the message has none, or none in this statement', () => {
  assert.equal(at('SELECT 1', 'it takes too long'), null)
  assert.equal(at('SELECT 1', 'x\n\nLINE 7: SELECT\n        ^'), null)
  assert.equal(at('SELECT 1', 'x\n\nLINE 1: other\n        ^'), null)
})

test('queryFailure() proposes what the engine found only if it is nearly the same word', () => {
  const mended = (sql: string, word: string, message: string) => {
    const marked = `${message}\n\nLINE 1: ${sql}\n${' '.repeat(8 + sql.indexOf(word))}^`
    const { sentence, remedy } = queryFailure(sql, marked)
    assert.ok(sentence, message)
    return remedy && sql.slice(0, remedy.from) + remedy.text + sql.slice(remedy.to)
  }
  const missing = (name: string, near: string) =>
    `Binder Error: Referenced column "${name}" not found in FROM clause!\nCandidate bindings: "${near}", "x"`
  for (const [sql, word, message, expected] of [
    ['SELECT plcaed FROM data', 'plcaed', missing('plcaed', 'placed'), 'SELECT placed FROM data'],
    ['SELECT cty FROM data', 'cty', missing('cty', 'The City'), null],
    ['FROM data WHERE c = "Osaka"', '"Osaka"', missing('Osaka', 'paid'), "FROM data WHERE c = 'Osaka'"],
    ['SELECT 1 FROM dta', 'dta', 'Catalog Error: Table with name dta does not exist! The', 'SELECT 1 FROM data'],
    ['SELECT * FORM data', 'data', 'Parser Error: syntax error at or near "data"', 'SELECT * FROM data'],
    ['SELECT a b c', 'c', 'Parser Error: syntax error at or near "c"', null],
    [
      'SELECT cast(a AS INT)',
      'cast',
      "Conversion Error: Could not convert string 'x' to INT32",
      'SELECT TRY_CAST(a AS INT)',
    ],
  ] as const)
    assert.equal(mended(sql, word, message), expected)
})

test('queryFailure() has no words for what it does not know', () => {
  assert.deepEqual(queryFailure('SELECT 1', 'Odd Error: x'), {
    sentence: null,
    message: 'Odd Error: x',
    place: null,
    remedy: null,
  })
})
