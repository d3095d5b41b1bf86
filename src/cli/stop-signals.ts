// Stop signals: the first one ends a command in good order, a second one ends the process. Knows no command.
import { readFileSync } from 'node:fs'
import { readClientEnvironment } from '../config/client-environment.ts'
import { exitCodes } from './exit-codes.ts'

/**
 * A terminal's Ctrl-C reaches this process directly, and again through npm and the launcher. Further signals within
 * this time count as the first. Milliseconds.
 */
const secondSignalMsMin = 500

/** How often a process that npm has started looks whether npm is still there. Milliseconds. */
const lookEveryMs = 200

/**
 * Calls `stop` for each of these signals; a second one after a while ends the process immediately. npm and npx end before
 * us without passing SIGTERM on, and no signal arrives when they are killed: then `stop` is called for SIGTERM, too.
 */
export function onStopSignal(signals: readonly NodeJS.Signals[], stop: (signal: NodeJS.Signals) => void): void {
  let firstAtMs: number | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now()
    if (firstAtMs !== null && nowMs - firstAtMs >= secondSignalMsMin) process.exit(exitCodes.interrupted)
    firstAtMs ??= nowMs
    stop(signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
  const { startedBy } = readClientEnvironment()
  if (startedBy === null) return
  const looking = setInterval(() => {
    if (firstAtMs === null && ancestors() === startedBy) return
    clearInterval(looking)
    if (firstAtMs === null) onSignal('SIGTERM')
  }, lookEveryMs).unref()
}

/** The process ids of npm, and of the shell that it may have started us by. */
function ancestors(): string {
  try {
    return npmAndShell(process.ppid, readFileSync(`/proc/${process.ppid}/stat`, 'utf8'))
  } catch {
    return `${process.ppid}`
  }
}

/**
 * The same, by what Linux says of our parent in `/proc/<id>/stat`: only the parent of a shell is npm. That of npm may be
 * a terminal, which people close while the service goes on.
 */
export function npmAndShell(parent: number, stat: string): string {
  const [, name, grandparent] = /^\d+ \((.*)\) \S (\d+)/s.exec(stat) ?? []
  return name !== undefined && shellName.test(name) ? `${parent} ${grandparent}` : `${parent}`
}

const shellName = /^(\w{0,4}sh|busybox)$/
