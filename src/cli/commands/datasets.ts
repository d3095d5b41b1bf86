// Datasets: the commands that list, print and delete datasets. Knows how to show each response.
import { type Client, datasetPath, pageMax } from '../../client/client.ts'
import { readAs, type SentReceipt, shapes } from '../../client/response-shapes.ts'
import { option, toggle } from '../../config/option.ts'
import { oneOf, text } from '../../config/value-parsers.ts'
import { isObject } from '../../core/json.ts'
import type { RejectPreview } from '../../core/receipt.ts'
import { rejectReasons } from '../../core/reject-reasons.ts'
import { noArguments } from '../command.ts'
import {
  datasetCommand,
  datasetIds,
  forEachId,
  limitOption,
  offsetOption,
  onlyId,
  printList,
  serverCommand,
} from '../server-command.ts'
import { shownBytes, shownCount, shownMoment } from '../terminal/format-amounts.ts'
import { receiptText, valueTable } from '../terminal/format-responses.ts'
import { right, tableText } from '../terminal/table.ts'

export const list = serverCommand({
  name: 'list',
  summary: 'list datasets, newest first',
  about: 'Prints one line per dataset. With --json, each line is a JSON object as the server sends it.',
  options: {
    limit: limitOption(1_000_000, 'Maximum number of datasets.'),
    all: toggle('--all', 'All datasets.'),
    name: option('--name <text>', text('a part of a file name')).help(
      'Only datasets uploaded under a file name that contains this text.',
    ),
    search: option('--search <text>', text('a part of a name')).help(
      'Only datasets with this text in such a file name or in the name of a column.',
    ),
    trash: toggle('--trash', 'Datasets in the trash instead.'),
  },
  examples: [
    ['csv-upload list --name sales', 'The newest 20 whose file name contains sales.'],
    ["csv-upload list --all --json | jq -r 'select(.records.rejected > 0).id'", 'Every dataset with rejects.'],
  ],
  args: noArguments,
  run: (context, { json, limit, all, name, search, trash }) => {
    const countMax = all ? Number.POSITIVE_INFINITY : limit
    const list = trash ? 'trash' : 'datasets'
    const datasets = context.client.datasets({ name, search }, Math.min(countMax, pageMax), list)
    return printList(context, datasets, countMax, json, listing)
  },
})

const listing = {
  columns: ['id', 'created', right('accepted'), right('rejected'), right('size'), 'file'],
  cells: ({ id, createdAt, records, file }: SentReceipt) => {
    const counts = [shownCount(records.accepted), shownCount(records.rejected), shownBytes(file.bytes)]
    return [id, shownMoment(createdAt), ...counts, file.name]
  },
  none: 'No datasets.',
}

export const show = datasetCommand({
  name: 'show',
  summary: 'show the receipt of a dataset',
  about:
    'Prints how a file was read: record counts, columns with their types and why, notes and rejects. With --json, prints the receipt as the server sends it.',
  examples: [['csv-upload show 5f0c1a2b --json | jq .columns', 'The columns, for a script.']],
  fetch: async ({ client, path }) => readAs(shapes.receipt, await client.json(await path())),
  show: receiptText,
})

export const rows = datasetCommand({
  name: 'rows',
  summary: 'print rows of a dataset',
  about:
    'Prints rows as a table, cut to the width of the terminal; in a pipe, nothing is cut. Null is left empty, empty text is "". With --json, prints the page as the server sends it. For all rows: csv-upload get.',
  options: {
    offset: offsetOption('Rows to skip; fast at any offset.'),
    limit: limitOption(10_000, 'Maximum number of rows.'),
    columns: option('--columns <names>', text('names separated by commas')).help(
      'Columns to print, in this order, separated by commas.',
    ),
  },
  examples: [
    ['csv-upload rows 5f0c… -n 5', 'The first five.'],
    ['csv-upload rows 5f0c… --offset 1000000 --columns id,name', 'Two columns, far into the dataset.'],
  ],
  fetch: async ({ client, path }, { offset, limit, columns }) =>
    client.json(await path('rows'), { offset, limit, columns }),
  show(response, { width }, { offset }) {
    const page = readAs(shapes.rows, response)
    return [valueTable(page, width), page.total === undefined ? null : shownRange(offset, page.rows.length, page.total)]
  },
})

/** The range of rows shown: `1 to 20 of 1,000`. */
function shownRange(offset: number, count: number, total: number): string {
  if (total === 0) return 'No rows.'
  if (count === 0) return `No rows after offset ${shownCount(offset)}: there are ${shownCount(total)}`
  return `${shownCount(offset + 1)} to ${shownCount(offset + count)} of ${shownCount(total)}`
}

