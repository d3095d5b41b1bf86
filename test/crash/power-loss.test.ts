// Tests of power loss: a store is opened on the states a disk may be in, and holds what was promised before.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkPromises, isTraceable, type Promises, promisesOf, runWriter } from './crash.ts'
import { type DiskStep, readDiskLog, underTrace } from './disk-log.ts'
import { LossyDisk, lossKinds, putDisk } from './power-loss.ts'
import { randomFrom, seed } from './random.ts'

/** States to boot; every one there is with a large number. */
const stateCount = Number(process.env.STATES ?? 150)
const skip = isTraceable ? false : 'strace is not there or may not trace'

async function emptyDirectory(t: TestContext, parent = tmpdir()): Promise<string> {
  const dir = await mkdtemp(join(parent, 'power-loss-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

/** Datasets of several shapes are published, two are removed, and the store is opened a second time. */
async function record(t: TestContext): Promise<readonly DiskStep[]> {
  const dir = await emptyDirectory(t)
  const tracePath = join(await emptyDirectory(t), 'trace')
  const steps: DiskStep[] = []
  for (const [first, count] of [
    [1, 6],
    [9, 3],
  ] as const) {
    const { isWhole } = await runWriter({ dir, first, count, atOnce: 2, under: underTrace(tracePath) })
    assert.ok(isWhole)
    steps.push(...readDiskLog(await readFile(tracePath, 'latin1'), dir))
  }
  return steps
}

/** Opens the store on `count` states after power loss, chosen by `seed`; resolves to the first that breaks a promise. */
async function bootStates(
  t: TestContext,
  steps: readonly DiskStep[],
  disk: LossyDisk,
  count: number,
): Promise<{ readonly booted: number; readonly broken: string | null }> {
  const random = randomFrom(seed)
  const states = steps.flatMap((_, at) => lossKinds.map((kind) => ({ at, kind, order: random() })))
  const chosen = states.toSorted((a, b) => a.order - b.order).slice(0, count)
  // In memory where that is possible: nothing more is to be learned from real syncs.
  const parent = await emptyDirectory(t, existsSync('/dev/shm') ? '/dev/shm' : tmpdir())
  for (const [index, { at, kind }] of chosen.entries()) {
    const dir = await mkdtemp(join(parent, 'disk-'))
    await putDisk(disk.stateAfter(at, kind, random), dir)
    try {
      await checkPromises(dir, promisesAt(steps, at))
    } catch (error) {
      return { booted: index + 1, broken: `after step ${at}, ${kind}: ${error}` }
    }
    await rm(dir, { recursive: true })
  }
  return { booted: chosen.length, broken: null }
}

function promisesAt(steps: readonly DiskStep[], at: number): Promises {
  return promisesOf(steps.slice(0, at + 1).flatMap((step) => (step.kind === 'say' ? step.line : [])))
}

test(`power loss at any step keeps what was promised, and nothing half (SEED=${seed})`, { skip }, async (t) => {
  const steps = await record(t)
  const { booted, broken } = await bootStates(t, steps, new LossyDisk(steps), stateCount)
  assert.equal(broken, null)
  t.diagnostic(`${booted} states of ${steps.length} steps`)
})

for (const counts of ['none', 'of files only'] as const) {
  test(`where syncs count ${counts}, the same check finds a broken promise (SEED=${seed})`, { skip }, async (t) => {
    const steps = await record(t)
    const { broken } = await bootStates(t, steps, new LossyDisk(steps, counts), 500)
    assert.notEqual(broken, null)
  })
}
