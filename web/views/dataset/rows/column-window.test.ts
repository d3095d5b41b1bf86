// Tests of the column window: every column of a wide table can come into view, and few exist at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnWidth, columnWindow, numbersWidth, scrollLeftOf } from './column-window.ts'

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
