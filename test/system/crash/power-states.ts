// Power states: records the disk writes of a writer, and opens a store on the states that power loss may leave.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scratchDir } from '../../support/running-service.ts'
import { checkPromises, promisesOf, runWriter } from './crash.ts'
import { type DiskStep, readDiskLog, underTrace } from './disk-log.ts'
import { type LossyDisk, lossKinds, putDisk } from './power-loss.ts'
import { randomFrom } from './random.ts'

/** Records a writer that publishes various datasets and removes two, in two runs. */
export async function recordSteps(): Promise<readonly DiskStep[]> {
  await using scratch = await scratchDir()
  const [dir, tracePath] = [join(scratch.path, 'data'), join(scratch.path, 'trace')]
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

export interface BootCounts {
  readonly booted: number
  /** The fault of the last state; null if there was none. */
  readonly broken: string | null
}

/** Checks `count` states after power loss, chosen by `seed`, until `check` throws. Each state is written into `dir`. */
export async function bootStates(
  steps: readonly DiskStep[],
  disk: LossyDisk,
  { seed, count }: { readonly seed: number; readonly count: number },
  check: (dir: string, said: readonly string[]) => Promise<void> = (dir, said) => checkPromises(dir, promisesOf(said)),
): Promise<BootCounts> {
  const random = randomFrom(seed)
  const states = steps.flatMap((_, at) => lossKinds.map((kind) => ({ at, kind, order: random() })))
  const chosen = states.toSorted((a, b) => a.order - b.order).slice(0, count)
  // In memory if possible: real syncs would prove nothing more.
  const parent = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'power-loss-'))
  try {
    for (const [index, { at, kind }] of chosen.entries()) {
      const dir = await mkdtemp(join(parent, 'disk-'))
      await putDisk(disk.stateAfter(at, kind, random), dir)
      try {
        await check(dir, saidUntil(steps, at))
      } catch (error) {
        return { booted: index + 1, broken: `after step ${at}, ${kind}: ${error}` }
      }
      await rm(dir, { recursive: true })
    }
    return { booted: chosen.length, broken: null }
  } finally {
    await rm(parent, { recursive: true })
  }
}

function saidUntil(steps: readonly DiskStep[], at: number): readonly string[] {
  return steps.slice(0, at + 1).flatMap((step) => (step.kind === 'say' ? step.line : []))
}
