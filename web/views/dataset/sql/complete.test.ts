// Tests of completion: columns come first, names are quoted if needed, and texts and comments are not completed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from './complete.ts'

const columns = ['city', 'Order Date', 'count', 'say "x"']
const functions = ['count', 'contains', 'median']
const labels = (sql: string, at = sql.length) =>
  complete(sql, at, columns, functions)?.options.map(({ text }) => text) ?? []

test('complete() offers columns, then functions, then keywords', () => {
  assert.deepEqual(labels('SELECT c'), ['city', 'count', 'count(', 'contains(', 'CASE ', 'CAST '])
  assert.deepEqual(labels('SELECT media'), ['median('])
  assert.deepEqual(labels('sel'), ['SELECT '])
  assert.deepEqual(labels('SELECT "Order Date", medi'), ['median('])
  assert.deepEqual(labels("WHERE city = 'x' AND ci"), ['city'])
})

test('complete() offers a column whose name contains the word before any function', () => {
  const many = Array.from({ length: 20 }, (_, index) => `regr_${index}`)
  const found = complete('SELECT reg', 10, ['sales region'], many)
  assert.equal(found?.options[0]?.label, 'sales region')
})

test('complete() quotes names that need it, or that begin with a quote', () => {
  assert.deepEqual(labels('SELECT "ord'), ['"Order Date"'])
  assert.deepEqual(labels('SELECT date'), ['"Order Date"'].concat(labels('SELECT date').slice(1)))
  assert.deepEqual(labels('SELECT say'), ['"say ""x"""'])
  assert.deepEqual(labels('SELECT "ci'), ['"city"'])
})

test('complete() offers nothing where nothing fits', () => {
  for (const sql of ['', 'SELECT ', 'SELECT city', "WHERE city = 'c", '-- c', 'SELECT 1', 'xyzzy'])
    assert.deepEqual(labels(sql), [], sql)
  assert.deepEqual(labels('SELECT city', 8), [])
})

test('complete() returns the range of the statement to replace', () => {
  const found = complete('SELECT ci FROM data', 9, columns, functions)
  assert.deepEqual([found?.from, found?.to], [7, 9])
})
