// Commands: the command line as Markdown, generated from the same rows as the help texts.
import { type CommandHelp, commonOptions } from '../../src/cli/command.ts'
import { allCommands, commands } from '../../src/cli/commands.ts'
import { serverOptions } from '../../src/cli/server-command.ts'
import { exitCodeRows, optionName } from '../../src/cli/terminal/command-help.ts'

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** One section per command; the options of `serve` have their own page, those that the others share a section. */
export function commandSections(table: Table): string {
  const shared = Object.values({ ...serverOptions, ...commonOptions })
  const [serve, ...others] = allCommands.map((command) => section(command, shared, table))
  const withoutServer = commands.filter(({ options }) => !options.includes(serverOptions.url))
  const about =
    '`serve` has none of these. `--url`, `--key-file` and `--retries` belong to the commands that call a server: all ' +
    `but ${withoutServer.map(({ name }) => `\`${name}\``).join(', ')}.`
  return [serve, '## Options of the other commands', about, optionTable(shared, table), ...others].join('\n\n')
}

function section(
  { name, usage, about, options, examples }: CommandHelp,
  shared: CommandHelp['options'],
  table: Table,
): string {
  const lines = examples.flatMap(([line, what]) => [`# ${what}`, line])
  const own = options.filter((row) => !shared.includes(row))
  const rows = own.length === 0 ? [] : [optionTable(own, table)]
  return [
    `## ${name}`,
    `\`csv-upload ${name} ${usage}\``,
    about,
    ...(name === 'serve' ? ['All options are in [config.md](config.md).'] : rows),
    `\`\`\`sh\n${lines.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

function optionTable(options: CommandHelp['options'], table: Table): string {
  return table(
    ['Option', 'Default', 'What it is'],
    options.map((row) => [`\`${optionName(row)}\``, row.fallback === null ? '' : `\`${row.fallback}\``, row.help]),
  )
}

/** How a command can end. */
export function exitCodeTable(table: Table): string {
  return table(
    ['Code', 'When'],
    exitCodeRows().map(([code, meaning]) => [`\`${code}\``, meaning]),
  )
}
