// Option help: the options as text, printed from their rows. Knows nothing of commands.
import { configFlag, environmentName, type Option, options } from './options.ts'

/** One option as help and docs show it. */
export interface OptionHelp {
  readonly flag: string
  readonly environment: string
  readonly fallback: string
  readonly wanted: string
  readonly help: string
}

/** Every option in the order of `--help`, the file option last. */
export function optionHelp(): readonly OptionHelp[] {
  const rows: readonly Option<unknown>[] = Object.values(options)
  return [
    ...rows.map(({ flag, fallback, fallbackShown, wanted, help }) => ({
      flag,
      environment: environmentName(flag),
      fallback: fallbackShown ?? fallback,
      wanted,
      help,
    })),
    {
      flag: configFlag,
      environment: environmentName(configFlag),
      fallback: 'none',
      wanted: 'a JSON file with one object',
      help: 'Configuration file with options in camel case: { "maxFileSize": "200MB" }.',
    },
  ]
}

/** The options as lines of `--help`, two for each. */
export function optionLines(): string {
  return optionHelp()
    .map(({ flag, fallback, help }) => `  ${flag} <value>  (default: ${fallback})\n      ${help}`)
    .join('\n')
}
