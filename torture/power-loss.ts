// Power loss: opens the store on disk states that power loss may leave. Controls: states that syncs exclude must fail.
import { isTraceable } from '../test/system/crash/crash.ts'
import { LossyDisk } from '../test/system/crash/power-loss.ts'
import { bootStates, recordSteps } from '../test/system/crash/power-states.ts'
import type { Run } from './modules.ts'

/** States tried, on a disk that ignores syncs, until one breaks a promise. */
const controlStates = 500

export const run: Run = async (scale, seed) => {
  if (!isTraceable) throw new Error('Cannot record disk writes: strace is missing or may not trace')
  const steps = await recordSteps()
  const count = Number(process.env.STATES ?? (scale === 'long' ? Number.POSITIVE_INFINITY : 150))
  const { booted, broken } = await bootStates(steps, new LossyDisk(steps), { seed, count })
  if (broken !== null) throw new Error(`A promise was broken ${broken}`)
  const controls: Record<string, string> = {}
  for (const counts of ['none', 'of files only'] as const) {
    const control = await bootStates(steps, new LossyDisk(steps, counts), { seed, count: controlStates })
    if (control.broken === null)
      throw new Error(`Nothing was found with syncs counted ${counts}: the check detects nothing`)
    const disk = counts === 'none' ? 'without syncs' : 'with syncs of files only'
    controls[`control ${disk}: fault found at state`] = String(control.booted)
  }
  return { 'steps recorded': steps.length, 'states checked': booted, 'promises broken': 0, ...controls }
}
