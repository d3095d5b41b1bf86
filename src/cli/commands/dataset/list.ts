// list: prints the datasets of a server, newest first. Knows how to show a line of the list.
import { text } from '../../../config/value-parsers.ts'
import { defineCommand, limitOption, noArguments, serverOptions, toggle } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { shownBytes, shownCount, shownMoment } from '../../terminal/format-amounts.ts'
import { jsonLine } from '../../terminal/printable.ts'
import { tableText } from '../../terminal/table.ts'

/** The largest page a server sends. */
const pageMax = 1_000

export const list = defineCommand({
  name: 'list',
  summary: 'list datasets, newest first',
  usage: '[options]',
  about: 'Prints one line per dataset. With --json, each line is a JSON object as the server sends it.',
  options: {
    limit: limitOption(1_000_000, 'Maximum number of datasets.'),
    all: toggle('--all', 'All datasets.'),
    name: {
      flag: '--name',
      value: '<text>',
      fallback: null,
      ...text('a part of a file name'),
      help: 'Only datasets uploaded under a file name that contains this text.',
    },
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload list --name sales', what: 'The newest 20 whose file name contains sales.' },
    {
      line: "csv-upload list --all --json | jq -r 'select(.records.rejected > 0).id'",
      what: 'Every dataset with rejects.',
    },
  ],
  completes: 'nothing',
  async run(context, { json, limit, all, name, ...server }, args) {
    noArguments(args)
    using client = connect(context, server)
    const wanted = all ? Number.POSITIVE_INFINITY : limit
    const rows: string[][] = []
    let seen = 0
    for await (const dataset of client.datasets({ name }, Math.min(wanted, pageMax))) {
      const { id, createdAt, records, file } = dataset
      if (json) await context.terminal.print(`${jsonLine(dataset)}\n`)
      else {
        const counts = [shownCount(records.accepted), shownCount(records.rejected), shownBytes(file.bytes)]
        rows.push([id, shownMoment(createdAt), ...counts, file.name])
      }
      seen += 1
      if (seen >= wanted) break
    }
    if (!json && rows.length > 0) await context.terminal.print(tableText(columns, rows, context.terminal.width))
    if (seen === 0) context.terminal.say('No datasets.')
    return exitCodes.ok
  },
})

const columns = [
  { name: 'id' },
  { name: 'created' },
  { name: 'accepted', align: 'right' },
  { name: 'rejected', align: 'right' },
  { name: 'size', align: 'right' },
  { name: 'file' },
] as const
