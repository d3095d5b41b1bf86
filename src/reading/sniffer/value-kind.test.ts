// Tests of value kinds: what is seen to be a number without a value being made is one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { isPlainNumber, kindOf } from './value-kind.ts'

test('isPlainNumber() holds for figures with one point or comma among them, wherever they stand in a text', () => {
  const yes = ['0', '12', '007', '1.5', '1,5', '1.', '9'.repeat(40)]
  const no = ['', '.5', '-1', '1.2.3', '1e5', '1 000', '1a', '9'.repeat(41)]
  for (const value of yes) assert.ok(isPlainNumber(`x${value}y`, 1, 1 + value.length), value)
  for (const value of no) assert.ok(!isPlainNumber(`x${value}y`, 1, 1 + value.length), value)
})

test('kindOf() gives number for whatever isPlainNumber() holds for (seeded)', () => {
  const random = randomFrom(5)
  let plain = 0
  for (let i = 0; i < 20_000; i++) {
    const value = Array.from({ length: random(9) }, () => '0123456789.,-: '[random(15)]).join('')
    if (!isPlainNumber(value, 0, value.length)) continue
    plain += 1
    assert.equal(kindOf(value), 'number', value)
  }
  assert.ok(plain > 1_000, `${plain}`)
})

test('kindOf() takes capitals before figures for a currency only if they are one', () => {
  for (const value of ['EUR 1,200.00', 'USD12', 'CHF -5', '$ 1,200', '(USD 12)', '12 EUR'])
    assert.equal(kindOf(value), 'number', value)
  for (const value of ['VAR001', 'VAR00001', 'DAY 1', 'SMA200', 'COL12']) assert.equal(kindOf(value), 'text', value)
})
