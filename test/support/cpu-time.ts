// CPU time: how long a thread works, whatever else the machine does meanwhile. For tests that work grows no faster than
// its input: the limit is many times what is measured, and a fraction of what quadratic work takes.
import { threadCpuUsage } from 'node:process'

/** Time that this thread spends on the work. Milliseconds. */
export function cpuMs(work: () => void): number {
  const before = threadCpuUsage()
  work()
  const { user, system } = threadCpuUsage(before)
  return (user + system) / 1_000
}
