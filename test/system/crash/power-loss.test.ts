// Tests of power loss: a store opened on any state that the disk may be in has everything that was promised.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isTraceable } from './crash.ts'
import { LossyDisk } from './power-loss.ts'
import { bootStates, recordSteps } from './power-states.ts'
import { seed } from './random.ts'

const skip = isTraceable ? false : 'strace is not there or may not trace'

test(`power loss at any step keeps what was promised, and nothing incomplete (SEED=${seed})`, { skip }, async (t) => {
  const steps = await recordSteps()
  const { booted, broken } = await bootStates(steps, new LossyDisk(steps), { seed, count: 150 })
  assert.equal(broken, null)
  t.diagnostic(`${booted} states of ${steps.length} steps`)
})

for (const counts of ['none', 'of files only'] as const) {
  test(`if syncs count ${counts}, the same check finds a broken promise (SEED=${seed})`, { skip }, async () => {
    const steps = await recordSteps()
    const { broken } = await bootStates(steps, new LossyDisk(steps, counts), { seed, count: 500 })
    assert.notEqual(broken, null)
  })
}
