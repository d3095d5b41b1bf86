// Shown reject: describes a rejected record, from the numbers that the scanner reports. Knows no bytes.
import type { Reject } from '../../core/receipt.ts'
import { type RejectReason, rejectTable } from '../../core/reject-reasons.ts'
import type { ScannedReject } from './scanner.ts'

/** The expected number in a message: fields, or the bytes of the longest record; 0 for reasons without one. */
export function wantedOf(
  reason: RejectReason,
  { width, recordBytesMax }: { readonly width: number; readonly recordBytesMax: number },
): number {
  const { detail } = rejectTable[reason]
  if (detail === 'fields') return width
  return detail === 'bytes' ? recordBytesMax : 0
}

/** A reject as it is shown. */
export function shownReject(reject: ScannedReject): Reject {
  const { record, line, byteOffset, byteLength, column, reason } = reject
  const message = reject.ownMessage ?? rejectTable[reason].message(reject.detail, reject.wanted)
  return { record, line, byteOffset, byteLength, column, reason, message }
}
