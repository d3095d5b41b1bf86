// Tests of the error place: the word at which a message points, on any line, even if the engine has cut the line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorPlace, withoutPlace } from './error-place.ts'

const at = (sql: string, message: string) => {
  const place = errorPlace(sql, message)
  return place === null ? null : sql.slice(place.from, place.to)
}

test('errorPlace() finds the marked word', () => {
  const message = 'Binder Error: column "nme" not found!\n\nLINE 1: SELECT nme FROM data\n               ^'
  assert.equal(at('SELECT nme FROM data', message), 'nme')
  assert.equal(withoutPlace(message), 'Binder Error: column "nme" not found!')
})

test('errorPlace() counts lines, and treats a quoted name as one word', () => {
  const sql = 'SELECT 1,\n  "no such" FROM data'
  assert.equal(at(sql, 'x\n\nLINE 2:   "no such" FROM data\n          ^'), '"no such"')
})

test('errorPlace() finds the place in a long line that is partly shown', () => {
  const sql = `SELECT ${'1, '.repeat(60)}nothing FROM data`
  const shown = sql.slice(150)
  const pad = ' '.repeat('LINE 1: ...'.length + shown.indexOf('nothing'))
  assert.equal(at(sql, `x\n\nLINE 1: ...${shown}\n${pad}^`), 'nothing')
})

test('errorPlace() is null if the message has no place, or none in this statement', () => {
  assert.equal(errorPlace('SELECT 1', 'it takes too long'), null)
  assert.equal(errorPlace('SELECT 1', 'x\n\nLINE 7: SELECT\n        ^'), null)
  assert.equal(errorPlace('SELECT 1', 'x\n\nLINE 1: other\n        ^'), null)
})
