// show: prints the receipt of a dataset. Knows how to show one.
import type { SentReceipt } from '../../client/uploaded-receipt.ts'
import { defineCommand, onlyId, serverOptions } from '../command.ts'
import { connect } from '../connect.ts'
import { exitCodes } from '../exit-codes.ts'
import { shownBytes, shownCount, shownMoment } from '../terminal/format-amounts.ts'
import { jsonLine, printable } from '../terminal/printable.ts'
import { tableText } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

export const show = defineCommand({
  name: 'show',
  summary: 'show the receipt of a dataset',
  usage: '<id> [options]',
  about:
    'Prints what became of a file: its records, its columns with their types and why, its rejects. With --json, the receipt as the server sends it.',
  options: { ...serverOptions },
  examples: [{ line: 'csv-upload show 5f0c… --json | jq .columns', what: 'The columns for a program.' }],
  completes: 'nothing',
  async run(context, { json, ...server }, args) {
    using client = connect(context, server)
    const found = await client.receipt(onlyId(args))
    await context.terminal.print(json ? `${jsonLine(found.json)}\n` : receiptText(found.receipt, context.terminal))
    return exitCodes.ok
  },
})

function receiptText(
  { id, createdAt, file, encoding, records, columns, rejects, notes }: SentReceipt,
  terminal: Terminal,
): string {
  const { total, header, blank, skipped, accepted, rejected } = records
  const counts = Object.entries({ header, blank, skipped, accepted, rejected })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${shownCount(count)} ${name}`)
  const facts = [
    ['id', id],
    [
      'file',
      `${printable(file.name)}, ${shownBytes(file.bytes)} (${shownCount(file.bytes)} bytes), ${printable(encoding.name)}`,
    ],
    ['sha256', printable(file.sha256)],
    ['created', shownMoment(createdAt)],
    ['records', `${shownCount(total)} = ${counts.join(' + ')}`],
    ...Object.entries(rejects.reasons).map(([reason, count]) => [
      'rejected',
      `${shownCount(count)} × ${printable(reason)}`,
    ]),
    ...notes.map(({ code, message }) => ['note', `${printable(code)}: ${printable(message)}`]),
  ]
  const head = facts.map(([name = '', value = '']) => `${terminal.paint('dim', name.padEnd(8))}  ${value}\n`).join('')
  const rows = columns.map(({ name, type, nulls, why }) => [name, type, shownCount(nulls), why])
  return `${head}\n${tableText([{ name: 'column' }, { name: 'type' }, { name: 'nulls', align: 'right' }, { name: 'why' }], rows, terminal.width)}`
}
