// Tests of the limit on requests: windows end on time, whatever the wall clock says.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { RequestLimit } from './authorize.ts'

const windowMs = 60_000

/** Whether one more request of this key is within the limit. */
function isAllowed(limit: RequestLimit, key: string): boolean {
  try {
    limit.count(key)
    return true
  } catch {
    return false
  }
}

test('RequestLimit counts within a window, and starts over after it', (t) => {
  let nowMs = 5_000
  const clock = mock.method(performance, 'now', () => nowMs)
  t.after(() => clock.mock.restore())
  const limit = new RequestLimit(1)
  assert.ok(isAllowed(limit, 'a'))
  nowMs += windowMs - 1
  assert.ok(!isAllowed(limit, 'a'))
  assert.ok(isAllowed(limit, 'b'))
  nowMs += 1
  assert.ok(isAllowed(limit, 'a'))
})

test('RequestLimit ignores jumps of the wall clock', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20') })
  const limit = new RequestLimit(1)
  limit.count('a')
  for (const date of ['1999-01-01', '2040-01-01']) {
    t.mock.timers.setTime(Date.parse(date))
    assert.ok(!isAllowed(limit, 'a'), 'a jump does not end the window')
  }
})

test('RequestLimit forgets the least recently used keys beyond 5000', () => {
  const limit = new RequestLimit(1)
  for (let i = 0; i < 5_000; i++) limit.count(`${i}`)
  assert.ok(!isAllowed(limit, '0'))
  limit.count('one more')
  assert.ok(!isAllowed(limit, '0'))
  assert.ok(isAllowed(limit, '1'))
})
