// Option: one thing that can be set, and how a command line with options is read. Does not know which options there are.
import { parseArgs } from 'node:util'
import { didYouMean } from './did-you-mean.ts'
import type { Kind } from './value-parsers.ts'

/** An option with a value. For the service, its environment name and its key in a file follow from its flag. */
export interface Option<Value> extends Kind<Value> {
  /** As typed: `--max-file-size`. */
  readonly flag: `--${string}`
  /** One letter: `n` for `-n`. */
  readonly short?: string
  /** Placeholder of its value in help: `<count>`. */
  readonly value: string
  /** Its default, as a user would write it; null for none. */
  readonly fallback: string | null
  /** What help and docs print instead of a default that is empty or depends on the machine. */
  readonly fallbackShown?: string
  /** One line of help, with the unit. */
  readonly help: string
}

/** An option that is given or not. */
export interface Switch extends Omit<Option<boolean>, 'value' | 'parse' | 'wanted'> {
  readonly value: null
}

export type OptionRow = Option<unknown> | Switch

type FlagOf<Spec> = Spec extends `-${string}, ${infer Rest}`
  ? FlagOf<Rest>
  : Spec extends `${infer Flag} ${string}`
    ? Flag
    : Spec

/** An option, described as in help: `--max-file-size`, `-n, --limit <count>`. Without a fallback, it has no default. */
export function option<const Spec extends string, Value, const Fallback extends string | null = null>(
  spec: Spec,
  kind: Kind<Value>,
  fallback: Fallback = null as Fallback, // its type if it is left out
) {
  type Row = Option<Value> & { readonly flag: FlagOf<Spec>; readonly fallback: Fallback }
  return {
    /** The row, once it has its line of help. */
    help: (help: string, shown?: string) => {
      const { value = '<value>', ...names } = namesIn(spec)
      const fallbackShown = shown ?? (fallback === '' ? 'none' : undefined)
      return { ...names, value, fallback, ...(fallbackShown && { fallbackShown }), ...kind, help } as unknown as Row // as in `spec`
    },
  }
}

/** An option without a value: `-q, --quiet`. */
export function toggle(spec: string, help: string): Switch {
  return { ...namesIn(spec), value: null, fallback: null, help }
}

function namesIn(spec: string) {
  const [, short, name = '', value] = /^(?:-(\w), )?--([\w-]+)(?: (<.*>))?$/.exec(spec) ?? []
  return { flag: `--${name}` as const, ...(short && { short }), ...(value && { value }) }
}

/** A mistake by the person who starts a command or the service; the message is one line. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
}

/** A value as it was written, and where: `--port`, `CSV_UPLOAD_PORT` or `port in service.json`. */
export interface WrittenValue {
  readonly text: string
  readonly as: string
}

/**
 * The arguments that are no options, in order, and the options that are given, by flag; the text of a switch is empty.
 *
 * @param known Other flags to suggest for a misspelt one.
 * @throws {ConfigError} for an unknown option, and for a value that is missing or too much
 */
export function readCommandLine(
  argv: readonly string[],
  rows: readonly OptionRow[],
  known: readonly string[] = [],
): { readonly args: readonly string[]; readonly given: ReadonlyMap<string, WrittenValue> } {
  const names = rows.map(({ flag, short, value }) => [
    flag.slice(2),
    { type: value === null ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
  ])
  const options = Object.fromEntries(names)
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
  const args: string[] = []
  const given = new Map<string, WrittenValue>()
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    const row = rows.find(({ flag }) => flag === `--${token.name}`)
    if (row === undefined) throw unknownOption(token.rawName, [...rows.map(({ flag }) => flag), ...known])
    const hasValue = token.value !== undefined
    if (hasValue === (row.value === null)) {
      throw new ConfigError(`Cannot use ${token.rawName}: it ${hasValue ? 'takes' : 'has'} no value`)
    }
    const before = 'repeats' in row ? given.get(row.flag) : undefined
    given.set(row.flag, { text: [...(before ? [before.text] : []), token.value ?? ''].join('\n'), as: row.flag })
  }
  return { args, given }
}

/** The value that is given, else the default; null if there is neither. @throws {ConfigError} if it is invalid */
export function optionValue(row: Option<unknown>, given: WrittenValue | undefined): unknown {
  const { text, as } = given ?? { text: row.fallback, as: `the default of ${row.flag}` }
  if (text === null) return null
  const value = row.parse(text)
  if (value !== null) return value
  throw new ConfigError(`Cannot use ${as}: given ${JSON.stringify(row.shown?.(text) ?? text)}, expected ${row.wanted}`)
}

/** The error for a name that is not among the known ones. */
export function unknownOption(as: string, known: readonly string[], name = as): ConfigError {
  return new ConfigError(`Cannot use ${as}: there is no such option${didYouMean(name, known)}`)
}
