// Reject reasons: one row for each reason why a record of the file is not accepted.

interface ReasonRow {
  /** Its structure cannot be read; or it can, but the record is left out of the dataset. */
  readonly kind: 'unreadable' | 'excluded'
  /**
   * The number in its message: of fields, of bytes, the offset in the original of the offending byte (of the opening
   * quote if it is not closed), or the number of the record among readable ones.
   */
  readonly detail: 'fields' | 'bytes' | 'offset' | 'ordinal'
  /** `wanted` is the expected number of fields or bytes; 0 for the others. */
  readonly message: (detail: number, wanted: number) => string
}

function fieldsMessage(detail: number, wanted: number): string {
  return `${detail} ${detail === 1 ? 'field' : 'fields'}, expected ${wanted}`
}

/** The unreadable ones first, in the order of wasm/scanner/scan-result.ts. */
const rows = {
  too_few_fields: { kind: 'unreadable', detail: 'fields', message: fieldsMessage },
  too_many_fields: { kind: 'unreadable', detail: 'fields', message: fieldsMessage },
  text_after_quote: unreadableAt((offset) => `text after a closing quote at offset ${offset}`),
  quote_in_field: unreadableAt((offset) => `quote inside an unquoted field at offset ${offset}`),
  unclosed_quote: unreadableAt((offset) => `quote opened at offset ${offset} is not closed`),
  invalid_bytes: unreadableAt((offset) => `byte at offset ${offset} is not valid in the file's encoding`),
  nul_byte: unreadableAt((offset) => `NUL byte at offset ${offset}`),
  record_too_long: {
    kind: 'unreadable',
    detail: 'bytes',
    message: (detail, wanted) => `record of ${detail} bytes, at most ${wanted} are read`,
  },
  line_end_in_field: unreadableAt((offset) => `carriage return or line feed inside a field at offset ${offset}`),
  constraint: { kind: 'excluded', detail: 'ordinal', message: () => 'a value breaks a constraint of the schema' },
} satisfies Record<string, ReasonRow>

function unreadableAt(message: (offset: number) => string): ReasonRow {
  return { kind: 'unreadable', detail: 'offset', message }
}

export type RejectReason = keyof typeof rows
export const rejectTable: Readonly<Record<RejectReason, ReasonRow>> = rows
export const rejectReasons = Object.keys(rows) as readonly RejectReason[]

/** Rejects that are readable, and left out of the dataset. */
export function excludedCount(counts: Readonly<Partial<Record<RejectReason, number>>>): number {
  return rejectReasons.reduce((sum, reason) => sum + (isExcluded({ reason }) ? (counts[reason] ?? 0) : 0), 0)
}

/** True for a reject that is readable, and left out of the dataset. */
export function isExcluded({ reason }: { readonly reason: RejectReason }): boolean {
  return rejectTable[reason].kind === 'excluded'
}
