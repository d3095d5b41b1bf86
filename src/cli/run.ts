// Run: carries one command to its end: signals, streams, and what is said when it fails. Knows no command.
import { readClientEnvironment } from '../config/client-environment.ts'
import type { Command, Prepared } from './command.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { Interrupted, outcomeOf } from './outcome.ts'
import { jsonLine } from './printable.ts'
import { Terminal } from './terminal.ts'

/** What follows the first signal within this time is the same one, passed on by npm or the launcher. */
const secondSignalMsMin = 500

/** Runs the command on the streams of this process. Never rejects. */
export async function run(command: Command, argv: readonly string[]): Promise<ExitCode> {
  const environment = readClientEnvironment()
  const wantsJson = argv.includes('--json')
  let prepared: Prepared
  try {
    prepared = command.prepare(argv)
  } catch (error) {
    const { code, line, error: facts } = outcomeOf(error)
    const hint = `csv-upload ${command.name}: ${line} (see csv-upload ${command.name} --help)`
    process.stderr.write(`${wantsJson ? jsonLine({ error: facts }) : hint}\n`)
    return code
  }
  const stop = stopSignal()
  // Without a listener a closed pipe would end the process with a stack; print() tells of it.
  process.stdout.on('error', () => {})
  using terminal = new Terminal(process.stdout, process.stderr, environment, prepared)
  try {
    return await prepared.run({ terminal, environment, signal: stop })
  } catch (error) {
    const { code, line, error: facts } = outcomeOf(stop.aborted ? stop.reason : error)
    if (prepared.json) terminal.complain(jsonLine({ error: facts }))
    else if (line !== null) terminal.complain(`${terminal.paintError('red', `csv-upload ${command.name}:`)} ${line}`)
    return code
  }
}

/** Aborted by the first signal to stop; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAtMs: number | null = null
  const onSignal = () => {
    const nowMs = performance.now()
    if (firstAtMs !== null && nowMs - firstAtMs >= secondSignalMsMin) process.exit(exitCodes.interrupted)
    firstAtMs ??= nowMs
    controller.abort(new Interrupted('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  // The launcher holds the other end of a channel where there is one: when it is killed, nobody waits for us any more.
  process.on('disconnect', () => controller.abort(new Interrupted('interrupted')))
  return controller.signal
}
