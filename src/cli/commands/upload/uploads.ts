// uploads: lists the uploads of a server, and cancels them. Knows how to show a line of the list.
import type { Client } from '../../../client/client.ts'
import { type Context, defineCommand, limitOption, serverOptions, toggle, UsageError } from '../../command.ts'
import { outcomeOf } from '../../command-error.ts'
import { connect } from '../../connect.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { shownBytes, shownCount, shownMoment } from '../../terminal/format-amounts.ts'
import { jsonLine, printable } from '../../terminal/printable.ts'
import { tableText } from '../../terminal/table.ts'
import { uploadIds } from './upload-ids.ts'

/** The largest page a server sends. */
const pageMax = 1_000

export const uploads = defineCommand({
  name: 'uploads',
  summary: 'list uploads, newest first, or cancel them',
  usage: '[list] | cancel <upload id>… [options]',
  about:
    'Prints one line per upload, in progress or ended within the last day, however it is sent. `cancel` ends uploads in progress, keeping nothing of them; for uploads that have ended, it deletes the status and keeps the dataset. With --json, prints one line per upload or id.',
  options: {
    limit: limitOption(1_000_000, 'Maximum number of uploads in the list.'),
    all: toggle('--all', 'All uploads.'),
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload uploads', what: 'The newest 20.' },
    {
      line: 'csv-upload uploads --all --json | jq -r \'select(.phase == "failed") | .error.message\'',
      what: 'Why uploads failed.',
    },
    { line: 'csv-upload uploads cancel 019aa1b2-4c80-7000-8000-0123456789ab', what: 'Cancel one upload.' },
  ],
  completes: 'words',
  words: ['list', 'cancel'],
  async run(context, { json, limit, all, ...server }, args) {
    const [action = 'list', ...ids] = args
    if (action !== 'list' && action !== 'cancel') {
      throw new UsageError(`Cannot run uploads '${action}', wanted list or cancel`)
    }
    if (action === 'list' && ids[0] !== undefined) {
      throw new UsageError(`Cannot use argument '${ids[0]}': wanted options only`)
    }
    if (action === 'cancel' && ids.length === 0) throw new UsageError('Cannot start: no upload id given')
    const prefixes = uploadIds(ids)
    using client = connect(context, server)
    if (action === 'cancel') return await cancel(context, client, prefixes, json)
    return await list(context, client, all ? Number.POSITIVE_INFINITY : limit, json)
  },
})

async function list({ terminal }: Context, client: Client, countMax: number, asJson: boolean): Promise<ExitCode> {
  const rows: string[][] = []
  let seen = 0
  for await (const upload of client.uploads(Math.min(countMax, pageMax))) {
    const { id, createdAt, phase, bytes, records, fileName } = upload
    if (asJson) await terminal.print(`${jsonLine(upload)}\n`)
    else {
      const counts = [shownBytes(bytes.received), records === null ? '-' : shownCount(records.total)]
      rows.push([id, shownMoment(createdAt), phase, ...counts, fileName ?? '-'])
    }
    seen += 1
    if (seen >= countMax) break
  }
  if (rows.length > 0) await terminal.print(tableText(columns, rows, terminal.width))
  if (seen === 0) terminal.say('No uploads.')
  return exitCodes.ok
}

/** If one of them cannot be cancelled, the others still are. */
async function cancel(
  { terminal, signal }: Context,
  client: Client,
  prefixes: readonly string[],
  asJson: boolean,
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  for (const prefix of prefixes) {
    let id = prefix
    try {
      id = await client.findUpload(prefix)
      await client.cancel(id)
      await terminal.print(asJson ? `${jsonLine({ id, ok: true })}\n` : `cancelled ${printable(id)}\n`)
    } catch (error) {
      signal.throwIfAborted()
      const outcome = outcomeOf(error)
      if (code === exitCodes.ok) code = outcome.code
      if (asJson) await terminal.print(`${jsonLine({ id, ok: false, error: outcome.error })}\n`)
      else terminal.complain(`${terminal.paintError('red', `${printable(id)}:`)} ${outcome.line}`)
    }
  }
  return code
}

const columns = [
  { name: 'id' },
  { name: 'begun' },
  { name: 'phase' },
  { name: 'received', align: 'right' },
  { name: 'records', align: 'right' },
  { name: 'file' },
] as const
