// Converter process: starts one converter process with its limits, in a work directory where it is kept apart. Knows no queue.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { converterUserId, taskCountMax } from '../../sandbox/child-users.ts'
import { type Child, goneChild, startProcess } from '../../sandbox/spawn-child.ts'
import { copyPath, WorkDir } from '../../sandbox/work-dir.ts'
import { type Confinement, spawnUser } from './converter-confinement.ts'

const programPath = fileURLToPath(new URL('./converter-main.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; past this one the system refuses memory (Linux only). It counts
 * what is reserved, not what is used: Node begins with 0.6 GB, and see `dataBytesMax` in converter-main.ts.
 */
const dataBytesMax = 4_000_000_000

/** Processor time of a child, which may live long: one that has used a part of it is worn out, see `cpuSecondsUsual` there. */
const cpuSecondsMax = 200_000

const limits = [`--data=${dataBytesMax}`, '--nofile=256', `--cpu=${cpuSecondsMax}`]
const program = { path: programPath, heapMegabytes: 128 }

/** A byte and its delimiter may become a decimal of 16 bytes; what Parquet says of 8192 columns is less than the rest. */
const madeBytesMaxPerByte = 16
const madeBytesMaxBeside = 100_000_000

/** How children are kept apart. */
export interface ConverterSandbox {
  readonly confinement: Confinement
  /** Directory for their work directories, on the file system of what they read and make. */
  readonly workDirs: string
  /** Of the segments they convert; what they may make is without limit when left out. Bytes. */
  readonly segmentBytesMax?: number
}

/** A child that is kept apart; where it is gone already, like one that cannot be started, there may be no work directory. */
export interface ConfinedConverter {
  readonly child: Child
  /** Where it finds the files of its job. */
  readonly workDir: WorkDir | null
}

let childCount = 0

/** Starts a child that answers each message with one of its own. It dies with this process. */
export function startConverterProcess(path = programPath): Child {
  return startProcess({ ...program, path, limits })
}

/** The same for a child that is kept apart. */
export function startConfinedConverter(
  { confinement, workDirs, segmentBytesMax }: ConverterSandbox,
  path = programPath,
): ConfinedConverter {
  const number = childCount++
  const userId = converterUserId(number)
  const { hasOwnUser } = confinement
  const made =
    segmentBytesMax === undefined ? [] : [`--fsize=${madeBytesMaxBeside + madeBytesMaxPerByte * segmentBytesMax}`]
  const ownLimits = [...limits, ...made, ...(hasOwnUser ? [`--nproc=${taskCountMax}`] : [])]
  let workDir: WorkDir
  try {
    workDir = new WorkDir(join(workDirs, String(number)), hasOwnUser ? userId : null)
  } catch (error) {
    return { child: goneChild(error), workDir: null }
  }
  const wrapper = confinement.wrapper(userId)
  const confined = { cwd: workDir.dir, arguments: [copyPath], wrapper, ...spawnUser(confinement, userId) }
  return { child: startProcess({ ...program, path, limits: ownLimits, ...confined }), workDir }
}
