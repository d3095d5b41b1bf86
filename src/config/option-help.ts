// Option help: the options as text, generated from their rows. Knows no commands.
import { configFlag, environmentName, type Option, options } from './options.ts'

/** An option as shown in help and docs. */
export interface OptionHelp {
  readonly flag: string
  readonly environment: string
  readonly fallback: string
  readonly wanted: string
  readonly help: string
}

/** Every option in the order of `--help`, `--config` last. */
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
