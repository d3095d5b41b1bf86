// Reject table: rejects as rows, so that they are kept, paged and exported like any other records.
import type { SegmentLayout, TargetColumn } from '../convert/convert.ts'
import type { Reject, RejectReason } from '../core/receipt.ts'

const names = ['record', 'line', 'byteOffset', 'byteLength', 'column', 'reason', 'message'] as const

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

export const rejectColumnNames: readonly string[] = names

/** One line a reject, in the columns above. */
export function rejectLines(rejects: readonly Reject[]): Buffer {
  let text = ''
  for (const { record, line, byteOffset, byteLength, column, reason, message } of rejects) {
    text += `${record},${line},${byteOffset},${byteLength},${column ?? ''},${reason},"${message.replaceAll('"', '""')}"\n`
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
