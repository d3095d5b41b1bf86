// Main: the command line. Finds the command and runs it; does not know what a command does.
import { readClientEnvironment } from '../config/client-environment.ts'
import { refuseUnknownVariables } from '../config/config.ts'
import { didYouMean } from '../config/did-you-mean.ts'
import { loadPart } from '../core/load-part.ts'
import { type Context, type PreparedCommand, UsageError } from './command.ts'
import { Interrupted, outcomeOf } from './command-error.ts'
import { allCommands, commands } from './commands.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { ownManifest } from './own-manifest.ts'
import { serve } from './serve.ts'
import { onStopSignal } from './stop-signals.ts'
import { commandHelp, generalHelp } from './terminal/command-help.ts'
import { jsonLine } from './terminal/printable.ts'
import { Terminal } from './terminal/terminal.ts'

/** Runs one command. Results go to standard output, everything else to standard error. Never rejects. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = argv
  if (name === undefined) {
    complain(generalHelp(allCommands).trimEnd())
    return exitCodes.usage
  }
  if (name === 'serve' && !asksForHelp(rest)) return await serveHere(rest)
  const isKnown = commands.some((one) => one.name === name)
  return await run(isKnown ? `csv-upload ${name}` : 'csv-upload', prepared(name, rest))
}

async function serveHere(argv: readonly string[]): Promise<ExitCode> {
  try {
    // Loaded only here, so that --help and --version are fast.
    const { startApp } = await loadPart(() => import('../app.ts'))
    return await serve(argv, startApp, complain)
  } catch (error) {
    complain(`csv-upload: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodes.failed
  }
}

/** What the command line asks for; a mistake in it is one that fails. */
function prepared(name: string, rest: readonly string[]): PreparedCommand {
  const choices = { json: name === '--json' || rest.includes('--json'), quiet: false }
  const printing = (text: string) => ({
    ...choices,
    json: false,
    run: async ({ terminal }: Context) => {
      await terminal.print(text)
      return exitCodes.ok
    },
  })
  try {
    if (name === '--version' || name === '-V') return printing(`${ownManifest().version}\n`)
    const isHelp = name === '--help' || name === '-h' || name === 'help'
    const [topic] = isHelp ? rest : [name]
    if (topic === undefined) return printing(generalHelp(allCommands))
    const described = allCommands.find((one) => one.name === topic)
    if (described === undefined) throw new UsageError(whyUnknown(topic))
    const command = commands.find((one) => one.name === topic)
    if (isHelp || asksForHelp(rest) || command === undefined) return printing(commandHelp(described, helpWidth()))
    refuseUnknownVariables()
    return command.prepare(rest)
  } catch (error) {
    return { ...choices, run: () => Promise.reject(error) }
  }
}

/** Runs a command on the streams of this process. */
async function run(name: string, { json, run, quiet }: PreparedCommand): Promise<ExitCode> {
  const environment = readClientEnvironment()
  // Without a listener, a closed pipe would end the process with a stack trace; print() reports it.
  process.stdout.on('error', () => {})
  const signal = stopSignal()
  using terminal = new Terminal(process.stdout, process.stderr, environment, quiet)
  try {
    return await run({ terminal, environment, signal })
  } catch (failure) {
    const { code, line, error } = outcomeOf(signal.aborted ? signal.reason : failure)
    const hint = code === exitCodes.usage ? ` (see ${name} --help)` : ''
    if (json) terminal.complain(jsonLine({ error }))
    else if (line !== null) terminal.complain(`${terminal.paintError('red', `${name}:`)} ${line}${hint}`)
    return code
  }
}

function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => controller.abort(new Interrupted('interrupted'))
  onStopSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], stop)
  // A launcher holds the other end of a channel: once it is killed, nobody waits for this process any more.
  process.on('disconnect', stop)
  return controller.signal
}

/** What other programs call the same. */
const otherNames: Readonly<Record<string, string>> = {
  download: 'get',
  export: 'get',
  import: 'send',
  ls: 'list',
  put: 'send',
  sql: 'query',
  start: 'serve',
  upload: 'send',
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some((arg) => arg === '--help' || arg === '-h')
}

function whyUnknown(name: string): string {
  if (name.startsWith('-')) return `Cannot start with '${name}': expected a command, then its options`
  // A mistyped command must never suggest one that deletes.
  const names = ['help', ...allCommands.map((one) => one.name).filter((one) => one !== 'rm')]
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined
  const meant = other === undefined ? didYouMean(name, names) : `; did you mean ${other}?`
  return `Cannot run '${name}': no such command${meant}`
}

/** Wide lines are hard to read, and narrow terminals cut them. */
function helpWidth(): number {
  return Math.max(40, Math.min(process.stdout.columns || 80, 100))
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}
