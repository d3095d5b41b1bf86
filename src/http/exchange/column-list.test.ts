// Tests of lists of column names: every name can be requested, and ambiguous lists are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isServiceError } from '../../core/errors.ts'
import { readColumnNames } from '../routes/dataset-routes.ts'

const seed = Number(process.env.SEED ?? (Date.now() % 1_000_000) + 1)

test('readColumnNames() reads names, in quotes if they contain commas', () => {
  assert.deepEqual(readColumnNames('a'), ['a'])
  assert.deepEqual(readColumnNames('a, b,a'), ['a', ' b', 'a'])
  assert.deepEqual(readColumnNames('"a,b",c'), ['a,b', 'c'])
  assert.deepEqual(readColumnNames('"say ""hi""",5" disk,""'), ['say "hi"', '5" disk', ''])
  assert.deepEqual(readColumnNames('a,,'), ['a', '', ''])
})

test('readColumnNames() refuses a quote that is not closed, or closed before the end of its name', () => {
  for (const text of ['"', '"a', 'a,"b', '"a"b', '"a" ,b', '"a""']) {
    assert.throws(
      () => readColumnNames(text),
      (error) => isServiceError(error, 'BAD_PARAMETER'),
      text,
    )
  }
})

test(`readColumnNames() returns any names written as a CSV record (SEED=${seed})`, () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (names) => {
      const text = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')
      assert.deepEqual(readColumnNames(text), names)
    }),
    { seed },
  )
})
