// Commands: every command, in the order of help, and the one that completes them. Does not know what the others do.
import { type Command, type CommandHelp, defineCommand, onlyArgument, UsageError } from './command.ts'
import { list, open, profile, rejects, restore, rm, rows, show } from './commands/datasets.ts'
import { fix } from './commands/fix.ts'
import { get } from './commands/get.ts'
import { key } from './commands/key.ts'
import { publish, scrub, verify } from './commands/offline.ts'
import { send } from './commands/send.ts'
import { doctor, openapi, serveHelp, whoami } from './commands/server.ts'
import { copy, query, readings } from './commands/tasks.ts'
import { uploads, watch } from './commands/uploads.ts'
import { completionScript, shells } from './terminal/completion-scripts.ts'

const completion = defineCommand({
  name: 'completion',
  summary: 'print shell completions for bash, zsh or fish',
  usage: `<${shells.join('|')}>`,
  about: 'Prints a script that the shell reads at startup; it then completes commands, options and files.',
  examples: [
    ['source <(csv-upload completion bash)', 'In ~/.bashrc; for zsh the same, in ~/.zshrc after compinit.'],
    ['csv-upload completion fish > ~/.config/fish/completions/csv-upload.fish', 'For fish.'],
  ],
  completes: shells,
  args: onlyArgument('shell'),
  async run({ terminal }, _values, name) {
    const shell = shells.find((one) => one === name)
    if (shell === undefined) throw new UsageError(`Cannot complete for '${name}', expected one of ${shells.join(', ')}`)
    await terminal.print(completionScript(shell, allCommands))
  },
})

/** Every command except `serve`. */
export const commands: readonly Command[] = [
  ...[send, watch, uploads, list, show, rows, rejects, fix, profile, get, query, readings, copy, publish],
  ...[open, rm, restore],
  ...[verify, scrub, doctor, whoami, openapi, key, completion],
]

/** All commands, `serve` first. */
export const allCommands: readonly CommandHelp[] = [serveHelp, ...commands]
