// Tests of peekable items: seen and taken in order, and ended early.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Peekable } from './peekable.ts'

test('Peekable shows each item until it is taken, then null', async () => {
  let isReleased = false
  async function* items() {
    try {
      yield* ['a', 'b']
    } finally {
      isReleased = true
    }
  }
  const list = new Peekable(items())
  assert.deepEqual([await list.peek(), await list.peek(), await list.take(), await list.take()], ['a', 'a', 'a', 'b'])
  assert.deepEqual([await list.peek(), await list.take(), await list.peek()], [null, null, null])
  isReleased = false
  {
    await using started = new Peekable(items())
    assert.equal(await started.peek(), 'a')
  }
  assert.ok(isReleased)
})
