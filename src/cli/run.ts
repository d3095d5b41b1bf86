// Run: runs one command, with signals, streams, and the message if it fails. Knows no command.
import { readClientEnvironment } from '../config/client-environment.ts'
import { refuseUnknownVariables } from '../config/config.ts'
import type { Command, Prepared } from './command.ts'
import { Interrupted, outcomeOf } from './command-error.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { onStopSignal } from './stop-signals.ts'
import { jsonLine } from './terminal/printable.ts'
import { Terminal } from './terminal/terminal.ts'

/** Runs the command on the streams of this process. Never rejects. */
export async function run(command: Command, argv: readonly string[]): Promise<ExitCode> {
  const environment = readClientEnvironment()
  const plain = { json: argv.includes('--json'), quiet: false, noColor: argv.includes('--no-color') }
  // Without a listener, a closed pipe would end the process with a stack trace; print() reports it.
  process.stdout.on('error', () => {})
  let prepared: Prepared
  try {
    refuseUnknownVariables()
    prepared = command.prepare(argv)
  } catch (error) {
    using terminal = new Terminal(process.stdout, process.stderr, environment, plain)
    return report(terminal, command, plain.json, error)
  }
  const stop = stopSignal()
  using terminal = new Terminal(process.stdout, process.stderr, environment, prepared)
  try {
    return await prepared.run({ terminal, environment, signal: stop })
  } catch (error) {
    return report(terminal, command, prepared.json, stop.aborted ? stop.reason : error)
  }
}

/** Prints why a command failed, and returns the exit code. */
function report(terminal: Terminal, { name }: Command, asJson: boolean, failure: unknown): ExitCode {
  const { code, line, error } = outcomeOf(failure)
  const hint = code === exitCodes.usage ? ` (see csv-upload ${name} --help)` : ''
  if (asJson) terminal.complain(jsonLine({ error }))
  else if (line !== null) terminal.complain(`${terminal.paintError('red', `csv-upload ${name}:`)} ${line}${hint}`)
  return code
}

/** Aborted by the first stop signal. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => controller.abort(new Interrupted('interrupted'))
  onStopSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], stop)
  // A launcher holds the other end of a channel: once it is killed, nobody waits for this process any more.
  process.on('disconnect', stop)
  return controller.signal
}
