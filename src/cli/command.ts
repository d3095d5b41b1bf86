// Command: defines a command, reads its command line, and has the options that several commands share. Knows no command.
import { parseArgs } from 'node:util'
import type { ClientEnvironment } from '../config/client-environment.ts'
import { didYouMean } from '../config/did-you-mean.ts'
import { type Kind, oneOf, text, wholeNumber } from '../config/value-parsers.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal/terminal.ts'

/** An option with a value. */
export interface ValueOption<Value> extends Kind<Value> {
  readonly flag: `--${string}`
  readonly short?: string
  /** Placeholder of its value in help: `<count>`. */
  readonly value: `<${string}>`
  /** As a user would write it; null for no default. */
  readonly fallback: string | null
  readonly help: string
}

/** An option that is given or not. */
export interface Switch {
  readonly flag: `--${string}`
  readonly short?: string
  readonly value: null
  readonly help: string
}

export type OptionRow = ValueOption<unknown> | Switch
export type OptionRows = Readonly<Record<string, OptionRow>>

/** The values of a command's options: true or false for a switch, null for an option without value or default. */
export type ValuesOf<Rows extends OptionRows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends ValueOption<infer Value>
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

export interface Example {
  readonly line: string
  readonly what: string
}

/** The description of a command, from which help, completion and docs are generated. */
export interface CommandHelp {
  readonly name: string
  /** One line. */
  readonly summary: string
  /** What follows the name: `<file>… [options]`. */
  readonly usage: string
  /** Further text, in whole sentences. */
  readonly about: string
  readonly options: readonly HelpRow[]
  readonly examples: readonly Example[]
  /** How to complete its arguments other than options. */
  readonly completes: 'files' | 'words' | 'nothing'
  readonly words?: readonly string[]
}

/** An option as shown in help. `values` lists its possible values if there are few. */
export interface HelpRow extends Pick<OptionRow, 'flag' | 'short' | 'help'> {
  readonly value: string | null
  readonly fallback: string | null
  readonly values: readonly string[]
}

/** A command that calls a server or reads files: every command except `serve`. */
export interface Command extends CommandHelp {
  /** Reads its command line. @throws {UsageError} */
  prepare(argv: readonly string[]): Prepared
}

export interface Prepared {
  readonly json: boolean
  readonly quiet: boolean
  readonly noColor: boolean
  run(context: Context): Promise<ExitCode>
}

interface Definition<Rows extends OptionRows> extends Omit<CommandHelp, 'options'> {
  readonly options: Rows
  run(context: Context, values: ValuesOf<Rows & typeof commonOptions>, args: readonly string[]): Promise<ExitCode>
}

/** A mistake on the command line; the message is one line for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Options of every command. */
export const commonOptions = {
  json: toggle('--json', 'Print JSON for programs instead of text for humans.'),
  quiet: { ...toggle('--quiet', 'Print only errors on standard error.'), short: 'q' },
  noColor: toggle('--no-color', 'Print without colours, as with NO_COLOR.'),
} satisfies OptionRows

/** Options of every command that calls a server. */
export const serverOptions = {
  url: {
    flag: '--url',
    value: '<url>',
    fallback: null,
    ...text('the address of a server'),
    help: 'URL of the server; else CSV_UPLOAD_URL, else http://127.0.0.1:8080.',
  },
  keyFile: {
    flag: '--key-file',
    value: '<file>',
    fallback: null,
    ...text('a file'),
    help: 'File with the API key; else CSV_UPLOAD_KEY or CSV_UPLOAD_KEY_FILE. A key is never an argument, which other users could see.',
  },
  retries: {
    flag: '--retries',
    value: '<count>',
    fallback: '5',
    ...wholeNumber(0, 100),
    help: 'Number of retries if the server is busy or the connection fails; 0 for none.',
  },
} as const satisfies OptionRows

/** Number of items of a list to skip. */
export function offsetOption(help: string) {
  const kind = wholeNumber(0, Number.MAX_SAFE_INTEGER)
  return { flag: '--offset', value: '<count>', fallback: '0', ...kind, help } as const
}

