// Completion scripts: shell completions of commands and options, generated from their rows. Knows no command.
import type { OptionRow } from '../../config/option.ts'
import type { CommandHelp } from '../command.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** The script that a shell reads at startup. */
export function completionScript(shell: Shell, commands: readonly CommandHelp[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands)
    case 'zsh':
      return zsh(commands)
    case 'fish':
      return fish(commands)
  }
}

function takesFile({ value }: OptionRow): boolean {
  return value?.includes('file') === true
}

function flagsOf({ options }: CommandHelp): readonly string[] {
  return [...options.map(({ flag }) => flag), '--help']
}

function bash(commands: readonly CommandHelp[]): string {
  const perCommand = commands.map((command) => {
    const values = command.options.flatMap((row) => {
      const names = row.short === undefined ? row.flag : `${row.flag}|-${row.short}`
      if (row.values !== undefined)
        return [`      ${names}) COMPREPLY=($(compgen -W '${row.values.join(' ')}' -- "$current")); return ;;`]
      if (takesFile(row)) return [`      ${names}) COMPREPLY=($(compgen -f -- "$current")); return ;;`]
      return row.value === null ? [] : [`      ${names}) return ;;`]
    })
    const words = command.completes === 'files' ? '-f' : `-W '${command.completes.join(' ')}'`
    const args = command.completes.length === 0 ? '' : `\n    COMPREPLY=($(compgen ${words} -- "$current"))`
    return `  ${command.name})
    case "$previous" in
${values.join('\n')}
    esac
    [[ $current == -* ]] && { COMPREPLY=($(compgen -W '${flagsOf(command).join(' ')}' -- "$current")); return; }${args}
    ;;`
  })
  return `# csv-upload for bash:  source <(csv-upload completion bash)
_csv_upload() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${perCommand.join('\n')}
  esac
}
complete -o filenames -F _csv_upload csv-upload
`
}

/** Text in single quotes. zsh and fish read it the same way if it contains neither quotes nor backslashes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '’')}'`
}

function zsh(commands: readonly CommandHelp[]): string {
  const clean = (text: string) => text.replaceAll(/[[\]]/g, ' ')
  const spec = (row: OptionRow) => {
    const action = row.values !== undefined ? `(${row.values.join(' ')})` : takesFile(row) ? '_files' : ''
    const value = row.value === null ? '' : `:${row.value.slice(1, -1).replaceAll(/[:|@]/g, ' ')}:${action}`
    const names = [row.flag, ...(row.short === undefined ? [] : [`-${row.short}`])]
    return names.map((name) => `      ${quoted(`${name}[${clean(row.help)}]${value}`)}`)
  }
  const perCommand = commands.map((command) => {
    const { completes } = command
    const action = completes === 'files' ? 'file:_files' : `word:(${completes.join(' ')})`
    const args = completes.length === 0 ? [] : [`      '*:${action}'`]
    const lines = [...command.options.flatMap(spec), "      '--help[Help]'", ...args]
    return `    ${command.name})\n      _arguments \\\n${lines.join(' \\\n')}\n      ;;`
  })
  return `#compdef csv-upload
# csv-upload for zsh:  source <(csv-upload completion zsh)
_csv_upload() {
  local -a names
  names=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${clean(summary)}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  ((CURRENT--))
  case $name in
${perCommand.join('\n')}
  esac
}
compdef _csv_upload csv-upload
`
}

function fish(commands: readonly CommandHelp[]): string {
  const lines = commands.flatMap((command) => {
    const seen = `__fish_seen_subcommand_from ${command.name}`
    const options = command.options.map((row) => {
      const short = row.short === undefined ? '' : ` -s ${row.short}`
      const values = row.values !== undefined ? ` -x -a ${quoted(row.values.join(' '))}` : ''
      const value = row.value === null ? '' : takesFile(row) ? ' -r -F' : values || ' -x'
      return `complete -c csv-upload -n '${seen}' -l ${row.flag.slice(2)}${short}${value} -d ${quoted(row.help)}`
    })
    const { completes } = command
    const action = completes === 'files' ? '-F' : `-f -a ${quoted(completes.join(' '))}`
    const args = completes.length === 0 ? [] : [`complete -c csv-upload -n '${seen}' ${action}`]
    const name = `complete -c csv-upload -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`
    return [name, ...options, ...args]
  })
  return `# csv-upload for fish:  csv-upload completion fish | source\ncomplete -c csv-upload -f\n${lines.join('\n')}\n`
}
