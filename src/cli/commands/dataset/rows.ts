// rows: prints some rows of a dataset. Knows how to show values.
import { datasetPath } from '../../../client/client.ts'
import { text } from '../../../config/value-parsers.ts'
import { defineCommand, limitOption, offsetOption, onlyId, serverOptions } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { shownCount } from '../../terminal/format-amounts.ts'
import { readRowPage, valueTable } from '../../terminal/format-values.ts'
import { jsonLine } from '../../terminal/printable.ts'

export const rows = defineCommand({
  name: 'rows',
  summary: 'print rows of a dataset',
  usage: '<id> [options]',
  about:
    'Prints rows as a table, cut to the width of the terminal; in a pipe, nothing is cut. Null is left empty, empty text is "". With --json, prints the page as the server sends it. For all rows: csv-upload get.',
  options: {
    offset: offsetOption('Rows to skip; fast at any offset.'),
    limit: limitOption(10_000, 'Maximum number of rows.'),
    columns: {
      flag: '--columns',
      value: '<names>',
      fallback: null,
      ...text('names separated by commas'),
      help: 'Columns to print, in this order, separated by commas.',
    },
    ...serverOptions,
  },
  examples: [
    { line: 'csv-upload rows 5f0c… -n 5', what: 'The first five.' },
    { line: 'csv-upload rows 5f0c… --offset 1000000 --columns id,name', what: 'Two columns, far into the dataset.' },
  ],
  completes: 'nothing',
  async run(context, { json, offset, limit, columns, ...server }, args) {
    const prefix = onlyId(args)
    using client = connect(context, server)
    const path = datasetPath(await client.findId(prefix), 'rows')
    const answer = await client.json(path, { offset, limit, columns })
    if (json) await context.terminal.print(`${jsonLine(answer)}\n`)
    else {
      const page = readRowPage(answer)
      await context.terminal.print(valueTable(page, context.terminal.width))
      if (page.total !== null) context.terminal.say(shownPlace(offset, page.rows.length, page.total))
    }
    return exitCodes.ok
  },
})

/** The range of rows shown: `1 to 20 of 1,000`. */
function shownPlace(offset: number, count: number, total: number): string {
  if (total === 0) return 'No rows.'
  if (count === 0) return `No rows after offset ${shownCount(offset)}: there are ${shownCount(total)}`
  return `${shownCount(offset + 1)} to ${shownCount(offset + count)} of ${shownCount(total)}`
}
