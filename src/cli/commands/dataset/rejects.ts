// rejects: prints the rejected records of a dataset with position and reason. Knows how to show them.
import { type Client, datasetPath } from '../../../client/client.ts'
import { ClientError } from '../../../client/client-error.ts'
import { oneOf } from '../../../config/value-parsers.ts'
import { type RejectPreview, rejectReasons } from '../../../core/receipt.ts'
import { defineCommand, limitOption, offsetOption, onlyId, serverOptions, toggle } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { shownCount } from '../../terminal/format-amounts.ts'
import { jsonLine } from '../../terminal/printable.ts'
import { tableText } from '../../terminal/table.ts'

const pageMax = 1_000

export const rejects = defineCommand({
  name: 'rejects',
  summary: 'print rejected records with position and reason',
  usage: '<id> [options]',
  about:
    'Prints each rejected record: its position in the file, the reason, and its text. With --json, each line is a JSON object as the server sends it. As CSV: csv-upload get --as rejects.',
  options: {
    offset: offsetOption('Rejects to skip.'),
    limit: limitOption(10_000, 'Maximum number of rejects.'),
    reason: {
      flag: '--reason',
      value: '<reason>',
      fallback: null,
      ...oneOf(rejectReasons),
      help: 'Only rejects with this reason.',
    },
    all: toggle('--all', 'All rejects after the offset.'),
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload rejects 5f0c…', what: 'The first 20.' },
    {
      line: "csv-upload rejects 5f0c… --all --json | jq -r '[.line, .reason] | @tsv'",
      what: 'Lines and reasons of all.',
    },
  ],
  completes: 'nothing',
  async run(context, { json, offset, limit, all, reason, ...server }, args) {
    const prefix = onlyId(args)
    using client = connect(context, server)
    const id = await client.findId(prefix)
    let shown = 0
    let total = 0
    for await (const page of pages(client, id, { offset, limit: all ? null : limit, reason })) {
      total = page.total
      shown += page.rejects.length
      if (json) for (const reject of page.rejects) await context.terminal.print(`${jsonLine(reject)}\n`)
      else if (page.rejects.length > 0) {
        await context.terminal.print(tableText(columns, page.rejects.map(cells), context.terminal.width))
      }
    }
    if (!json)
      context.terminal.say(total === 0 ? 'No rejects.' : `${shownCount(shown)} of ${shownCount(total)} rejects`)
    return exitCodes.ok
  },
})

interface Page {
  readonly total: number
  readonly rejects: readonly RejectPreview[]
}

interface Wanted {
  readonly offset: number
  /** Null for all. */
  readonly limit: number | null
  readonly reason: string | null
}

/** Pages of rejects, fetched as needed. */
async function* pages(client: Client, id: string, { offset, limit, reason }: Wanted): AsyncGenerator<Page> {
  for (let at = offset, left = limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
    const query = { offset: at, limit: Math.min(left, pageMax), reason }
    const page = (await client.json(datasetPath(id, 'rejects'), query)) as Page // checked below
    if (!Array.isArray(page?.rejects) || typeof page.total !== 'number') {
      throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it has no rejects' })
    }
    yield page
    at += page.rejects.length
    left -= page.rejects.length
    if (page.rejects.length === 0 || at >= page.total) return
  }
}

const columns = [
  { name: 'record', align: 'right' },
  { name: 'line', align: 'right' },
  { name: 'offset', align: 'right' },
  { name: 'reason' },
  { name: 'message' },
  { name: 'text' },
] as const

function cells({ record, line, byteOffset, reason, message, text, base64 }: RejectPreview): readonly string[] {
  const shown = text ?? (base64 === undefined ? '' : `base64:${base64}`)
  return [String(record), String(line), String(byteOffset), String(reason), String(message), shown]
}
