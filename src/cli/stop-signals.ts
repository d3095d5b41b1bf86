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
  if (!readClientEnvironment().isRunByNpm) return
  const startedBy = ancestors()
  const looking = setInterval(() => {
    if (firstAtMs === null && ancestors() === startedBy) return
    clearInterval(looking)
    if (firstAtMs === null) onSignal('SIGTERM')
  }, lookEveryMs).unref()
}

/** The process ids of our parent and of its parent: npm starts a shell, which on Linux may stay in between. */
function ancestors(): string {
  try {
    const status = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    return `${process.ppid} ${status.replace(/^.*\) /s, '').split(' ')[1]}`
  } catch {
    return `${process.ppid}`
  }
}
