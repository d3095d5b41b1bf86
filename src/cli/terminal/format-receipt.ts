// Format receipt: a receipt as text for a terminal. Knows no command.
import type { SentReceipt } from '../../client/uploaded-receipt.ts'
import { shownBytes, shownCount, shownMoment } from './format-amounts.ts'
import { printable } from './printable.ts'
import { tableText } from './table.ts'
import type { Terminal } from './terminal.ts'

/** File, counts, notes, and a table of the columns; ends with a line feed. */
export function receiptText(
  { id, createdAt, file, encoding, records, columns, rejects, notes, corrections }: SentReceipt,
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
    ...(corrections === undefined
      ? []
      : [['corrected', `${shownCount(corrections.count)} of ${printable(corrections.of)}`]]),
    ...notes.map(({ code, message }) => ['note', `${printable(code)}: ${printable(message)}`]),
  ]
  const head = facts.map(([name = '', value = '']) => `${terminal.paint('dim', name.padEnd(9))}  ${value}\n`).join('')
  const rows = columns.map(({ name, type, nulls, why }) => [name, type, shownCount(nulls), why])
  return `${head}\n${tableText([{ name: 'column' }, { name: 'type' }, { name: 'nulls', align: 'right' }, { name: 'why' }], rows, terminal.width)}`
}
