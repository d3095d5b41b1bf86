// Converter process: the resources of a converter, and how one is started. Knows no queue.
import { fileURLToPath } from 'node:url'
import type { Sandbox, SandboxedChild, SandboxedProgram } from '../../sandbox/sandbox.ts'
import { startProcess } from '../../sandbox/spawn-child.ts'
import { copyPath } from '../../sandbox/work-dir.ts'

const programPath = fileURLToPath(new URL('./converter-main.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; beyond this one, the system refuses memory (Linux only). It
 * counts reserved rather than used memory: Node begins with 0.6 GB, and see `dataBytesMax` in converter-main.ts.
 */
const dataBytesMax = 4_000_000_000

/** CPU time of a child, which may live long: one that has used part of it is recycled, see `cpuSecondsUsual` there. */
const cpuSecondsMax = 200_000

/** A byte and its delimiter may become a decimal of 16 bytes; the rest covers the Parquet metadata of 8192 columns. */
const madeBytesMaxPerByte = 16
const madeBytesMaxBeside = 100_000_000

/** @param segmentBytesMax Largest segment that it converts, in bytes; if left out, its output has no limit. */
export function converterProgram(segmentBytesMax?: number, path = programPath): SandboxedProgram {
  const fileBytesMax =
    segmentBytesMax === undefined ? {} : { fileBytesMax: madeBytesMaxBeside + madeBytesMaxPerByte * segmentBytesMax }
  return {
    path,
    arguments: [copyPath],
    heapMegabytes: 128,
    limits: { dataBytesMax, cpuSecondsMax, ...fileBytesMax },
    writes: 'two files',
  }
}

/** Starts a child that answers each message with one of its own; without a sandbox, it uses the paths of its job. */
export function startConverter(program: SandboxedProgram, sandbox?: Sandbox): SandboxedChild {
  if (sandbox !== undefined) return sandbox.start(program)
  const { path, heapMegabytes, limits } = program
  return { child: startProcess({ path, heapMegabytes, limits }), workDir: null }
}
