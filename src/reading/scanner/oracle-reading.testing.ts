// Oracle reading: what the scanner's oracle finds in one record, fields and faults.
import type { RejectReason } from '../../core/reject-reasons.ts'
import type { LookAhead } from './record-rules.ts'
import { nothingScanned, type RunawayValue, type ScanOptions, type ScanResult } from './scanner.ts'

export interface Field {
  /** The value with its quotes, without dropped blanks. */
  readonly from: number
  readonly to: number
  /** Position of the delimiter or line end. */
  readonly end: number
  /** Quoted, and contains quotes that are neither doubled nor escaped. */
  readonly isBare: boolean
  readonly strayQuoteAt: number | null
  readonly strayEndAt: number | null
}

export type Flaw = { readonly column: number | null; readonly reason: RejectReason; readonly at: number }

export type Reading =
  | { readonly kind: 'ended'; readonly fields: readonly Field[]; readonly contentEnd: number; readonly end: number }
  | { readonly kind: 'text_after_quote'; readonly column: number; readonly at: number; readonly quoteAt: number }
  | { readonly kind: 'open'; readonly column: number; readonly quoteAt: number }

export type EndedReading = Extract<Reading, { kind: 'ended' }>

/** Another way to read the field that opens at `at`: with its quote as text, or its quotes as with escape `nothing`. */
export type Repair = { readonly at: number; readonly as: 'text' | 'bare' }

export type OracleStep = { readonly end: number; readonly runaway?: Omit<RunawayValue, 'line'> } & (
  | { readonly kind: 'blank' | 'skipped' }
  | { readonly kind: 'accepted'; readonly bytes: Uint8Array; readonly isRepaired: boolean; readonly isOtherwise?: true }
  | ({ readonly kind: 'rejected' } & Flaw)
)

/** What a push gives while everything is kept until the end. */
export function nothingYet({ start: { byteOffset, lines } }: ScanOptions): ScanResult {
  return nothingScanned({ consumedTo: byteOffset, lines })
}

/** Bytes from … to-1 of the pushed input, line end included, and their outcome. */
export interface OracleRange {
  readonly kind: 'accepted' | 'blank' | 'skipped' | 'rejected'
  readonly from: number
  readonly to: number
}

export interface Task {
  readonly options: ScanOptions
  readonly ahead: LookAhead
  readonly excluded: ReadonlySet<number>
}
