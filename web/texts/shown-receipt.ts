// Shown receipt: the members of a receipt, provisional or not, that sentences use. Only types.
import type { EvidenceInWords } from '../../src/core/evidence/evidence.ts'
import type { Column, Dialect, Encoding, RecordCounts } from '../../src/core/receipt.ts'
import type { TableSchema } from '../../src/core/table-schema.ts'

export interface ShownReceipt {
  readonly encoding: Encoding
  readonly dialect: Pick<Dialect, 'delimiter' | 'header'>
  readonly records: Pick<RecordCounts, 'accepted' | 'rejected' | 'header'>
  readonly columns: readonly Column[]
  readonly evidence: EvidenceInWords
  readonly notes: readonly ShownNote[]
  /** What was declared about columns. */
  readonly schema?: Pick<TableSchema, 'fields' | 'fieldsMatch'>
}

export interface ShownNote {
  readonly code: string
  readonly message: string
  readonly lines?: readonly number[]
  readonly column?: string
}

export interface ShownReason {
  readonly reason: string
  readonly message: string
  /** From 1; null or absent if the whole record is meant. */
  readonly column?: number | null
}
