// Spawn child: starts a process for DuckDB with limits, and tells when it is gone. Knows nothing of queues or jobs.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

export interface Program {
  readonly path: string
  readonly arguments?: readonly string[]
  /** What the heap of JavaScript may hold. Megabytes. */
  readonly heapMegabytes: number
  /** Options of prlimit(1); without effect where there is no such command. */
  readonly limits: readonly string[]
  /** A command in front, which ends in running what follows it. */
  readonly wrapper?: readonly string[]
  readonly cwd?: string
  /** Number of the user and group to run as; only root can choose. */
  readonly userId?: number
  /** Whether anybody reads its standard output. */
  readonly hasOutput?: boolean
}

/** How a process ended, and in words with what it said last. */
export interface Ending {
  readonly code: number | null
  readonly how: string
  /** Why it could not even be started. */
  readonly startError?: unknown
}

export interface Child<Message> {
  readonly pid: number | undefined
  /** Its standard output, where somebody reads it. */
  readonly output: Readable | null
  /** To a child that has ended it goes nowhere. */
  send(message: Message): void
  kill(): void
  /** Resolves when the process has ended and its output has been read or destroyed. Never rejects. */
  readonly gone: Promise<Ending>
}

/** Where a system command is, or undefined where there is none. */
export function findCommand(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((dir) => join(dir, name)).find((path) => existsSync(path))
}

const prlimit = findCommand('prlimit')
const saidCharactersMax = 2_000

/**
 * Nothing of our environment, which may hold secrets. One thread for DuckDB and files, which take turns, and one heap:
 * 50 MB less than with the usual number of each. DuckDB's own allocator is to unmap what is free as a whole.
 */
const environment = {
  TZ: 'UTC',
  UV_THREADPOOL_SIZE: '1',
  MALLOC_ARENA_MAX: '1',
  DUCKDB_JE_MALLOC_CONF: 'retain:false',
}

/** Starts a program of ours as a process, and calls back with each message that it sends. One that cannot be started is gone. */
export function startProcess<Message extends object, Answer>(
  program: Program,
  onMessage: (message: Answer) => void,
): Child<Message> {
  const { userId } = program
  const node = [process.execPath, `--max-old-space-size=${program.heapMegabytes}`, program.path]
  const limits = prlimit === undefined ? [] : [prlimit, ...program.limits, '--core=0']
  const command = [...limits, ...(program.wrapper ?? []), ...node, ...(program.arguments ?? [])]
  let child: ChildProcess
  try {
    child = spawn(command[0]!, command.slice(1), {
      env: environment,
      stdio: ['ignore', program.hasOutput ? 'pipe' : 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      // In a group of its own: Ctrl-C in a terminal is for the service, which lets its children finish.
      detached: process.platform !== 'win32',
      ...(program.cwd !== undefined && { cwd: program.cwd }),
      ...(userId !== undefined && { uid: userId, gid: userId }),
    })
  } catch (error) {
    // Most failures are an event; a system without memory for one more process throws.
    return goneChild(error)
  }
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-saidCharactersMax)
  })
  child.on('message', (message) => onMessage(message as Answer)) // the program is ours and sends nothing else
  const gone = new Promise<Ending>((resolve) => {
    child.on('error', (error) => resolve(notStarted(error)))
    child.once('close', (code, signal) => resolve({ code, how: `ended with ${signal ?? `code ${code}`}: ${said}` }))
  })
  return {
    pid: child.pid,
    output: child.stdout,
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => {
      child.kill('SIGKILL')
      // What nobody reads any more would keep it from being gone.
      child.stdout?.destroy()
    },
    gone,
  }
}

/** A child that could not be started. */
export function goneChild(error: unknown): Child<object> {
  const gone = Promise.resolve(notStarted(error))
  return { pid: undefined, output: null, send() {}, kill() {}, gone }
}

function notStarted(error: unknown): Ending {
  return { code: null, how: String(error), startError: error }
}
