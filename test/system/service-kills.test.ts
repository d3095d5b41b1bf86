// Tests of kills of the service at any moment of an upload.
import { join } from 'node:path'
import { after, test } from 'node:test'
import { scratchDir, seesProcesses } from '../support/running-service.ts'
import { seed } from '../support/samples.ts'
import { surviveKills } from './service-kills.ts'

const scratch = await scratchDir()
after(() => scratch[Symbol.asyncDispose]())

test(`a service killed during uploads keeps all that is acknowledged, and no more (SEED=${seed})`, async (t) => {
  if (!seesProcesses) return t.skip('this system does not show processes')
  await surviveKills(join(scratch.path, 'service-killed'), { seed, rounds: 4 })
})
