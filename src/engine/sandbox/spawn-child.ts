// Spawn child: starts a process with limits, exchanges frames with it, and reports its end. Knows nothing of queues or jobs.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { frameOf, readFrames, resultDescriptor } from './frames.ts'

/** Limits that the system enforces. */
export interface Limits {
  /** Reserved memory, used or not. */
  readonly dataBytesMax: number
  /** CPU time. Seconds. */
  readonly cpuSecondsMax: number
  /** Largest file it may write. */
  readonly fileBytesMax?: number
  /** Processes and threads of its user. */
  readonly taskCountMax?: number
}

export interface Program {
  readonly path: string
  readonly arguments?: readonly string[]
  /** Maximum JavaScript heap. Megabytes. */
  readonly heapMegabytes: number
  /** Ignored without prlimit(1). */
  readonly limits: Limits
  /** A command that ends in running what follows it. */
  readonly wrapper?: readonly string[]
  readonly cwd?: string
  /** User and group id to run as; only root can choose. */
  readonly userId?: number
}

/** How a process ended. `how` includes its last words on standard error. */
export interface ProcessExit {
  readonly code: number | null
  readonly how: string
  /** Why it could not be started. */
  readonly startError?: unknown
  /** Why it was killed, if a reason was given. */
  readonly killReason?: string
}

export interface Child {
  readonly pid: number | undefined
  /**
   * Yields what it sends, frame by frame, until it ends; call it once. Throws if a frame is longer than `bytesMax()` at
   * that time, which is 0 while nothing is expected.
   */
  frames(bytesMax: () => number): AsyncGenerator<Buffer, void, void>
  /** Sends a message as JSON; does nothing if the child has ended. */
  send(message: object): void
  /** Kills it. The first `reason` given becomes part of its `Ending`. */
  kill(reason?: string): void
  /** Resolves when the process has ended and its output has been read or destroyed. Never rejects. */
  readonly gone: Promise<ProcessExit>
}

/** The path of a system command, if there is one. */
export function findCommand(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((dir) => join(dir, name)).find((path) => existsSync(path))
}

const prlimit = process.platform === 'linux' ? findCommand('prlimit') : undefined
const saidCharactersMax = 2_000

/** Most characters a child may write to standard error in its life. A healthy child writes next to nothing. */
const errorCharactersMax = 1_000_000

/**
 * Nothing of our own environment, which may hold secrets. One thread for file access and one malloc arena take 50 MB less
 * than the usual number of each. DuckDB's own allocator unmaps what is free.
 */
const environment = {
  TZ: 'UTC',
  UV_THREADPOOL_SIZE: '1',
  MALLOC_ARENA_MAX: '1',
  DUCKDB_JE_MALLOC_CONF: 'retain:false',
}

/** Starts one of our programs as a process. If that fails, the child is gone already. */
export function startProcess(program: Program): Child {
  const { userId } = program
  const node = [process.execPath, `--max-old-space-size=${program.heapMegabytes}`, program.path]
  const command = [...limited(program.limits), ...(program.wrapper ?? []), ...node, ...(program.arguments ?? [])]
  try {
    const child = spawn(command[0]!, command.slice(1), {
      env: environment,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      // In its own process group: Ctrl-C in a terminal is for the service, which lets its children finish.
      detached: process.platform !== 'win32',
      ...(program.cwd !== undefined && { cwd: program.cwd }),
      ...(userId !== undefined && { uid: userId, gid: userId }),
    })
    endFirst(child.pid)
    return childOf(child)
  } catch (error) {
    // Most failures are an event, but without memory for another process spawn() throws.
    return goneChild(error)
  }
}

/** When memory runs out, Linux ends a child first: it holds nothing that is not stored. Later its user may be another. */
function endFirst(pid: number | undefined): void {
  try {
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended already, or the system does not let us.
  }
}

/** The command that sets the limits and then runs what follows it. */
function limited({ dataBytesMax, cpuSecondsMax, fileBytesMax, taskCountMax }: Limits): readonly string[] {
  if (prlimit === undefined) return []
  const given = [
    ...(fileBytesMax === undefined ? [] : [`--fsize=${fileBytesMax}`]),
    ...(taskCountMax === undefined ? [] : [`--nproc=${taskCountMax}`]),
  ]
  return [prlimit, `--data=${dataBytesMax}`, `--cpu=${cpuSecondsMax}`, ...given, '--nofile=256', '--core=0']
}

/** A child that could not be started. */
export function goneChild(error: unknown): Child {
  const gone = Promise.resolve(notStarted(error))
  return { pid: undefined, frames: (bytesMax) => readFrames(Readable.from([]), bytesMax), send() {}, kill() {}, gone }
}

function childOf(child: ChildProcess): Child {
  const input = child.stdin
  // Without descriptors for the pipes, Node creates no streams, contrary to its types, and reports the error later.
  const answers = (child.stdio as ChildProcess['stdio'] | undefined)?.[resultDescriptor]
  const output = answers instanceof Readable ? answers : Readable.from([])
  // Errors of the pipes show in how the child ends.
  for (const stream of [input, output, child.stderr]) stream?.on('error', () => {})
  let killReason: string | undefined
  const kill = (reason?: string) => {
    if (child.exitCode === null && child.signalCode === null) killReason ??= reason
    child.kill('SIGKILL')
    // Unread output would keep it from being gone.
    for (const stream of [input, output, child.stderr]) stream?.destroy()
  }
  const said = lastWords(child, () => kill('it wrote too much to standard error'))
  const gone = new Promise<ProcessExit>((resolve) => {
    child.on('error', (error) => resolve(notStarted(error)))
    child.once('close', (code, signal) => {
      const how = `ended with ${signal ?? `code ${code}`}: ${[killReason, said()].filter(Boolean).join('; ')}`
      resolve({ code, how, ...(killReason !== undefined && { killReason }) })
    })
  })
  return {
    pid: child.pid,
    frames: (bytesMax) => readFrames(output, bytesMax),
    send: (message) => void (input?.writable && input.write(frameOf(JSON.stringify(message)))),
    kill,
    gone,
  }
}

/** Keeps the end of what a child writes to standard error. */
function lastWords(child: ChildProcess, onTooMuch: () => void): () => string {
  let said = ''
  let characters = 0
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-saidCharactersMax)
    characters += text.length
    if (characters > errorCharactersMax) onTooMuch()
  })
  return () => said
}

function notStarted(error: unknown): ProcessExit {
  return { code: null, how: String(error), startError: error }
}
