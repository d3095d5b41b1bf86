// Tests of the grid window: every row and every column of a table of any size can come into view, and few columns exist
// at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  columnWidth,
  columnWindow,
  firstRow,
  heightMax,
  numbersWidth,
  rowHeight,
  scrollHeight,
  scrollLeftOf,
  scrollTopOf,
} from './grid-window.ts'

test('columnWindow() shows all columns of a narrow table', () => {
  assert.deepEqual(columnWindow(60, 5_000, 390), { from: 0, to: 60 })
})

test('columnWindow() has the columns in view at every position, and few more', () => {
  for (const viewWidth of [320, 1_280, 2_560]) {
    for (let left = 0; left <= 500 * columnWidth; left += 37) {
      const { from, to } = columnWindow(500, left, viewWidth)
      assert.ok(from * columnWidth <= left, `${left}`)
      assert.ok(to === 500 || to * columnWidth >= left + viewWidth - numbersWidth, `${left}`)
      assert.ok(to - from <= viewWidth / columnWidth + 7, `${to - from} at ${left}`)
    }
  }
})

test('scrollLeftOf() brings a whole column into view, and moves no further than needed', () => {
  for (const column of [0, 1, 250, 499]) {
    for (const left of [0, 1_000, 80_000]) {
      const found = scrollLeftOf(column, left, 1_280)
      assert.ok(found <= column * columnWidth)
      assert.ok(numbersWidth + (column + 1) * columnWidth <= found + 1_280)
      assert.equal(scrollLeftOf(column, found, 1_280), found)
    }
  }
  assert.equal(scrollLeftOf(3, 200, 1_280), 200)
})

const viewHeight = 560

test('firstRow() inverts scrollTopOf() for tables of every length', () => {
  for (const rows of [1, 20, 1_000, heightMax / rowHeight, 10_000_000, 1_000_000_000]) {
    const last = Math.max(0, rows - viewHeight / rowHeight)
    for (const row of [0, 1, Math.floor(last / 2), last - 1, last].filter((one) => one >= 0 && one <= last)) {
      const found = firstRow(rows, scrollTopOf(Math.floor(row), rows, viewHeight), viewHeight)
      assert.equal(found, Math.floor(row), `${row} of ${rows}`)
    }
  }
})

test('firstRow() stops at the last full view, however far it is scrolled', () => {
  assert.equal(firstRow(100, 1e9, viewHeight), 80)
  assert.equal(firstRow(10_000_000, 1e9, viewHeight), 9_999_980)
  assert.equal(firstRow(5, 1e9, viewHeight), 0)
})

test('scrollHeight() stays within the limit of browsers', () => {
  assert.equal(scrollHeight(10), 10 * rowHeight)
  assert.equal(scrollHeight(1e9), heightMax)
})
