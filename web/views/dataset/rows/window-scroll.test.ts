// Tests of window scroll: every row of a table of any length can be reached, including both ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstRow, heightMax, rowHeight, scrollHeight, scrollTopOf } from './window-scroll.ts'

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