/** Maximum number of items of a list to print; default 20. */
export function limitOption(countMax: number, help: string) {
  const kind = wholeNumber(1, countMax)
  return { flag: '--limit', short: 'n', value: '<count>', fallback: '20', ...kind, help } as const
}

export function toggle(flag: Switch['flag'], help: string): Switch {
  return { flag, value: null, help }
}

/** An option whose value is one of the given words. */
export function choice<const Word extends string>(values: readonly Word[]): Kind<Word> & { values: readonly Word[] } {
  return { ...oneOf(values), values }
}

/** Makes a command from its rows. */
export function defineCommand<const Rows extends OptionRows>(definition: Definition<Rows>): Command {
  const rows: OptionRows = { ...definition.options, ...commonOptions }
  return {
    ...definition,
    options: Object.values(rows).map(helpRow),
    prepare(argv) {
      const { values, args } = parse(argv, rows)
      const all = values as ValuesOf<Rows & typeof commonOptions> // parse() gives each row a value of its kind
      const { json, quiet, noColor } = values as ValuesOf<typeof commonOptions>
      return { json, quiet, noColor, run: (context) => definition.run(context, all, args) }
    },
  }
}

function helpRow(row: OptionRow): HelpRow {
  const { flag, value, help } = row
  const values = 'values' in row ? (row.values as readonly string[]) : [] // set only by choice()
  const fallback = row.value === null ? null : row.fallback
  return { flag, value, help, fallback, values, ...(row.short === undefined ? {} : { short: row.short }) }
}

function parse(argv: readonly string[], rows: OptionRows) {
  const known = Object.values(rows)
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      known.map(({ flag, short, value }) => [
        flag.slice(2),
        { type: value === null ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const args: string[] = []
  const given = new Map<string, string | undefined>()
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    const row = known.find(({ flag }) => flag === `--${token.name}`)
    if (row === undefined) {
      const flags = [...known.map(({ flag }) => flag), '--help']
      throw new UsageError(`Cannot use ${token.rawName}: there is no such option${didYouMean(token.rawName, flags)}`)
    }
    if (row.value === null && token.value !== undefined)
      throw new UsageError(`Cannot use ${token.rawName}: it takes no value`)
    if (row.value !== null && token.value === undefined)
      throw new UsageError(`Cannot use ${token.rawName}: it has no value`)
    given.set(row.flag, token.value)
  }
  const values = Object.entries(rows).map(([name, row]) => [name, readValue(row, given)])
  return { values: Object.fromEntries(values) as Readonly<Record<string, unknown>>, args }
}

function readValue(row: OptionRow, given: ReadonlyMap<string, string | undefined>): unknown {
  if (row.value === null) return given.has(row.flag)
  const text = given.get(row.flag) ?? row.fallback
  if (text === null) return null
  const value = row.parse(text)
  if (value !== null) return value
  throw new UsageError(`Cannot use ${row.flag}: given ${JSON.stringify(text)}, wanted ${row.wanted}`)
}

/** The only argument. @throws {UsageError} if there is none, or several */
export function onlyArgument(args: readonly string[], what: string): string {
  const [first, second] = args
  if (first === undefined) throw new UsageError(`Cannot start: ${what} is missing`)
  if (second !== undefined) throw new UsageError(`Cannot use argument '${second}': wanted one ${what} only`)
  return first
}

/** The given ids, each whole or only its first digits. @throws {UsageError} */
export function datasetIds(args: readonly string[]): readonly string[] {
  const wrong = args.find((arg) => !/^[0-9a-f]{8,32}$/i.test(arg))
  if (wrong !== undefined)
    throw new UsageError(
      `Cannot use id '${wrong}': wanted at least the first 8 of its 32 hexadecimal digits, as send and list print them`,
    )
  return args.map((id) => id.toLowerCase())
}

/** The only id. @throws {UsageError} */
export function onlyId(args: readonly string[]): string {
  const [id = ''] = datasetIds([onlyArgument(args, 'id')])
  return id
}

/** @throws {UsageError} if there is an argument */
export function noArguments(args: readonly string[]): void {
  if (args[0] !== undefined) throw new UsageError(`Cannot use argument '${args[0]}': wanted options only`)
}
