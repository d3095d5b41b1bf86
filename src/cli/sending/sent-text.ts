// Sent text: the outcome of an upload, as lines for humans.
import type { SentReceipt } from '../../client/uploaded-receipt.ts'
import { counted, shownBytes, shownTime } from '../terminal/format-amounts.ts'
import { printable } from '../terminal/printable.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** @param tookMs Null if unknown. */
export function sentText(terminal: Terminal, as: string, receipt: SentReceipt, tookMs: number | null): string {
  const { id, records, rejects, notes } = receipt
  const rejected =
    records.rejected === 0
      ? 'none rejected'
      : terminal.paint('yellow', `${counted(records.rejected, 'record')} rejected`)
  const facts = [
    `${counted(records.accepted, 'record')} accepted`,
    rejected,
    shownBytes(receipt.file.bytes),
    ...(tookMs === null ? [] : [shownTime(tookMs)]),
  ]
  const lines = [`${terminal.paint('bold', id)}  ${printable(as)}  ${facts.join(', ')}${storedBefore(receipt)}`]
  for (const [reason, count] of Object.entries(rejects.reasons)) lines.push(`  ${count} × ${printable(reason)}`)
  for (const { code, message } of notes) {
    lines.push(terminal.paint('dim', `  note ${printable(code)}: ${printable(message)}`))
  }
  return `${lines.join('\n')}\n`
}

function storedBefore({ duplicate, upload }: SentReceipt): string {
  if (duplicate !== true) return ''
  return upload?.outcome === 'repaired' ? ' (already stored, damaged; now repaired)' : ' (already stored)'
}
