// Upload status: how far one upload is, from its first byte to its dataset or its failure. Knows nothing of how it is sent.
import type { Dialect, Encoding, RecordCounts, UploadOutcome } from './receipt.ts'

/**
 * `receiving` while bytes are missing, read while they arrive; `reading` when all have come and some are still to be read;
 * `writing` while the dataset is made durable. The last three are ends: nothing changes after them.
 */
export const uploadPhases = ['receiving', 'reading', 'writing', 'done', 'failed', 'expired'] as const
export type UploadPhase = (typeof uploadPhases)[number]

/** Why an upload failed: an error of the table, as its client got it, or would have. */
export interface UploadFailure {
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly status: number
  readonly exception: string
  readonly message: string
}

/** A column as far as it is known: its type once the first records have been looked at, and for certain at the end. */
export interface ColumnSoFar {
  readonly name: string
  readonly type: string | null
}

/** How far an upload is at one moment. Never changes: a later moment has another one. */
export interface UploadStatus {
  /** UUID version 7, as `upload.id` of the receipt. */
  readonly id: string
  /** As of a dataset. */
  readonly owner: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** When anything of it changed last. Epoch milliseconds. */
  readonly updatedAt: number
  /** When it will be forgotten; null while it is in progress. Epoch milliseconds. */
  readonly expiresAt: number | null
  /** Grows with every change, across restarts too. */
  readonly version: number
  readonly phase: UploadPhase
  /** With which its client named it; null for none. */
  readonly idempotencyKey: string | null
  /** Null until the name has come. */
  readonly fileName: string | null
  /** Of what is sent: the body of a form, or the file itself. `expected` is null where the client did not say. */
  readonly bytes: { readonly received: number; readonly expected: number | null }
  /** Of the records that have been read so far; null before. */
  readonly records: RecordCounts | null
  /** Null until the head of the file has been read, as the next two. */
  readonly encoding: Encoding | null
  readonly dialect: Dialect | null
  readonly columns: readonly ColumnSoFar[] | null
  /** Null unless it is done, as the next one. */
  readonly datasetId: string | null
  readonly outcome: UploadOutcome | null
  /** Null unless it failed. */
  readonly error: UploadFailure | null
}

/** True once nothing of it changes any more. */
export function isFinished({ phase }: Pick<UploadStatus, 'phase'>): boolean {
  return phase === 'done' || phase === 'failed' || phase === 'expired'
}
