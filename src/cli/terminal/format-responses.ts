// Format responses: receipts, outcomes of uploads and rows as text for a terminal. Knows no command.
import type { SentReceipt } from '../../client/response-shapes.ts'
import { accountOf } from '../../core/account.ts'
import type { RowPage } from '../../core/responses.ts'
import { shownBytes, shownCount, shownMoment, shownTime } from './format-amounts.ts'
import { printable } from './printable.ts'
import { right, tableText } from './table.ts'
import type { Terminal } from './terminal.ts'

/** File, counts, notes, and a table of the columns; ends with a line feed. */
export function receiptText(
  { id, createdAt, file, encoding, records, columns, rejects, notes, corrections }: SentReceipt,
  terminal: Terminal,
): string {
  const exact = file.bytes < 1_024 ? '' : ` (${shownCount(file.bytes)} bytes)`
  const size = shownBytes(file.bytes) + exact
  const facts = [
    ['id', id],
    ['file', `${printable(file.name)}, ${size}, ${printable(encoding.name)}`],
    ['sha256', printable(file.sha256)],
    ['created', shownMoment(createdAt)],
    ['records', accountOf(records)],
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
  return `${head}\n${tableText(['column', 'type', right('nulls'), 'why'], rows, terminal.width)}`
}

/** The outcome of an upload. @param tookMs Null if unknown. */
export function sentText(terminal: Terminal, as: string, receipt: SentReceipt, tookMs: number | null): string {
  const { id, records, rejects, notes } = receipt
  const facts = [
    accountOf(records).replace(/\S+ rejected$/, (rejected) => terminal.paint('yellow', rejected)),
    shownBytes(receipt.file.bytes),
    ...(tookMs === null ? [] : [shownTime(tookMs)]),
  ]
  const lines = [`${terminal.paint('bold', id)}  ${printable(as)}  ${facts.join(', ')}${storedBefore(receipt)}`]
  for (const [reason, count] of Object.entries(rejects.reasons)) lines.push(`  ${count} × ${printable(reason)}`)
  for (const { code, message, severity } of notes) {
    const isSerious = severity === 'serious'
    lines.push(
      terminal.paint(
        isSerious ? 'yellow' : 'dim',
        `  ${isSerious ? 'serious' : 'note'} ${printable(code)}: ${printable(message)}`,
      ),
    )
  }
  return `${lines.join('\n')}\n`
}

function storedBefore({ duplicate, upload }: SentReceipt): string {
  if (duplicate !== true) return ''
  return upload?.outcome === 'repaired' ? ' (already stored, damaged; now repaired)' : ' (already stored)'
}

/** A table of values: null is left empty, empty text is shown as two quotes. */
export function valueTable({ columns, rows }: RowPage, widthMax: number | null): string {
  const heads = columns.map(({ name, type }) =>
    /^(integer|decimal|number)/i.test(String(type)) ? right(String(name)) : String(name),
  )
  const cells = rows.map((row) => row.map(shownValue))
  return tableText(heads, cells, widthMax)
}

function shownValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value === '') return '""'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
