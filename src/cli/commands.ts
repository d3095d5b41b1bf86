// Commands: every command there is, in the order of help. Knows nothing of what they do.
import type { Command, CommandHelp } from './command.ts'
import { completionOf } from './commands/completion.ts'
import { doctor } from './commands/doctor.ts'
import { get } from './commands/get.ts'
import { key } from './commands/key.ts'
import { list } from './commands/list.ts'
import { open } from './commands/open.ts'
import { openapi } from './commands/openapi.ts'
import { profile } from './commands/profile.ts'
import { query } from './commands/query.ts'
import { readings } from './commands/readings.ts'
import { rejects } from './commands/rejects.ts'
import { rm } from './commands/rm.ts'
import { rows } from './commands/rows.ts'
import { scrub } from './commands/scrub.ts'
import { send } from './commands/send.ts'
import { serveHelp } from './commands/serve.ts'
import { show } from './commands/show.ts'
import { verify } from './commands/verify.ts'

const completion = completionOf(() => allCommands)

/** Those that do one thing and end. */
export const commands: readonly Command[] = [
  send,
  list,
  show,
  rows,
  rejects,
  profile,
  get,
  query,
  readings,
  open,
  rm,
  verify,
  scrub,
  doctor,
  openapi,
  key,
  completion,
]

/** And `serve`. */
export const allCommands: readonly CommandHelp[] = [serveHelp, ...commands]
