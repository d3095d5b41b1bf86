// profile: prints statistics of the columns of a dataset. Knows how to show them; the server computes them.
import { datasetPath } from '../../../client/client.ts'
import { ClientError } from '../../../client/client-error.ts'
import { defineCommand, onlyId, serverOptions } from '../../command.ts'
import { connect } from '../../connect.ts'
import { exitCodes } from '../../exit-codes.ts'
import { shownCount } from '../../terminal/format-amounts.ts'
import { jsonLine } from '../../terminal/printable.ts'
import { tableText } from '../../terminal/table.ts'

export const profile = defineCommand({
  name: 'profile',
  summary: 'summarize the columns of a dataset',
  usage: '<id> [options]',
  about:
    'Prints one line per column: nulls, distinct values, minimum, maximum, mean and median, if the column has them. With --json, prints the profile as the server sends it, with histograms and frequent values.',
  options: { ...serverOptions },
  examples: [
    { line: 'csv-upload profile 5f0c1a2b', what: 'Every column.' },
    {
      line: 'csv-upload profile 5f0c1a2b --json | jq \'.statistics[] | select(.column_name == "amount")\'',
      what: 'One column with its histogram.',
    },
  ],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    const prefix = onlyId(args)
    using client = connect(context, server)
    const answer = await client.json(datasetPath(await client.findId(prefix), 'profile'))
    if (json) await context.terminal.print(`${jsonLine(answer)}\n`)
    else await context.terminal.print(tableText(columns, rowsOf(answer), context.terminal.width))
    return exitCodes.ok
  },
})

const columns = [
  { name: 'column' },
  { name: 'type' },
  { name: 'nulls', align: 'right' },
  { name: 'distinct', align: 'right' },
  { name: 'min', align: 'right' },
  { name: 'max', align: 'right' },
  { name: 'mean', align: 'right' },
  { name: 'median', align: 'right' },
] as const

type Members = Readonly<Record<string, unknown>>

function rowsOf(answer: unknown): readonly (readonly string[])[] {
  const statistics = isMembers(answer) ? answer.statistics : null
  if (!Array.isArray(statistics)) {
    throw new ClientError({ kind: 'wrong', message: 'Cannot read the response: it has no statistics' })
  }
  return statistics.filter(isMembers).map(({ column_name, column_type, column_statistics }) => {
    const of: Members = isMembers(column_statistics) ? column_statistics : {}
    const figures = [of.min, of.max, of.mean, of.median].map((figure) => shown(figure))
    const distinct = of.distinct_count ?? of.n_unique
    return [String(column_name), String(column_type), shown(of.nan_count), shown(distinct), ...figures]
  })
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(figure: unknown): string {
  if (figure === undefined || figure === null) return ''
  if (typeof figure !== 'number') return String(figure)
  return Number.isInteger(figure) ? shownCount(figure) : String(Number(figure.toPrecision(6)))
}
