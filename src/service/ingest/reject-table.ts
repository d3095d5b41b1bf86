// Reject table: rejects as rows, so that they are kept, paged and exported like any other records.
import type { SegmentLayout, TargetColumn } from '../../convert/convert.ts'
import type { Reject, RejectReason } from '../../core/receipt.ts'
import type { ScannedReject } from '../../reading/scanner/scanner.ts'

const shownNames = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message'] as const
/** The number of a readable record that is rejected, among all readable ones: null for others. Reading again needs it. */
export const ordinalName = 'ordinal'
const names = [...shownNames, ordinalName] as const

/** How `rejectLines` are to be read. */
export const rejectLayout: SegmentLayout = {
  width: names.length,
  delimiter: ',',
  quote: '"',
  escape: null,
  lineTerminator: '\n',
}

export const rejectColumns: readonly TargetColumn[] = names.map((name) => ({
  name,
  type: { kind: name === 'reason' || name === 'message' ? 'text' : 'integer' },
  nullWords: [],
}))

/** Those of a reject as it is shown. */
export const rejectColumnNames: readonly string[] = shownNames

/** One line a reject, in the columns above. */
export function rejectLines(rejects: readonly ScannedReject[]): Buffer {
  let text = ''
  for (const { record, line, byteOffset, byteLength, column, reason, message, detail } of rejects) {
    const ordinal = reason === 'constraint' ? detail : ''
    // A look is a third of the whole line cheaper than replacing nothing.
    const quotable = message.includes('"') ? message.replaceAll('"', '""') : message
    text += `${record},${line},${byteOffset},${byteLength},${column ?? ''},${reason},"${quotable}",${ordinal}\n`
  }
  return Buffer.from(text)
}

/** A row of the kept table as a reject. Numbers may come as text, because they are 64 bits wide. */
export function rejectOfRow(row: readonly unknown[]): Reject {
  const [record, line, byteOffset, byteLength, column, reason, message] = row
  return {
    record: Number(record),
    line: Number(line),
    byteOffset: Number(byteOffset),
    byteLength: Number(byteLength),
    column: column === null ? null : Number(column),
    // Only rejectLines writes this table, from a Reject.
    reason: reason as RejectReason,
    message: String(message),
  }
}