export const rejects = serverCommand({
  name: 'rejects',
  summary: 'print rejected records with position and reason',
  usage: '<id> [options]',
  about:
    'Prints each rejected record: its position in the file, the reason, and its text. With --json, each line is a JSON object as the server sends it. As CSV: csv-upload get --as rejects.',
  options: {
    offset: offsetOption('Rejects to skip.'),
    limit: limitOption(10_000, 'Maximum number of rejects.'),
    reason: option('--reason <reason>', oneOf(rejectReasons)).help('Only rejects with this reason.'),
    all: toggle('--all', 'All rejects after the offset.'),
  },
  examples: [
    ['csv-upload rejects 5f0c…', 'The first 20.'],
    ["csv-upload rejects 5f0c… --all --json | jq -r '[.line, .reason] | @tsv'", 'Lines and reasons of all.'],
  ],
  args: onlyId,
  async run({ client, terminal }, { json, offset, limit, all, reason }, prefix) {
    const countMax = all ? Number.POSITIVE_INFINITY : limit
    let shown = 0
    let total = 0
    for await (const page of rejectPages(client, await client.findId(prefix), offset, countMax, reason)) {
      total = page.total
      shown += page.rejects.length
      if (json) for (const reject of page.rejects) await terminal.printJson(reject)
      else if (page.rejects.length > 0) {
        await terminal.print(tableText(rejectColumns, page.rejects.map(rejectCells), terminal.width))
      }
    }
    if (!json) terminal.say(total === 0 ? 'No rejects.' : `${shownCount(shown)} of ${shownCount(total)} rejects`)
  },
})

async function* rejectPages(client: Client, id: string, offset: number, countMax: number, reason: string | null) {
  for (let at = offset, left = countMax; left > 0; ) {
    const query = { offset: at, limit: Math.min(left, pageMax), reason }
    const page = readAs(shapes.rejects, await client.json(datasetPath(id, 'rejects'), query))
    yield page
    at += page.rejects.length
    left -= page.rejects.length
    if (page.rejects.length === 0 || at >= page.total) return
  }
}

const rejectColumns = [right('record'), right('line'), right('offset'), 'reason', 'message', 'text']

function rejectCells({ record, line, byteOffset, reason, message, text, base64 }: RejectPreview): readonly string[] {
  const shown = text ?? (base64 === undefined ? '' : `base64:${base64}`)
  return [String(record), String(line), String(byteOffset), String(reason), String(message), shown]
}

export const profile = datasetCommand({
  name: 'profile',
  summary: 'summarize the columns of a dataset',
  about:
    'Prints one line per column: nulls, distinct values, minimum, maximum, mean and median, if the column has them. With --json, prints the profile as the server sends it, with histograms and frequent values.',
  examples: [
    ['csv-upload profile 5f0c1a2b', 'Every column.'],
    [
      'csv-upload profile 5f0c1a2b --json | jq \'.statistics[] | select(.column_name == "amount")\'',
      'One column with its histogram.',
    ],
  ],
  async fetch({ client, path }, { json }) {
    const dataset = await path()
    const profile = readAs(shapes.profile, await client.json(`${dataset}/profile`))
    if (json) return profile
    const { columns } = readAs(shapes.receipt, await client.json(dataset))
    const types = new Map<unknown, string>(columns.map(({ name, type }) => [name, type]))
    const typed = profile.statistics.filter(isObject).map((one) => ({ ...one, type: types.get(one.column_name) }))
    return { statistics: typed }
  },
  show: ({ statistics }, { width }) => tableText(profileColumns, statistics.filter(isObject).map(profileCells), width),
})

const figureColumns = ['nulls', 'distinct', 'min', 'max', 'mean', 'median']
const profileColumns = ['column', 'type', ...figureColumns.map(right)]

function profileCells(column: Readonly<Record<string, unknown>>): readonly string[] {
  const { column_name, type, column_statistics } = column
  const of = isObject(column_statistics) ? column_statistics : {}
  const [nulls, distinct, ...others] = [of.nan_count, of.n_unique, of.min, of.max, of.mean, of.median].map(shownFigure)
  const about = typeof of.n_unique_error === 'number' ? ` ± ${Number((100 * of.n_unique_error).toPrecision(2))} %` : ''
  return [String(column_name), String(type), `${nulls}`, `${distinct}${about}`, ...others]
}

function shownFigure(figure: unknown): string {
  if (figure === undefined || figure === null) return ''
  if (typeof figure !== 'number') return String(figure)
  return Number.isInteger(figure) ? shownCount(figure) : String(Number(figure.toPrecision(6)))
}

export const rm = serverCommand({
  name: 'rm',
  summary: 'delete datasets',
  usage: '<id>… [options]',
  about:
    'Deletes each dataset permanently: original, data, rejects and receipt, without asking first; with --trash, it can be restored for some days. If one of them cannot be deleted, the others still are. With --json, prints one line per id.',
  options: { trash: toggle('--trash', 'Move them to the trash.') },
  examples: [
    [
      'csv-upload list --all --name test --json | jq -r .id | xargs csv-upload rm',
      'Every dataset whose file name contains test.',
    ],
  ],
  args: datasetIds,
  run: (context, { json, trash }, prefixes) =>
    forEachId(context, prefixes, json, {
      find: (prefix) => context.client.findId(prefix),
      action: (id) => context.client.remove(id, trash).then(() => (trash ? 'moved to the trash' : 'deleted')),
    }),
})

export const restore = serverCommand({
  name: 'restore',
  summary: 'restore datasets from the trash',
  usage: '<id>… [options]',
  about: 'Each dataset is there again as it was. With --json, prints one line per id.',
  examples: [['csv-upload restore 5f0c1a2b', 'One that csv-upload list --trash shows.']],
  args: datasetIds,
  run: (context, { json }, prefixes) =>
    forEachId(context, prefixes, json, {
      find: (prefix) => context.client.findId(prefix, 'trash'),
      async action(id) {
        ;(await context.client.post(`/qas/trash/${id}/restore`, '{}')).resume()
        return 'restored'
      },
    }),
})
