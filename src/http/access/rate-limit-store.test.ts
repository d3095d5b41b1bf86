// Tests of the counts behind request limits: windows end on time, whatever the wall clock says.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { RateLimitStore } from './authorize.ts'

const windowMs = 60_000

/** Counts `key` once more. */
function count(counts: RateLimitStore, key: string): { current: number; ttl: number } {
  let seen = { current: 0, ttl: 0 }
  counts.incr(
    key,
    (_error, result) => {
      seen = { ...result }
    },
    windowMs,
  )
  return seen
}

test('SteadyCounts counts within a window, and starts over after it', (t) => {
  let nowMs = 5_000
  const clock = mock.method(performance, 'now', () => nowMs)
  t.after(() => clock.mock.restore())
  const counts = new RateLimitStore()
  assert.deepEqual(count(counts, 'a'), { current: 1, ttl: windowMs })
  nowMs += windowMs - 1
  assert.deepEqual(count(counts, 'a'), { current: 2, ttl: 1 })
  assert.deepEqual(count(counts, 'b'), { current: 1, ttl: windowMs })
  nowMs += 1
  assert.deepEqual(count(counts, 'a'), { current: 1, ttl: windowMs })
})

test('SteadyCounts ignores jumps of the wall clock', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20') })
  const counts = new RateLimitStore()
  count(counts, 'a')
  for (const date of ['1999-01-01', '2040-01-01']) {
    t.mock.timers.setTime(Date.parse(date))
    const { current, ttl } = count(counts, 'a')
    assert.ok(current > 1, 'a jump does not end the window')
    assert.ok(ttl > 0 && ttl <= windowMs, 'a jump does not lengthen the window')
  }
})

test('SteadyCounts forgets the least recently used keys beyond 5000', () => {
  const counts = new RateLimitStore()
  for (let i = 0; i < 5_000; i++) count(counts, `${i}`)
  assert.equal(count(counts, '0').current, 2)
  count(counts, 'one more')
  assert.equal(count(counts, '0').current, 3)
  assert.equal(count(counts, '1').current, 1)
})
