// Tests of spools in crashes: all bytes up to an acknowledged offset survive kill -9 and power loss.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratchDir } from '../../support/running-service.ts'
import { isTraceable, runProgram } from './crash.ts'
import { type DiskStep, readDiskLog, underTrace } from './disk-log.ts'
import { LossyDisk, type SyncsThatCount } from './power-loss.ts'
import { bootStates } from './power-states.ts'
import { randomFrom, seed } from './random.ts'
import { checkSpools } from './spool-sample.ts'

const skip = isTraceable ? false : 'strace is not there or may not trace'

/** Runs the spool writer; returns its output. */
async function run(dir: string, more: Parameters<typeof runProgram>[2]): Promise<readonly string[]> {
  return (await runProgram('spool-writer.ts', [dir, '4'], more)).said
}

test(`kill -9 at random moments keeps every acknowledged offset of a spool (SEED=${seed})`, async (t) => {
  const random = randomFrom(seed)
  await using scratch = await scratchDir()
  const said: string[] = []
  let killed = 0
  for (let round = 0; round < 25; round += 1) {
    const afterLines = 1 + Math.floor(random() * 20)
    let lines = 0
    const lot = await run(scratch.path, {
      onLine: (line, kill) => {
        if (line !== null) lines += 1
        if (line === null || lines !== afterLines) return
        killed += 1
        setTimeout(kill, random() * 20)
      },
    })
    said.push(...lot)
    await checkSpools(scratch.path, said)
  }
  assert.ok(killed > 10, `only ${killed} writers were killed`)
  t.diagnostic(`${killed} killed, ${said.filter((line) => line.startsWith('at')).length} offsets`)
})

async function recordSteps(): Promise<readonly DiskStep[]> {
  await using scratch = await scratchDir()
  const [dir, tracePath] = [join(scratch.path, 'data'), join(scratch.path, 'trace')]
  await run(dir, { under: underTrace(tracePath) })
  return readDiskLog(await readFile(tracePath, 'latin1'), dir)
}

const boot = (steps: readonly DiskStep[], count: number, counts: SyncsThatCount = 'all') =>
  bootStates(steps, new LossyDisk(steps, counts), { seed, count }, checkSpools)

test(`power loss at any step keeps every acknowledged offset of a spool (SEED=${seed})`, { skip }, async (t) => {
  const steps = await recordSteps()
  const { booted, broken } = await boot(steps, 200)
  assert.equal(broken, null)
  t.diagnostic(`${booted} states of ${steps.length} steps`)
})

for (const counts of ['none', 'of files only'] as const) {
  test(`if syncs count ${counts}, the same check finds a lost offset (SEED=${seed})`, { skip }, async () => {
    const { broken } = await boot(await recordSteps(), 500, counts)
    assert.notEqual(broken, null)
  })
}
