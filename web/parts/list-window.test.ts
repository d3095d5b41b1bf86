// Tests of the window of a list: what is in view exists, and little more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowOf } from './list-window.ts'

test('windowOf() has every row in view, few others, and none that does not exist', () => {
  const [rowHeight, viewHeight] = [38, 800]
  for (const rowCount of [0, 1, 20, 5_000])
    for (let above = 300; above > -rowCount * rowHeight; above -= 17) {
      const { first, end } = windowOf(above, viewHeight, rowHeight, rowCount)
      assert.ok(first >= 0 && first <= end && end <= rowCount, `${first} ${end}`)
      for (let row = 0; row < rowCount; row += 1) {
        const top = above + row * rowHeight
        if (top < viewHeight && top + rowHeight > 0) assert.ok(row >= first && row < end, `row ${row} at ${top}`)
      }
      assert.ok(end - first <= viewHeight / rowHeight + 20)
      if (rowCount > 100) above -= 7_000
    }
})
