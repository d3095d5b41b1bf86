// Command error: why a command failed, as an exit code, a line for humans and a document for programs.
import { ClientError } from '../client/client-error.ts'
import { ConfigError } from '../config/option.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { messageOf } from './system-messages.ts'
import { printable, printableLines } from './terminal/printable.ts'
import { OutputClosed } from './terminal/terminal.ts'

const queryFailure = 'csvupload.QueryFailedException'

/** A signal stopped the command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Outcome {
  readonly code: ExitCode
  /** Null if there is nothing to print. */
  readonly line: string | null
  /** As `--json` prints it. */
  readonly error: { readonly kind: string; readonly message: string; readonly [member: string]: unknown }
}

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof Interrupted) {
    return { code: exitCodes.interrupted, line: 'interrupted', error: { kind: 'interrupted', message: 'interrupted' } }
  }
  if (error instanceof OutputClosed) {
    return { code: exitCodes.outputClosed, line: null, error: { kind: 'outputClosed', message: error.message } }
  }
  const message = messageOf(error)
  if (error instanceof ConfigError) {
    return { code: exitCodes.usage, line: printable(message), error: { kind: 'usage', message } }
  }
  if (!(error instanceof ClientError)) {
    return { code: exitCodes.failed, line: printable(message), error: { kind: 'failed', message } }
  }
  const { failure } = error
  const code = codeOf(error)
  if (failure.kind !== 'refused') return { code, line: printable(message), error: { ...failure } }
  const { status, record, retryAfterMs } = failure
  const facts = { kind: failure.kind, message, status, exception: record?.exception ?? null, retryAfterMs }
  return { code, line: shownRefusal(message, status, record?.exception === queryFailure), error: facts }
}

/** The message of a failed query marks the position on separate lines. Any other message is one line. */
function shownRefusal(message: string, status: number, isQuery: boolean): string {
  if (!isQuery) return printable(`${message} (${status})`)
  const [first = '', ...others] = message.split('\n')
  return printableLines([`${first} (${status})`, ...others].join('\n'))
}

function codeOf({ failure }: ClientError): ExitCode {
  switch (failure.kind) {
    case 'refused':
      return failure.status === 401 || failure.status === 403 ? exitCodes.refusedKey : exitCodes.failed
    case 'unreachable':
    case 'cut':
      return exitCodes.network
    case 'wrong':
      return exitCodes.failed
  }
}
