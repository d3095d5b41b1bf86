// Processes: starts the helper processes of the benchmark, and reads the memory and CPU time of processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A child that responds to each line of input with one line of JSON. */
export class LineProcess {
  readonly process: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface

  /** @param before Words of a command that runs it, such as `taskset -c 0`. */
  constructor(script: string, before: readonly string[] = []) {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const [command = '', ...args] = [...before, process.execPath, path]
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    if (this.process.stdout === null) throw new Error('Cannot read from child: it has no standard output')
    this.#reader = createInterface({ input: this.process.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  get pid(): number {
    return this.process.pid ?? 0
  }

  async ask<Answer>(line: string): Promise<Answer> {
    this.process.stdin?.write(`${line}\n`)
    const next = await this.#lines.next()
    if (next.done) throw new Error(`Cannot continue: the child ended, expected a response to ${line.slice(0, 80)}`)
    // The scripts beside this file write exactly one line of JSON per line of input.
    return JSON.parse(next.value) as Answer
  }

  end(): void {
    this.process.stdin?.end()
  }
}

/** Processes below `pid`, at any depth. */
export function descendants(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const children = text === '' ? [] : text.split(' ').map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** Resets the kernel's peak of resident memory. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Highest resident memory since the last reset, in MB of 1,000,000 bytes. */
export function peakMegabytes(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(line?.[1] ?? 0) * 1024) / 1e6
}

/** Resident memory now, in MB of 1,000,000 bytes. */
export function residentMegabytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(line?.[1] ?? 0) * 1024) / 1e6
}

/** User and system time of a process so far, in seconds. */
export function cpuSeconds(pid: number): number {
  return cpuSecondsOf(`/proc/${pid}/stat`)
}

/** The same of its first thread, and of each other thread that it has now. */
export function cpuSecondsByThread(pid: number): { readonly main: number; readonly others: readonly number[] } {
  const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid))
  const secondsOf = (thread: string) => cpuSecondsOf(`/proc/${pid}/task/${thread}/stat`)
  return { main: secondsOf(String(pid)), others: others.map(secondsOf) }
}

function cpuSecondsOf(path: string): number {
  const text = readFileSync(path, 'utf8')
  // The command name, in parentheses, may contain blanks; utime and stime are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
