// Shown reject: describes a rejected record, from the numbers that the scanner reports. Knows no bytes.
import type { Reject, RejectReason } from '../../core/receipt.ts'
import type { ScannedReject } from './scanner.ts'

/** The expected number in a message: fields, or the bytes of the longest record; 0 for reasons without one. */
export function wantedOf(
  reason: RejectReason,
  { width, recordBytesMax }: { readonly width: number; readonly recordBytesMax: number },
): number {
  if (reason === 'too_few_fields' || reason === 'too_many_fields') return width
  return reason === 'record_too_long' ? recordBytesMax : 0
}

/** A reject as it is shown. */
export function shownReject({ record, line, byteOffset, byteLength, column, ...why }: ScannedReject): Reject {
  const { reason, detail, wanted, ownMessage } = why
  const message = ownMessage ?? rejectMessage(reason, detail, wanted)
  return { record, line, byteOffset, byteLength, column, reason, message }
}

/**
 * The message for a rejected record.
 *
 * @param detail Number of fields for too_few_fields and too_many_fields, bytes of the record for record_too_long, the
 * number of the record among readable ones for constraint; otherwise the offset in the original of the offending byte,
 * for unclosed_quote of the opening quote.
 * @param wanted From wantedOf.
 */
export function rejectMessage(reason: RejectReason, detail: number, wanted: number): string {
  switch (reason) {
    case 'too_few_fields':
    case 'too_many_fields':
      return `${detail} ${detail === 1 ? 'field' : 'fields'}, expected ${wanted}`
    case 'text_after_quote':
      return `text after a closing quote at offset ${detail}`
    case 'quote_in_field':
      return `quote inside an unquoted field at offset ${detail}`
    case 'unclosed_quote':
      return `quote opened at offset ${detail} is not closed`
    case 'invalid_bytes':
      return `byte at offset ${detail} is not valid in the file's encoding`
    case 'nul_byte':
      return `NUL byte at offset ${detail}`
    case 'record_too_long':
      return `record of ${detail} bytes, at most ${wanted} are read`
    case 'line_end_in_field':
      return `carriage return or line feed inside a field at offset ${detail}`
    case 'constraint':
      return 'a value breaks a constraint of the schema'
  }
}
