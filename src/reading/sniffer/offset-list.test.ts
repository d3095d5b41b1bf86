// Tests of the offset list: it returns what was added, however much, in a new array each time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OffsetList } from './offset-list.ts'

test('OffsetList.take() returns everything added, in order, in a new array, and starts over', () => {
  const list = new OffsetList()
  const taken = [0, 1, 4_095, 4_096, 4_097, 600_000, 3].map((count) => {
    for (let i = 0; i < count; i += 1) list.push(i * 2)
    return { count, offsets: list.take() }
  })
  for (const { count, offsets } of taken) {
    assert.equal(offsets.length, count)
    assert.ok(offsets.every((offset, i) => offset === i * 2))
    assert.equal(offsets.buffer.byteLength, count * 4)
  }
})

test('OffsetList.pop() removes the last offset, and a shorter length all offsets beyond it', () => {
  const list = new OffsetList()
  for (const offset of [5, 6, 7, 8]) list.push(offset)
  assert.equal(list.pop(), 8)
  list.length = 2
  list.push(9)
  assert.deepEqual([...list.take()], [5, 6, 9])
  assert.equal(list.pop(), undefined)
})
