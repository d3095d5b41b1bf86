// Tests of value kinds: numbers recognized without creating a string are numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.testing.ts'
import { isPlainNumber, kindOf } from './value-kind.ts'

test('isPlainNumber() is true for digits with at most one point or comma, anywhere in a text', () => {
  const yes = ['0', '12', '007', '1.5', '1,5', '1.', '9'.repeat(40)]
  const no = ['', '.5', '-1', '1.2.3', '1e5', '1 000', '1a', '9'.repeat(41)]
  for (const value of yes) assert.ok(isPlainNumber(`x${value}y`, 1, 1 + value.length), value)
  for (const value of no) assert.ok(!isPlainNumber(`x${value}y`, 1, 1 + value.length), value)
})

test('kindOf() returns number whenever isPlainNumber() is true (seeded)', () => {
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

test('kindOf() treats capitals before digits as a currency only if they are one', () => {
  for (const value of ['EUR 1,200.00', 'USD12', 'CHF -5', '$ 1,200', '(USD 12)', '12 EUR'])
    assert.equal(kindOf(value), 'number', value)
  for (const value of ['VAR001', 'VAR00001', 'DAY 1', 'SMA200', 'COL12']) assert.equal(kindOf(value), 'text', value)
})

test('kindOf() recognizes numbers, dates and addresses by their characters', () => {
  const kinds = {
    number: ['1.5E-3', '12e-7', '1234', '-0.5', '12 %', '1,234.50'],
    date: ['2024-01-02', '2024/1/2', '12 Jan 2024', 'Jan 12, 2024'],
    timestamp: ['2024-01-02T03:04:05Z', '2024-01-02 03:04', '01/02/2024 3:04 PM'],
    time: ['12:30', '1:02:03 am'],
    address: ['http://a.b', 'www.a.b', 'WWW.a.b', 'a.b@c.de', '10.0.0.1', '0f0e0d0c-0000-1111-2222-333344445555'],
    text: ['2024-', 'a12', 'name 7', 'x/y', '1.2.3', '0f0e0d0c-0000-1111-2222-33334444555', 'jan 12, 2024'],
  }
  for (const [kind, values] of Object.entries(kinds)) {
    for (const value of values) assert.equal(kindOf(value), kind, value)
  }
})
