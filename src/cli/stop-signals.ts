// Stop signals: the first one ends a command in good order, a second one ends the process. Knows no command.
import { exitCodes } from './exit-codes.ts'

/**
 * A terminal's Ctrl-C reaches this process directly, and again through npm and the launcher. Further signals within
 * this time count as the first. Milliseconds.
 */
const secondSignalMsMin = 500

/** Calls `stop` for each of these signals; a second one after a while ends the process immediately. */
export function onStopSignal(signals: readonly NodeJS.Signals[], stop: (signal: NodeJS.Signals) => void): void {
  let firstAtMs: number | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now()
    if (firstAtMs !== null && nowMs - firstAtMs >= secondSignalMsMin) process.exit(exitCodes.interrupted)
    firstAtMs ??= nowMs
    stop(signal)
  }
  for (const signal of signals) process.on(signal, onSignal)
}
