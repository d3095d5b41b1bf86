// Reader process: the resources of a reader, and how one is started. Knows no queue.
import { childProgram } from '../sandbox/child-program.ts'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../sandbox/sandbox.ts'
import { startProcess } from '../sandbox/spawn-child.ts'

const programPath = childProgram(new URL('./reader-main.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; beyond this one, the system refuses memory (Linux only). It
 * counts reserved rather than used memory: Node begins with 0.6 GB, and see `dataBytesMax` in reader-main.ts.
 */
const dataBytesMax = 4_000_000_000

/** CPU time of a child, which may live long: one that has used part of it is recycled, see `cpuSecondsUsual` there. */
const cpuSecondsMax = 200_000

export function readerProgram(path = programPath): SandboxedProgram {
  return { path, arguments: [], heapMegabytes: 128, limits: { dataBytesMax, cpuSecondsMax }, writes: 'one file' }
}

/** Starts a child that answers each message with one of its own; without a sandbox, it uses the paths of its job. */
export function startReader(program: SandboxedProgram, sandbox?: Sandbox): SandboxedChild {
  if (sandbox !== undefined) return sandbox.start(program)
  const { path, heapMegabytes, limits } = program
  return { child: startProcess({ path, heapMegabytes, limits }), workDir: null }
}
