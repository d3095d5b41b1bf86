// Tests of kills: whenever a process dies, what it acknowledged is kept, and nothing incomplete is visible.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killAtRandom } from './kills.ts'
import { seed } from './random.ts'

const rounds = 30

test(`kill -9 at ${rounds} random moments loses nothing acknowledged (SEED=${seed})`, async (t) => {
  const { begun, kept } = await killAtRandom({ seed, rounds })
  assert.ok(kept > rounds, `only ${kept} datasets were acknowledged: the kills are too early to prove much`)
  t.diagnostic(`${begun} datasets begun, ${kept} kept`)
})
