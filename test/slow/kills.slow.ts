// Tests of three hundred kills at random moments: what was acknowledged is kept, and nothing incomplete is ever
// visible.
import { test } from 'node:test'
import { scratchDir, seesProcesses } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'
import { surviveKills } from '../system/service-kills.ts'

test(`a service killed 300 times keeps everything acknowledged, and nothing incomplete (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await using scratch = await scratchDir()
  await surviveKills(scratch.path, { seed, rounds: 300 })
})
