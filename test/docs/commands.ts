// Commands: the command line as Markdown, generated from the same rows as the help texts.
import type { CommandHelp } from '../../src/cli/command.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { exitCodeRows, optionName } from '../../src/cli/terminal/command-help.ts'

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** One section per command; the options of `serve` have their own page. */
export function commandSections(table: Table): string {
  return allCommands.map((command) => section(command, table)).join('\n\n')
}

function section({ name, usage, about, options, examples }: CommandHelp, table: Table): string {
  const lines = examples.flatMap(([line, what]) => [`# ${what}`, line])
  const optionTable =
    name === 'serve'
      ? 'All options are in [config.md](config.md).'
      : table(
          ['Option', 'Default', 'What it is'],
          options.map((row) => [
            `\`${optionName(row)}\``,
            row.fallback === null ? '' : `\`${row.fallback}\``,
            row.help,
          ]),
        )
  return [
    `## ${name}`,
    `\`csv-upload ${name} ${usage}\``,
    about,
    optionTable,
    `\`\`\`sh\n${lines.join('\n')}\n\`\`\``,
  ].join('\n\n')
}

/** How a command can end. */
export function exitCodeTable(table: Table): string {
  return table(
    ['Code', 'When'],
    exitCodeRows().map(([code, meaning]) => [`\`${code}\``, meaning]),
  )
}
