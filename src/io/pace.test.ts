// Tests of pace: the rate holds, and idle time is not made up for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './pace.ts'

function fakeClock() {
  const clock = { nowMs: 5_000, sleptMs: 0 }
  return {
    ...clock,
    state: clock,
    now: () => clock.nowMs,
    sleep: async (ms: number) => {
      clock.nowMs += ms
      clock.sleptMs += ms
    },
  }
}

test('createPace() takes as long as the rate says, whatever the piece sizes', async () => {
  for (const piece of [1, 100, 4_096, 1_000_000]) {
    const clock = fakeClock()
    const pace = createPace(1_000_000, clock)
    const { signal } = new AbortController()
    const total = piece === 1 ? 300_000 : 3_000_000
    for (let bytes = 0; bytes < total; bytes += piece) await pace(piece, signal)
    assert.ok(Math.abs(clock.state.sleptMs - total / 1_000) < 20, `${clock.state.sleptMs} ms in pieces of ${piece}`)
  }
})

test('createPace() does not make up for idle time', async () => {
  const clock = fakeClock()
  const pace = createPace(1_000, clock)
  await pace(1_000, new AbortController().signal)
  clock.state.nowMs += 3_600_000
  const before = clock.state.sleptMs
  await pace(1_000, new AbortController().signal)
  assert.equal(clock.state.sleptMs - before, 1_000)
})
