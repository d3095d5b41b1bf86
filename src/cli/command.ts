// Command: defines a command, and reads its options and arguments. Knows no command and no server.
import type { ClientEnvironment } from '../config/client-environment.ts'
import { ConfigError, type Option, type OptionRow, optionValue, readCommandLine, toggle } from '../config/option.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal/terminal.ts'

export type OptionRows = Readonly<Record<string, OptionRow>>

/** The values of a command's options: true or false for a switch, null for an option without value or default. */
export type ValuesOf<Rows extends OptionRows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Option<infer Value>
    ? Rows[Name]['fallback'] extends string
      ? Value
      : Value | null
    : boolean
}

/** What every command receives. */
export interface Context {
  readonly terminal: Terminal
  readonly environment: ClientEnvironment
  /** Aborted when the command must stop. */
  readonly signal: AbortSignal
}

/** The description of a command, from which help and docs are generated. */
export interface CommandHelp {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** What follows the name: `<file>… [options]`. */
  readonly usage: string
  /** Further text, in whole sentences. */
  readonly about: string
  readonly options: readonly OptionRow[]
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[]
}

/** A command that calls a server or reads files: every command except `serve`. */
export interface Command extends CommandHelp {
  /** Reads its command line. @throws {ConfigError} */
  prepare(argv: readonly string[]): PreparedCommand
}

export interface PreparedCommand {
  readonly json: boolean
  readonly quiet: boolean
  run(context: Context): Promise<ExitCode>
}

/** The description of a command without what usual ones have in common. */
export interface Description<Rows extends OptionRows>
  extends Omit<CommandHelp, 'usage' | 'options'>,
    Partial<Pick<CommandHelp, 'usage'>> {
  readonly options?: Rows
}

export type CommandValues<Rows extends OptionRows> = ValuesOf<Rows & typeof commonOptions>

export interface Definition<Rows extends OptionRows, Args, In = Context> extends Description<Rows> {
  /** Reads what is not an option. @throws {UsageError} */
  args(args: readonly string[]): Args
  /** The exit code; `ok` without one. */
  run(context: In, values: CommandValues<Rows>, args: Args): Promise<ExitCode | undefined>
}

/** A mistake on the command line; the message is one line for the person who typed it. */
export class UsageError extends ConfigError {
  override readonly name = 'UsageError'
}

/** Options of every command. */
export const commonOptions = {
  json: toggle('--json', 'Print JSON for programs instead of text for humans.'),
  quiet: toggle('-q, --quiet', 'Print only errors on standard error.'),
} satisfies OptionRows

/** Makes a command from its rows. */
export function defineCommand<Args, const Rows extends OptionRows = Record<never, never>>(
  definition: Definition<Rows, Args>,
): Command {
  const rows: OptionRows = { ...definition.options, ...commonOptions }
  const options = Object.values(rows)
  return {
    usage: '[options]',
    ...definition,
    options,
    prepare(argv) {
      const { args, given } = readCommandLine(argv, options, ['--help'])
      const values = Object.entries(rows).map(([name, row]) => [
        name,
        row.value === null ? given.has(row.flag) : optionValue(row, given.get(row.flag)),
      ])
      const all = Object.fromEntries(values) as CommandValues<Rows> // each row has a value of its kind
      const { json, quiet } = all as ValuesOf<typeof commonOptions>
      const run = async (context: Context) =>
        (await definition.run(context, all, definition.args(args))) ?? exitCodes.ok
      return { json, quiet, run }
    },
  }
}

/** Arguments of which there may be none. @throws {UsageError} */
export function noArguments(args: readonly string[]): void {
  if (args[0] !== undefined) throw new UsageError(`Cannot use argument '${args[0]}': expected options only`)
}

/** One argument or more, as they are. @throws {UsageError} */
export function someArguments(what: string): (args: readonly string[]) => readonly string[] {
  return (args) => {
    if (args.length === 0) throw new UsageError(`Cannot start: no ${what} given`)
    return args
  }
}

/** The only argument. @throws {UsageError} if there is none, or several */
export function onlyArgument(what: string): (args: readonly string[]) => string {
  return ([first, second]) => {
    if (first === undefined) throw new UsageError(`Cannot start: ${what} is missing`)
    if (second !== undefined) throw new UsageError(`Cannot use argument '${second}': expected one ${what} only`)
    return first
  }
}
