// Child process: starts one converter child with limits and tells when it is gone. Knows nothing of queues or jobs.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AnswerMessage, JobMessage } from './job.ts'

export interface Child {
  readonly pid: number | undefined
  /** To a child that has ended it goes nowhere. */
  send(message: JobMessage): void
  kill(): void
  /** Resolves when the process has ended, with how it ended and what it said last. Never rejects. */
  readonly gone: Promise<string>
}

const programPath = fileURLToPath(new URL('./child.ts', import.meta.url))

/**
 * DuckDB keeps to its own limit except in some functions; past this one the system refuses memory (Linux only). It counts
 * what is reserved, not what is used: Node begins with 0.6 GB, and see `dataBytesMax` in child.ts.
 */
const dataBytesMax = 4_000_000_000
const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path))
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

/** Starts a child that answers each message with one of its own. It dies with this process. */
export function startChild(onAnswer: (message: AnswerMessage) => void): Child {
  const program = [process.execPath, '--max-old-space-size=128', programPath]
  const limited = prlimit === undefined ? program : [prlimit, ...limits(), ...program]
  const child = spawn(limited[0]!, limited.slice(1), {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-saidCharactersMax)
  })
  child.on('message', onAnswer)
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('close', (code, signal) => resolve(`converter child ended with ${signal ?? `code ${code}`}: ${said}`))
  })
  return {
    pid: child.pid,
    send: (message) => void (child.connected && child.send(message, () => {})),
    kill: () => void child.kill('SIGKILL'),
    gone,
  }
}

function limits(): string[] {
  return [`--data=${dataBytesMax}`, '--nofile=256', '--core=0']
}
