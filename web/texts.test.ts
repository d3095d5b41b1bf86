// Tests of the texts: figures take their places, and the words after them agree with them.
import assert from 'node:assert/strict'
import { test } from 'node:test'

// What the language of a visit is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } })
const { t } = await import('./texts.ts')

test('a sentence has its figures in order, and the word after `1` is singular', () => {
  assert.equal(t.rowCount('1', '3'), '1 Zeile in 3 ms')
  assert.equal(t.rowCount('2', '1'), '2 Zeilen in 1 ms')
  assert.equal(t.rowsAndRejects('1', '2'), '1 Zeile, 2 abgelehnt')
  assert.equal(t.moreColumns('1'), '1 weitere Spalte ist hier nicht gezeigt.')
})

test('a figure is shown as it is, even if it looks like a place', () => {
  assert.equal(t.isInTrash('{}{a|b}$&.csv'), '{}{a|b}$&.csv ist im Papierkorb.')
})
