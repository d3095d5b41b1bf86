// Command help: commands and their options as text, generated from their rows. Does not know what they do.
import type { OptionRow } from '../../config/option.ts'
import type { CommandHelp } from '../command.ts'
import { exitCodeMeanings, exitCodes } from '../exit-codes.ts'

/** What `csv-upload --help` prints. */
export function generalHelp(commands: readonly CommandHelp[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    'Usage: csv-upload <command> [options]',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '  csv-upload <command> --help   options and examples of a command',
    '  csv-upload --version',
    '',
    'Exit codes:',
    ...exitCodeRows().map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning.replaceAll('`', '')}`),
    '',
  ].join('\n')
}

/** What `csv-upload <command> --help` prints, wrapped to a width in characters. */
export function commandHelp({ name, usage, about, options, examples }: CommandHelp, width = 80): string {
  return [
    `Usage: csv-upload ${name} ${usage}`,
    '',
    ...wrapped(about, width, ''),
    '',
    'Options:',
    ...options.flatMap((row) => [
      `  ${optionName(row)}${shownDefault(row) === null ? '' : `  (default: ${shownDefault(row)})`}`,
      ...wrapped(row.help, width, '      '),
    ]),
    '',
    ...(examples.length === 0
      ? []
      : ['Examples:', ...examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]), '']),
  ].join('\n')
}

/** Indented lines of at most `width` characters, unless a single word is longer. */
function wrapped(text: string, width: number, indent: string): readonly string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    const longer = line === indent ? line + word : `${line} ${word}`
    if (longer.length > width && line !== indent) {
      lines.push(line)
      line = indent + word
    } else line = longer
  }
  return [...lines, line]
}

/** `-o, --output <file>`. */
export function optionName({ flag, short, value }: OptionRow): string {
  return `${short === undefined ? '' : `-${short}, `}${flag}${value === null ? '' : ` ${value}`}`
}

/** The default as help and docs show it; null for none. */
export function shownDefault({ fallback, fallbackShown }: OptionRow): string | null {
  return fallbackShown ?? fallback
}

/** Every exit code with its meaning, in order. */
export function exitCodeRows(): readonly (readonly [number, string])[] {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[] // its own keys
  return names.map((name) => [exitCodes[name], exitCodeMeanings[name]])
}
