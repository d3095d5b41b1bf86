// I/O errors: every system call that changes the disk fails once, with every error.
import { isTraceable } from '../test/crash/crash.ts'
import { failCalls } from '../test/crash/io-errors.ts'
import type { Run } from './modules.ts'

export const run: Run = async (scale, seed) => {
  if (!isTraceable) throw new Error('Cannot let system calls fail: strace is not there or may not trace')
  const count = Number(process.env.PLACES ?? (scale === 'long' ? Number.POSITIVE_INFINITY : 15))
  const { places, refused } = await failCalls({ seed, count })
  return { 'calls failed': places, 'uploads refused for them': refused, 'promises broken': 0 }
}
