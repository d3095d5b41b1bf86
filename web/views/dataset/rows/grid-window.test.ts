// Tests of the grid window: every row and every column of a table of any size can come into view, and few cells exist at
// once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  columnStarts,
  columnWindow,
  firstRow,
  heightMax,
  scrollHeight,
  scrollLeftOf,
  scrollTopOf,
} from './grid-window.ts'

const columnsOf = (count: number, type = 'boolean') =>
  Array.from({ length: count }, (_, at) => ({ name: `c${at}`, type }))

test('columnStarts() stretches a narrow table, but not without limit, and limits long names', () => {
  const starts = columnStarts(columnsOf(8, 'text'), 1_344, 20)
  assert.deepEqual(starts, [0, 160, 320, 480, 640, 800, 960, 1_120, 1_280])
  assert.deepEqual(columnStarts(columnsOf(1), 1_344, 20), [0, 176])
  assert.deepEqual(columnStarts([{ name: 'x'.repeat(500), type: 'text' }], 300, 20), [0, 264])
})

test('columnWindow() has the columns in view at every position, and few cells', () => {
  for (const [viewWidth, rows] of [
    [320, 20],
    [1_280, 22],
    [3_840, 70],
  ] as const) {
    const starts = columnStarts(columnsOf(1_000), viewWidth, rows)
    const room = viewWidth - 64
    for (let left = 0; left <= starts[1_000]! - room; left += 37) {
      const { from, to } = columnWindow(starts, left, room)
      assert.ok(starts[from]! <= left, `${left}`)
      assert.ok(starts[to]! >= left + room, `${left}`)
      assert.ok((to - from) * rows <= 2_000, `${to - from} columns at ${left}`)
    }
  }
})

test('columnWindow() shows all columns of a table that fits', () => {
  assert.deepEqual(columnWindow(columnStarts(columnsOf(3), 1_280, 20), 0, 1_216), { from: 0, to: 3 })
})

test('scrollLeftOf() brings a whole column into view, and moves no further than needed', () => {
  const room = 1_216
  const starts = columnStarts(columnsOf(500, 'text'), 1_280, 20)
  for (const column of [0, 1, 250, 499]) {
    for (const left of [0, 1_000, 70_000]) {
      const found = scrollLeftOf(starts, column, left, room)
      assert.ok(found <= starts[column]!)
      assert.ok(starts[column + 1]! <= found + room)
      assert.equal(scrollLeftOf(starts, column, found, room), found)
    }
  }
  assert.equal(scrollLeftOf(starts, 3, 200, room), 200)
})

const viewHeight = 560
const rowHeight = 28

test('firstRow() inverts scrollTopOf() for tables of every length', () => {
  for (const rows of [1, 20, 1_000, Math.floor(heightMax / rowHeight), 10_000_000, 1_000_000_000]) {
    const last = Math.max(0, rows - viewHeight / rowHeight)
    for (const row of [0, 1, Math.floor(last / 2), last - 1, last].filter((one) => one >= 0 && one <= last)) {
      const top = scrollTopOf(row, rows, viewHeight, rowHeight)
      assert.deepEqual(firstRow(rows, top, viewHeight, rowHeight), { first: row, above: 0 }, `${row} of ${rows}`)
    }
  }
})

test('firstRow() moves by pixels, and ends with the whole last row', () => {
  assert.deepEqual(firstRow(100, 30, viewHeight, rowHeight), { first: 1, above: 2 })
  const { first, above } = firstRow(100, 100 * rowHeight - 571, 571, rowHeight)
  assert.equal(first * rowHeight + above + 571, 100 * rowHeight)
})

test('firstRow() stops at the last full view, however far it is scrolled', () => {
  assert.deepEqual(firstRow(100, 1e9, viewHeight, rowHeight), { first: 80, above: 0 })
  assert.deepEqual(firstRow(10_000_000, 1e9, viewHeight, rowHeight), { first: 9_999_980, above: 0 })
  assert.deepEqual(firstRow(5, 1e9, viewHeight, rowHeight), { first: 0, above: 0 })
})

test('scrollHeight() stays within the limit of browsers', () => {
  assert.equal(scrollHeight(10, rowHeight), 10 * rowHeight)
  assert.equal(scrollHeight(1e9, rowHeight), heightMax)
})
