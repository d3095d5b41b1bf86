// Tests of exact comparison: decimal texts are equal, or in order, by value, whatever their size and form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareExactly, exactKey, exactNumber } from './compare-numbers.ts'

const equal = [
  ['0', '-0.00', '0e5', '1e-400'],
  ['12.5', '+012.50', '125e-1', '0.0125E3'],
  ['-300', '-3e2', '-0.3e3'],
  ['0.30000000000000001', '3.0000000000000001e-1'],
]

test('exactKey() is the same for texts of one number, and differs between numbers', () => {
  const keys = equal.map((texts) => new Set(texts.map((text) => exactKey(exactNumber(text)))))
  assert.deepEqual(
    keys.map(({ size }) => size),
    equal.map(() => 1),
  )
  assert.equal(new Set(keys.flatMap((one) => [...one])).size, equal.length)
  assert.equal(exactKey(exactNumber('1.234,5', '.', ',')), exactKey(exactNumber('1234.5')))
})

test('compareExactly() orders numbers that a double does not tell apart', () => {
  const ascending = ['-1e300', '-0.30000000000000002', '-0.3', '0', '0.3', '0.30000000000000001', '9', '10', '1e300']
  const numbers = ascending.map((text) => exactNumber(text))
  const orders = numbers.map((one) => numbers.map((other) => Math.sign(compareExactly(one, other)) + 0))
  assert.deepEqual(
    orders,
    numbers.map((_, i) => numbers.map((_, k) => Math.sign(i - k))),
  )
})
