// Tests of pace: the rate holds, and time in which nothing was done earns nothing.
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

test('createPace() takes as long as the rate says, whatever the pieces', async () => {
  for (const piece of [1, 100, 4_096, 1_000_000]) {
    const clock = fakeClock()
    const pace = createPace(1_000_000, clock)
    for (let bytes = 0; bytes < 3_000_000; bytes += piece) await pace(piece, new AbortController().signal)
    assert.ok(Math.abs(clock.state.sleptMs - 3_000) < 20, `${clock.state.sleptMs} ms in pieces of ${piece}`)
  }
})

test('createPace() does not make up for time in which nothing was done', async () => {
  const clock = fakeClock()
  const pace = createPace(1_000, clock)
  await pace(1_000, new AbortController().signal)
  clock.state.nowMs += 3_600_000
  const before = clock.state.sleptMs
  await pace(1_000, new AbortController().signal)
  assert.equal(clock.state.sleptMs - before, 1_000)
})
