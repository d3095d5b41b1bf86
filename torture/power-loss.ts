// Power loss: the store is opened on what power loss may leave of its disk, and on what it may not, to see that this is found.
import { isTraceable } from '../test/system/crash/crash.ts'
import { LossyDisk } from '../test/system/crash/power-loss.ts'
import { bootStates, recordSteps } from '../test/system/crash/power-states.ts'
import type { Run } from './modules.ts'

/** States looked at until one breaks a promise where syncs do not count. */
const controlStates = 500

export const run: Run = async (scale, seed) => {
  if (!isTraceable) throw new Error('Cannot record what is done to the disk: strace is not there or may not trace')
  const steps = await recordSteps()
  const count = Number(process.env.STATES ?? (scale === 'long' ? Number.POSITIVE_INFINITY : 150))
  const { booted, broken } = await bootStates(steps, new LossyDisk(steps), { seed, count })
  if (broken !== null) throw new Error(`A promise was broken ${broken}`)
  const controls: Record<string, string> = {}
  for (const counts of ['none', 'of files only'] as const) {
    const control = await bootStates(steps, new LossyDisk(steps, counts), { seed, count: controlStates })
    if (control.broken === null)
      throw new Error(`Nothing was found where syncs count ${counts}: the check sees nothing`)
    controls[`where syncs count ${counts}, found at state`] = String(control.booted)
  }
  return { 'steps recorded': steps.length, 'states booted': booted, 'promises broken': 0, ...controls }
}
