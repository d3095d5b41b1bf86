// Uploads: the commands that list, cancel and follow uploads. Knows how to show their status.
import { type Client, pageMax } from '../../client/client.ts'
import { ClientError } from '../../client/client-error.ts'
import { failureOf, readAs, type SentStatus, shapes } from '../../client/response-shapes.ts'
import { toggle } from '../../config/option.ts'
import { isFinished } from '../../core/upload-status.ts'
import { type Context, noArguments, onlyArgument, UsageError } from '../command.ts'
import { forEachId, limitOption, printList, serverCommand, uploadIds } from '../server-command.ts'
import { counted, shownBytes, shownCount, shownMoment } from '../terminal/format-amounts.ts'
import { sentText } from '../terminal/format-responses.ts'
import { printable } from '../terminal/printable.ts'
import { drawProgress, progressText, RateMeter } from '../terminal/progress.ts'
import { right } from '../terminal/table.ts'

export const uploads = serverCommand({
  name: 'uploads',
  summary: 'list uploads, newest first, or cancel them',
  usage: '[list] | cancel <upload id>… [options]',
  about:
    'Prints one line per upload, in progress or ended within the last day, however it is sent. `cancel` ends uploads in progress, keeping nothing of them; for uploads that have ended, it deletes the status and keeps the dataset. With --json, prints one line per upload or id.',
  options: {
    limit: limitOption(1_000_000, 'Maximum number of uploads in the list.'),
    all: toggle('--all', 'All uploads.'),
  },
  examples: [
    ['csv-upload uploads', 'The newest 20.'],
    ['csv-upload uploads --all --json | jq -r \'select(.phase == "failed") | .error.message\'', 'Why uploads failed.'],
    ['csv-upload uploads cancel 019aa1b2-4c80-7000-8000-0123456789ab', 'Cancel one upload.'],
  ],
  /** The ids to cancel; null for the list. */
  args([action = 'list', ...ids]) {
    if (action === 'cancel') return uploadIds(ids)
    if (action !== 'list') throw new UsageError(`Cannot run uploads '${action}', expected list or cancel`)
    noArguments(ids)
    return null
  },
  run: (context, { json, limit, all }, prefixes) => {
    const { client } = context
    const countMax = all ? Number.POSITIVE_INFINITY : limit
    if (prefixes === null)
      return printList(context, client.uploads(Math.min(countMax, pageMax)), countMax, json, listing)
    return forEachId(context, prefixes, json, {
      find: (prefix) => client.findUpload(prefix),
      async action(id) {
        const hadEnded = isFinished(readAs(shapes.status, await client.json(`/qas/uploads/${id}`)))
        await client.cancel(id)
        return hadEnded ? 'deleted the status of ended upload' : 'cancelled'
      },
    })
  },
})

const listing = {
  columns: ['id', 'begun', 'phase', right('received'), right('records'), 'file'],
  cells: ({ id, createdAt, phase, bytes, records, fileName }: SentStatus) => {
    const counts = [shownBytes(bytes.received), records === null ? '-' : shownCount(records.total)]
    return [id, shownMoment(createdAt), phase, ...counts, fileName ?? '-']
  },
  none: 'No uploads.',
}

export const watch = serverCommand({
  name: 'watch',
  summary: 'follow an upload to its end',
  usage: '<upload id> [options]',
  about:
    'Shows the phase, size and rate of an upload from any client, and prints its receipt when it is done; exits with 1 if it fails. csv-upload uploads prints the ids; the first digits are enough. With --json, prints each change on one line, as the server sends it. Reconnects if the connection is lost.',
  examples: [
    ['csv-upload watch 019aa1b2-4c80-7000-8000-0123456789ab', 'On a terminal, a live progress line.'],
    ['csv-upload watch 019aa1b2-4c80 --json | jq -r .phase', 'Each change for a script.'],
  ],
  args: (args) => uploadIds([onlyArgument('upload id')(args)])[0]!,
  async run(context, { json }, prefix) {
    const { client, terminal } = context
    const id = await client.findUpload(prefix)
    const last = await lastStatus(context, client, id, json)
    if (last === null) throw ClientError.of('wrong', `Cannot watch upload '${id}': no status arrived`)
    if (last.datasetId === null) throw new ClientError(failureOf(last))
    if (json) return undefined
    const receipt = await client.receipt(last.datasetId)
    const duplicate = last.outcome !== 'new'
    await terminal.print(sentText(terminal, last.fileName ?? id, { ...receipt, duplicate }, null))
  },
})

async function lastStatus(
  { terminal }: Context,
  client: Client,
  id: string,
  json: boolean,
): Promise<SentStatus | null> {
  const meter = new RateMeter()
  let last: SentStatus | null = null
  using _progress = drawProgress(terminal, () => {
    if (last === null) return 'asking the server'
    const { phase, bytes, records } = last
    const received = progressText(bytes.received, bytes.expected, meter.rate(bytes.received))
    const amount = phase === 'receiving' ? received : counted(records?.total ?? 0, 'record')
    return `${printable(last.fileName ?? id)}  ${phase}  ${amount}`
  })
  for await (const status of client.watch(id)) {
    last = status
    if (json) await terminal.printJson(status)
  }
  return last
}
