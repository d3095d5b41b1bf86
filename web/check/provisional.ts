// Provisional: what a file's receipt would say, found before anything is sent. Only types; knows no element and no worker.
import type { EvidenceInWords } from '../../src/core/evidence/evidence.ts'
import type { ShownNote } from '../../src/core/notes.ts'
import type { Receipt, RejectPreview } from '../../src/core/receipt.ts'
import type { DeclaredDialect } from '../../src/reading/reading.ts'

export type { DeclaredDialect }

/** How much of a file is read: its first megabyte, or all of it. */
export type Scope = 'head' | 'whole'

export interface CheckOptions {
  readonly dialect: DeclaredDialect
  /** A Table Schema as JSON; null if all types are detected. */
  readonly schema: object | null
  readonly scope: Scope
}

/** The records that break what is declared about a column. */
export interface Misfits {
  /** Index of the column. */
  readonly column: number
  readonly count: number
  /** Different values, at most `misfitValuesMax`, each with the first lines, if they are known. */
  readonly values: readonly { readonly value: string; readonly lines: readonly number[] }[]
  /** Where they are, from 0 to 1; at most one in a hundredth of the records. */
  readonly at: readonly number[]
}

/** The members of a receipt, provisional or not, that sentences use. */
export interface ShownReceipt extends Pick<Receipt, 'encoding' | 'dialect' | 'records' | 'columns' | 'schema'> {
  readonly notes: readonly ShownNote[]
  readonly evidence: EvidenceInWords
}

/** The members of a receipt that can be known here, with the same meaning. */
export interface ProvisionalReceipt extends Omit<ShownReceipt, 'schema'> {
  /** False if only the head was read: counts then refer to it, and types may turn out otherwise. */
  readonly isWhole: boolean
  /** Bytes of the text, after decompression. */
  readonly bytes: number
  readonly rejects: Pick<Receipt['rejects'], 'count' | 'reasons' | 'positions'> & {
    /**
     * At most `listedRejectsMax`; the text is null if the file was decompressed on the way or the bytes are not text.
     */
    readonly first: readonly RejectPreview[]
  }
  /** In the order of the columns; those that have none are left out. */
  readonly misfits: readonly Misfits[]
  /** The first accepted records, at most `previewRowsMax`, as text; null for an empty field. */
  readonly rows: readonly (readonly (string | null)[])[]
}

export interface CheckProgress {
  readonly bytes: number
  readonly accepted: number
  readonly rejected: number
  /** So far. */
  readonly positions: Receipt['rejects']['positions']
}

export const misfitValuesMax = 3
export const previewRowsMax = 100
export const listedRejectsMax = 200
