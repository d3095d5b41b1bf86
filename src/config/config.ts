// Config: the value of every option, decided once at startup. The only reader of the environment. Does not know its users.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bytesIn } from '../core/units.ts'
import { clientVariables } from './client-environment.ts'
import { didYouMean } from './did-you-mean.ts'
import {
  configFlag,
  environmentName,
  environmentPrefix,
  fileKey,
  type Option,
  type OptionName,
  type OptionValues,
  options,
} from './options.ts'

/** The value of every option, and values derived from several of them. Frozen. */
export interface Config extends OptionValues {
  /** Largest file in bytes: the smaller of the two limits of the specification. */
  readonly fileBytesMax: number
}

/** A mistake by the person who starts the service; the message is one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** A value as it was written, and where: `--port`, `CSV_UPLOAD_PORT` or `port in service.json`. */
interface Given {
  readonly text: string
  readonly as: string
}
type Source = ReadonlyMap<string, Given>

const rows = Object.entries(options) as [OptionName, Option<unknown>][] // the keys of `options` are OptionName by definition
const flags = [...rows.map(([, option]) => option.flag), configFlag]

/**
 * Decides every option. Precedence: command line, environment, file (`--config`), default.
 *
 * @param argv The arguments after the command.
 * @throws {ConfigError} for an unknown option or an invalid value, named as given.
 */
export function readConfig(argv: readonly string[], environment: Environment = process.env): Config {
  const commandLine = fromCommandLine(argv)
  const variables = fromEnvironment(environment)
  const file = commandLine.get(configFlag) ?? variables.get(configFlag)
  const sources = [commandLine, variables, file === undefined ? new Map<string, Given>() : fromFile(file)]
  const values = Object.fromEntries(rows.map(([name, option]) => [name, decide(option, sources)])) as OptionValues // one parsed value a row
  if (!isLoopback(values.host) && !values.isOpenToAnyone && !isAsking(values)) {
    const wanted = 'a loopback address, or also --keys or --open-to-anyone yes'
    throw new ConfigError(`Cannot use --host: given "${values.host}", which other machines may reach, wanted ${wanted}`)
  }
  if (values.webhookUrl !== '' && values.webhookSecret === '') {
    throw new ConfigError(
      'Cannot use --webhook: it has no --webhook-secret, with which the receiver verifies the sender',
    )
  }
  const targets = values.copyTargets.map(({ name }) => name)
  if (values.copyUploadsTo !== '' && !targets.includes(values.copyUploadsTo)) {
    const wanted = targets.length === 0 ? 'a --copy-target of that name' : `one of ${targets.join(', ')}`
    throw new ConfigError(`Cannot use --copy-uploads-to: given "${values.copyUploadsTo}", wanted ${wanted}`)
  }
  return Object.freeze({
    ...values,
    fileBytesMax: Math.min(values.multipartFileBytesMax, values.resolverFileMax * bytesIn(values.resolverFileUnit)),
  })
}

/** True if every request must be authenticated. */
function isAsking({ keys, jwtKeys }: Pick<OptionValues, 'keys' | 'jwtKeys'>): boolean {
  return keys !== '' || jwtKeys !== ''
}

/** True for addresses that only this machine can reach. */
function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)
}

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

function decide(option: Option<unknown>, sources: readonly Source[]): unknown {
  const given = sources.map((source) => source.get(option.flag)).find((found) => found !== undefined)
  const { text, as } = given ?? { text: option.fallback, as: `the default of ${option.flag}` }
  const value = option.parse(text)
  if (value === null) {
    const shown = JSON.stringify(option.shown?.(text) ?? text)
    throw new ConfigError(`Cannot use ${as}: given ${shown}, wanted ${option.wanted}`)
  }
  return value
}

function fromCommandLine(argv: readonly string[]): Source {
  const known = Object.fromEntries(flags.map((flag) => [flag.slice(2), { type: 'string' as const }]))
  const { tokens } = parseArgs({ args: [...argv], options: known, strict: false, allowPositionals: true, tokens: true })
  const found = new Map<string, Given>()
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') throw new ConfigError(`Cannot use argument '${token.value}': wanted options only`)
    if (!flags.includes(`--${token.name}`)) throw unknown(token.rawName, flags)
    if (token.value === undefined) throw new ConfigError(`Cannot use ${token.rawName}: it has no value`)
    found.set(`--${token.name}`, { text: token.value, as: token.rawName })
  }
  return found
}

const flagsByVariable: ReadonlyMap<string, string> = new Map(flags.map((flag) => [environmentName(flag), flag]))
const variablesOfClient: readonly string[] = Object.values(clientVariables)

/** A misspelled variable is an error, not a silent default. @throws {ConfigError} */
export function refuseUnknownVariables(environment: Environment = process.env): void {
  const known = [...flagsByVariable.keys(), ...variablesOfClient]
  for (const name of Object.keys(environment)) {
    if (name.startsWith(environmentPrefix) && !known.includes(name)) throw unknown(name, known)
  }
}

function fromEnvironment(environment: Environment): Source {
  refuseUnknownVariables(environment)
  const found = new Map<string, Given>()
  for (const [name, flag] of flagsByVariable) {
    const text = environment[name]
    // Compose files and CI pass on unset variables as empty strings.
    if (text !== undefined && text !== '') found.set(flag, { text, as: name })
  }
  return found
}

function fromFile(file: Given): Source {
  const found = new Map<string, Given>()
  const flagsByKey = new Map(rows.map(([, option]) => [fileKey(option.flag), option.flag]))
  for (const [key, value] of Object.entries(readObject(file))) {
    const as = `${key} in ${file.text}`
    const flag = flagsByKey.get(key)
    if (flag === undefined) throw unknown(as, [...flagsByKey.keys()], key)
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new ConfigError(`Cannot use ${as}: given ${JSON.stringify(value)}, wanted text or a number`)
    }
    found.set(flag, { text: String(value), as })
  }
  return found
}

function readObject(file: Given): Readonly<Record<string, unknown>> {
  const problem = (seen: string) =>
    new ConfigError(`Cannot use ${file.as}: ${seen}, wanted a JSON file with one object`)
  let content: unknown
  try {
    // Without a byte order mark, which some editors write.
    content = JSON.parse(new TextDecoder().decode(readFileSync(file.text)))
  } catch (error) {
    throw problem(
      `cannot read ${JSON.stringify(file.text)} (${error instanceof Error ? error.message : String(error)})`,
    )
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw problem(`${JSON.stringify(file.text)} holds something else`)
  }
  return content as Readonly<Record<string, unknown>> // an object by the line above
}

function unknown(as: string, known: readonly string[], name = as): ConfigError {
  return new ConfigError(`Cannot use ${as}: there is no such option${didYouMean(name, known)}`)
}
