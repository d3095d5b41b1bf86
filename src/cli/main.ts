// Main: the command line. Finds the command and hands over; knows nothing of what a command does.
import { readFileSync } from 'node:fs'
import { optionLines } from '../config/help.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { serve } from './serve.ts'

const help = `Usage:
  csv-upload serve [options]   serve until a signal
  csv-upload serve --help      every option of serve
  csv-upload --version
  csv-upload --help

Send a file:  curl -F file=@your.csv http://127.0.0.1:8080/qas/uploadCsv
`

const serveHelp = `Usage: csv-upload serve [options]

Options (first the command line holds, then CSV_UPLOAD_* variables, then the --config file):
${optionLines()}
`

/** Runs one command to its end. What was asked for goes to standard output, everything else to standard error. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const [command, ...rest] = argv
  switch (command) {
    case 'serve': {
      if (rest.includes('--help')) return print(serveHelp)
      // Loaded only here, so that help and version answer at once.
      const { startApp } = await import('../app.ts')
      return serve(rest, startApp, complain)
    }
    case '--help':
    case 'help':
      return print(help)
    case '--version':
      return print(`${version()}\n`)
    case undefined:
      complain(help.trimEnd())
      return exitCodes.usage
    default:
      complain(`csv-upload: Cannot run '${command}': there is no such command (see csv-upload --help)`)
      return exitCodes.usage
  }
}

function print(text: string): ExitCode {
  process.stdout.write(text)
  return exitCodes.ok
}

function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

function version(): string {
  const content = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(content) as { version: string }).version // our own file, held by a test
}
