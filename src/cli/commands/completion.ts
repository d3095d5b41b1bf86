// completion: prints shell completions for commands and options. Knows where the words come from, not how shells use them.
import type { CommandHelp } from '../command.ts'
import { defineCommand, onlyArgument, UsageError } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { completionScript, shells } from '../terminal/completion-scripts.ts'

/** @param known Every command, including this one; called when the script is printed. */
export function completionOf(known: () => readonly CommandHelp[]) {
  return defineCommand({
    name: 'completion',
    summary: 'print shell completions for bash, zsh or fish',
    usage: `<${shells.join('|')}>`,
    about: 'Prints a script that the shell reads at startup; it then completes commands, options and files.',
    options: {},
    examples: [
      {
        line: 'source <(csv-upload completion bash)',
        what: 'In ~/.bashrc; for zsh the same, in ~/.zshrc after compinit.',
      },
      { line: 'csv-upload completion fish > ~/.config/fish/completions/csv-upload.fish', what: 'For fish.' },
    ],
    completes: 'words',
    words: shells,
    async run({ terminal }, _values, args) {
      const name = onlyArgument(args, 'shell')
      const shell = shells.find((one) => one === name)
      if (shell === undefined) throw new UsageError(`Cannot complete for '${name}', wanted one of ${shells.join(', ')}`)
      await terminal.print(completionScript(shell, known()))
      return exitCodes.ok
    },
  })
}
