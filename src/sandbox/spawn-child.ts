// Spawn child: starts a process for DuckDB with limits, exchanges frames with it, and tells when it is gone. Knows nothing of queues or jobs.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { answerDescriptor, frameOf, readFrames } from './frames.ts'

/** What the system refuses beyond it. */
export interface Limits {
  /** Reserved, not used. */
  readonly dataBytesMax: number
  /** Processor time. Seconds. */
  readonly cpuSecondsMax: number
  /** Of each file it writes. */
  readonly fileBytesMax?: number
  /** Processes and threads, of all that its user runs. */
  readonly taskCountMax?: number
}

export interface Program {
  readonly path: string
  readonly arguments?: readonly string[]
  /** What the heap of JavaScript may hold. Megabytes. */
  readonly heapMegabytes: number
  /** Without effect where there is no prlimit(1). */
  readonly limits: Limits
  /** A command in front, which ends in running what follows it. */
  readonly wrapper?: readonly string[]
  readonly cwd?: string
  /** Number of the user and group to run as; only root can choose. */
  readonly userId?: number
}

/** How a process ended, and in words with what it said last. */
export interface Ending {
  readonly code: number | null
  readonly how: string
  /** Why it could not even be started. */
  readonly startError?: unknown
  /** Why it was killed, where that was said. */
  readonly killReason?: string
}

export interface Child {
  readonly pid: number | undefined
  /**
   * What it sends, frame by frame, until it ends. To be called once. Throws where a frame is longer than `bytesMax` gives
   * when its length is known: 0 while nothing is expected.
   */
  frames(bytesMax: () => number): AsyncGenerator<Buffer, void, void>
  /** Sends a message as JSON. To a child that has ended it goes nowhere. */
  send(message: object): void
  /** Ends it at once. The first `reason` given is in the words of its ending. */
  kill(reason?: string): void
  /** Resolves when the process has ended and its output has been read or destroyed. Never rejects. */
  readonly gone: Promise<Ending>
}

/** Where a system command is, or undefined where there is none. */
export function findCommand(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((dir) => join(dir, name)).find((path) => existsSync(path))
}

const prlimit = findCommand('prlimit')
const saidCharactersMax = 2_000

/** What a child may write to standard error in its life: nothing that works as it should comes near it. */
const errorCharactersMax = 1_000_000

/**
 * Nothing of our environment, which may hold secrets. One thread for DuckDB and files, which take turns, and one heap:
 * 50 MB less than with the usual number of each. DuckDB's own allocator is to unmap what is free as a whole.
 */
const environment = {
  TZ: 'UTC',
  UV_THREADPOOL_SIZE: '1',
  MALLOC_ARENA_MAX: '1',
  DUCKDB_JE_MALLOC_CONF: 'retain:false',
  ...compileCache(),
}

/** Where compiled code is kept, as for this process: a child starts with 0.13 s of processor time instead of 0.31. */
function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  const dir = getCompileCacheDir()
  // Node keeps a directory of its version below the one it was given.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) }
}

/** Starts a program of ours as a process. One that cannot be started is gone. */
export function startProcess(program: Program): Child {
  const { userId } = program
  const node = [process.execPath, `--max-old-space-size=${program.heapMegabytes}`, program.path]
  const command = [...limited(program.limits), ...(program.wrapper ?? []), ...node, ...(program.arguments ?? [])]
  try {
    return childOf(
      spawn(command[0]!, command.slice(1), {
        env: environment,
        stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
        // In a group of its own: Ctrl-C in a terminal is for the service, which lets its children finish.
        detached: process.platform !== 'win32',
        ...(program.cwd !== undefined && { cwd: program.cwd }),
        ...(userId !== undefined && { uid: userId, gid: userId }),
      }),
    )
  } catch (error) {
    // Most failures are an event; a system without memory for one more process throws.
    return goneChild(error)
  }
}

/** A command in front, which ends in running what follows it within limits. */
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
  // Without descriptors for its pipes, Node makes none of its streams, whatever the types say, and reports that later.
  const answers = (child.stdio as ChildProcess['stdio'] | undefined)?.[answerDescriptor]
  const output = answers instanceof Readable ? answers : Readable.from([])
  // What is wrong with its pipes shows in how it ends.
  for (const stream of [input, output, child.stderr]) stream?.on('error', () => {})
  let killReason: string | undefined
  const kill = (reason?: string) => {
    if (child.exitCode === null && child.signalCode === null) killReason ??= reason
    child.kill('SIGKILL')
    // What nobody reads any more would keep it from being gone.
    for (const stream of [input, output, child.stderr]) stream?.destroy()
  }
  const said = lastWords(child, () => kill('it wrote too much to standard error'))
  const gone = new Promise<Ending>((resolve) => {
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

/** Gathers the end of what a child writes to standard error. */
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

function notStarted(error: unknown): Ending {
  return { code: null, how: String(error), startError: error }
}
