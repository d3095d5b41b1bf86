// Commands: every command, in the order of help.
import type { Command, CommandHelp } from './command.ts'
import { list, profile, rejects, restore, rm, rows, show } from './commands/datasets.ts'
import { fix } from './commands/fix.ts'
import { get } from './commands/get.ts'
import { key } from './commands/key.ts'
import { publish, scrub, verify } from './commands/offline.ts'
import { send } from './commands/send.ts'
import { doctor, serveHelp } from './commands/server.ts'
import { copy, query, readings } from './commands/tasks.ts'
import { uploads, watch } from './commands/uploads.ts'

/** Every command except `serve`. */
export const commands: readonly Command[] = [
  ...[send, watch, uploads, list, show, rows, rejects, fix, profile, get, query, readings, copy, publish],
  ...[rm, restore, verify, scrub, doctor, key],
]

/** All commands, `serve` first. */
export const allCommands: readonly CommandHelp[] = [serveHelp, ...commands]
