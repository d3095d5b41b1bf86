// Tests of three replicas over one bucket, in hundreds of schedules from a seed: each call of the bucket is held and
// released by itself, requests fail, processes pause and are killed, and clocks are 20 minutes apart.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkReplicas } from '../support/replica-checks.ts'
import { type Options, playSchedule } from '../support/replica-schedule.ts'
import { patchGlobals } from '../support/replica-world.ts'
import { scratchDir } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'

const schedules = 120
/** As many as find a control's fault with near certainty. */
const controlSchedules = 1_000

const scratch = await scratchDir()
const patched = patchGlobals()
after(async () => {
  patched[Symbol.dispose]()
  await scratch[Symbol.asyncDispose]()
})

test(`of what replicas do to each other, nothing is lost, comes back, counts as damaged or is left (SEED=${seed})`, async (t) => {
  let calls = 0
  const check: Options['check'] = async (played) => {
    calls += played.world.log.length
    await checkReplicas(played)
  }
  for (let number = 0; number < schedules; number += 1) await playSchedule(seed + number, { dir: scratch.path, check })
  t.diagnostic(`${schedules} schedules, ${calls} calls and events`)
})

const controls: readonly (readonly [string, Partial<Options>, RegExp])[] = [
  ['a bucket that ignores conditions', { ignores: /receipt\.json$/ }, /had not read/],
  ['replicas that never sweep', { withoutSweeps: true }, /is left|is missing/],
]

for (const [title, control, fault] of controls) {
  test(`the checks of the schedules find ${title}`, async () => {
    for (let number = 0; number < controlSchedules; number += 1) {
      const played = playSchedule(seed + number, { dir: scratch.path, check: checkReplicas, ...control })
      const failure = await played.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (failure !== undefined && fault.test(String(failure))) return
    }
    assert.fail(`no schedule has found it: ${fault}`)
  })
}
