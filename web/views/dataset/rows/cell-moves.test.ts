// Tests of cell moves: keys move within the table, never out of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isInside, movedCell, rangeOf } from './cell-moves.ts'

const size = { rows: 100, columns: 3, page: 10 }
const press = (key: string, row: number, column: number, held: 'ctrlKey' | 'shiftKey' | null = null) =>
  movedCell({ key, ctrlKey: held === 'ctrlKey', metaKey: false, shiftKey: held === 'shiftKey' }, { row, column }, size)

test('movedCell() moves by a cell or a page, or to an end, and stops at the edges', () => {
  assert.deepEqual(press('ArrowDown', 5, 1), { row: 6, column: 1 })
  assert.deepEqual(press('ArrowRight', 5, 2), { row: 5, column: 2 })
  assert.deepEqual(press('ArrowLeft', 5, 0), { row: 5, column: 0 })
  assert.deepEqual(press('PageDown', 95, 0), { row: 99, column: 0 })
  assert.deepEqual(press('PageUp', 95, 0), { row: 85, column: 0 })
  assert.deepEqual(press('Home', 5, 2), { row: 5, column: 0 })
  assert.deepEqual(press('End', 5, 0, 'ctrlKey'), { row: 99, column: 2 })
  assert.deepEqual(press('Home', 5, 2, 'ctrlKey'), { row: 0, column: 0 })
  assert.deepEqual(press('ArrowDown', 5, 1, 'ctrlKey'), { row: 99, column: 1 })
  assert.deepEqual(press('ArrowLeft', 5, 2, 'ctrlKey'), { row: 5, column: 0 })
  assert.equal(press('a', 5, 0), null)
})

test('movedCell() goes from the first row to the heads and along them, but does not select them', () => {
  assert.deepEqual(press('ArrowUp', 0, 1), { row: -1, column: 1 })
  assert.deepEqual(press('ArrowUp', -1, 1), { row: -1, column: 1 })
  assert.deepEqual(press('End', -1, 0), { row: -1, column: 2 })
  assert.deepEqual(press('ArrowDown', -1, 1), { row: 0, column: 1 })
  assert.deepEqual(press('ArrowUp', 0, 1, 'shiftKey'), { row: 0, column: 1 })
  assert.deepEqual(press('ArrowUp', 9, 1, 'ctrlKey'), { row: 0, column: 1 })
  assert.deepEqual(press('Home', -1, 1, 'ctrlKey'), { row: 0, column: 0 })
})

test('rangeOf() spans two cells in either order', () => {
  const range = rangeOf({ row: 5, column: 2 }, { row: 3, column: 0 })
  assert.deepEqual(range, { from: { row: 3, column: 0 }, to: { row: 5, column: 2 } })
  assert.ok(isInside(range, { row: 4, column: 1 }))
  assert.ok(!isInside(range, { row: 6, column: 1 }))
  assert.deepEqual(rangeOf({ row: -1, column: 0 }, { row: 2, column: 0 }).from, { row: 0, column: 0 })
})
