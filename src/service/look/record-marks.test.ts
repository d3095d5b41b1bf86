// Tests of record marks: bounded for every file, and no further apart than necessary.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordMarks } from './record-marks.ts'

test('RecordMarks keeps at most 512 marks, including the first, evenly apart', () => {
  const zero = { byteOffset: 0, lines: 0, records: 0, accepted: 0, rejected: 0 }
  const marks = new RecordMarks(zero)
  const bytes = 1_000 * 1_048_576
  for (let i = 1; i <= bytes / 16_384; i += 1) {
    marks.add({ byteOffset: i * 16_384, lines: i, records: i, accepted: i, rejected: 0 })
    assert.ok(marks.list.length <= 512)
  }
  const { list } = marks
  assert.deepEqual(list[0], zero)
  assert.ok(list.length > 200, `${list.length}`)
  const distances = list.slice(1).map((one, i) => one.byteOffset - list[i]!.byteOffset)
  assert.ok(Math.max(...distances) <= 4 * 1_048_576, `${Math.max(...distances)}`)
  assert.ok(Math.max(...distances) <= 2 * Math.min(...distances))
})
