// Config: the value of every option, decided once at startup. The only reader of the environment. Does not know its users.
import { readFileSync } from 'node:fs'
import { isObject } from '../core/json.ts'
import { bytesIn } from '../core/units.ts'
import { clientVariables } from './client-environment.ts'
import { ConfigError, type Option, optionValue, readCommandLine, unknownOption, type WrittenValue } from './option.ts'
import {
  allOptions,
  configOption,
  environmentName,
  environmentPrefix,
  fileKey,
  type OptionValues,
  options,
} from './options.ts'

export { ConfigError }

/** The value of every option, and values derived from several of them. Frozen. */
export interface Config extends OptionValues {
  /** Largest file in bytes: the smaller of the two limits of the specification. */
  readonly fileBytesMax: number
}

type Source = ReadonlyMap<string, WrittenValue>

/**
 * Decides every option. Precedence: command line, environment, file (`--config`), default.
 *
 * @param argv The arguments after the command.
 * @param warn Takes one line for each value that is probably a mistake.
 * @throws {ConfigError} for an unknown option or an invalid value, named as given.
 */
export function readConfig(
  argv: readonly string[],
  environment: Environment = process.env,
  warn: (line: string) => void = () => {},
): Config {
  const { args, given: commandLine } = readCommandLine(argv, allOptions)
  if (args[0] !== undefined) throw new ConfigError(`Cannot use argument '${args[0]}': expected options only`)
  const variables = fromEnvironment(environment, warn)
  const file = commandLine.get(configOption.flag) ?? variables.get(configOption.flag)
  const sources = [commandLine, variables, file === undefined ? new Map<string, WrittenValue>() : fromFile(file)]
  const decide = (row: Option<unknown>) => {
    const given = sources.map((source) => source.get(row.flag)).find((found) => found !== undefined)
    const value = optionValue(row, given)
    const doubt = given && row.doubt?.(given.text)
    if (doubt) warn(`Warning: ${given.as}: ${doubt}`)
    return value
  }
  const values = Object.fromEntries(Object.entries(options).map(([name, row]) => [name, decide(row)])) as OptionValues // one parsed value a row
  const asksForKeys = values.keys !== '' || values.jwtKeys !== ''
  if (!isLoopback(values.host) && !values.isOpenToAnyone && !asksForKeys) {
    const wanted = 'a loopback address, or also --keys or --open-to-anyone yes'
    throw new ConfigError(
      `Cannot use --host: given "${values.host}", which other machines may reach, expected ${wanted}`,
    )
  }
  if (values.webhookUrl !== '' && values.webhookSecret === '') {
    throw new ConfigError(
      'Cannot use --webhook: it has no --webhook-secret, with which the receiver verifies the sender',
    )
  }
  const targets = values.copyTargets.map(({ name }) => name)
  if (values.copyUploadsTo !== '' && !targets.includes(values.copyUploadsTo)) {
    const wanted = targets.length === 0 ? 'a --copy-target of that name' : `one of ${targets.join(', ')}`
    throw new ConfigError(`Cannot use --copy-uploads-to: given "${values.copyUploadsTo}", expected ${wanted}`)
  }
  return Object.freeze({
    ...values,
    fileBytesMax: Math.min(values.multipartFileBytesMax, values.resolverFileMax * bytesIn(values.resolverFileUnit)),
  })
}

/** True for addresses that only this machine can reach. */
function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)
}

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

const flagsByVariable: ReadonlyMap<string, string> = new Map(
  allOptions.map(({ flag }) => [environmentName(flag), flag]),
)
const variablesOfClient: readonly string[] = Object.values(clientVariables)

/** A misspelled variable is an error, not a silent default. @throws {ConfigError} */
export function refuseUnknownVariables(environment: Environment = process.env): void {
  const known = [...flagsByVariable.keys(), ...variablesOfClient]
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(environmentPrefix) || known.includes(name) || isInjected(name, value)) continue
    throw unknownOption(name, known)
  }
}

/** True for what Kubernetes and Docker set for a service named `csv-upload`, such as `CSV_UPLOAD_PORT=tcp://10.0.0.1:80`. */
function isInjected(name: string, value = ''): boolean {
  const [, end] =
    /^CSV_UPLOAD(?:_\w+)??_(SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)?)$/.exec(name) ??
    []
  return end !== undefined && (end !== 'PORT' || /^(tcp|udp|sctp):/.test(value))
}

function fromEnvironment(given: Environment, warn: (line: string) => void): Source {
  refuseUnknownVariables(given)
  const injected = Object.keys(given).filter((name) => isInjected(name, given[name]))
  if (injected.length > 0) warn(`Ignored ${injected.join(', ')}: set for a service of that name, not for this one`)
  const environment = Object.fromEntries(Object.entries(given).filter(([name]) => !injected.includes(name)))
  const found = new Map<string, WrittenValue>()
  for (const [name, flag] of flagsByVariable) {
    const text = environment[name]
    // Compose files and CI pass on unset variables as empty strings.
    if (text !== undefined && text !== '') found.set(flag, { text, as: name })
  }
  return found
}

function fromFile(file: WrittenValue): Source {
  const found = new Map<string, WrittenValue>()
  const flagsByKey = new Map(Object.values(options).map(({ flag }) => [fileKey(flag), flag]))
  for (const [key, value] of Object.entries(readObject(file))) {
    const as = `${key} in ${file.text}`
    const flag = flagsByKey.get(key)
    if (flag === undefined) throw unknownOption(as, [...flagsByKey.keys()], key)
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new ConfigError(`Cannot use ${as}: given ${JSON.stringify(value)}, expected text or a number`)
    }
    found.set(flag, { text: String(value), as })
  }
  return found
}

function readObject(file: WrittenValue): Readonly<Record<string, unknown>> {
  const problem = (seen: string) =>
    new ConfigError(`Cannot use ${file.as}: ${seen}, expected a JSON file with one object`)
  let content: unknown
  try {
    // Without a byte order mark, which some editors write.
    content = JSON.parse(new TextDecoder().decode(readFileSync(file.text)))
  } catch (error) {
    throw problem(
      `cannot read ${JSON.stringify(file.text)} (${error instanceof Error ? error.message : String(error)})`,
    )
  }
  if (isObject(content)) return content
  throw problem(`${JSON.stringify(file.text)} holds something else`)
}
