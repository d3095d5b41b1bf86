// Commands: every command, in the order of help. Does not know what they do.
import type { Command, CommandHelp } from './command.ts'
import { completionOf } from './commands/completion.ts'
import { copy } from './commands/dataset/copy.ts'
import { fix } from './commands/dataset/fix.ts'
import { get } from './commands/dataset/get.ts'
import { list } from './commands/dataset/list.ts'
import { open } from './commands/dataset/open.ts'
import { profile } from './commands/dataset/profile.ts'
import { query } from './commands/dataset/query.ts'
import { readings } from './commands/dataset/readings.ts'
import { rejects } from './commands/dataset/rejects.ts'
import { rm } from './commands/dataset/rm.ts'
import { rows } from './commands/dataset/rows.ts'
import { show } from './commands/dataset/show.ts'
import { verify } from './commands/dataset/verify.ts'
import { doctor } from './commands/server/doctor.ts'
import { key } from './commands/server/key.ts'
import { openapi } from './commands/server/openapi.ts'
import { publish } from './commands/server/publish.ts'
import { scrub } from './commands/server/scrub.ts'
import { serveHelp } from './commands/server/serve.ts'
import { whoami } from './commands/server/whoami.ts'
import { send } from './commands/upload/send.ts'
import { uploads } from './commands/upload/uploads.ts'
import { watch } from './commands/upload/watch.ts'

const completion = completionOf(() => allCommands)

/** Every command except `serve`. */
export const commands: readonly Command[] = [
  send,
  watch,
  uploads,
  list,
  show,
  rows,
  rejects,
  fix,
  profile,
  get,
  query,
  readings,
  copy,
  publish,
  open,
  rm,
  verify,
  scrub,
  doctor,
  whoami,
  openapi,
  key,
  completion,
]

/** All commands, `serve` first. */
export const allCommands: readonly CommandHelp[] = [serveHelp, ...commands]
