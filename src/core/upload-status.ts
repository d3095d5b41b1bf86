// Upload status: the progress of one upload, from its first byte to its dataset or its failure. Does not know how it is sent.
import type { Dialect, Encoding, RecordCounts, UploadOutcome } from './receipt.ts'

/**
 * `receiving` while bytes are missing, which are read as they arrive; `reading` when all have arrived and some are
 * still to be read; `writing` while the dataset is made durable. The last three are final: nothing changes after them.
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

/** A column as far as it is known: its type once the first records have been examined, and for certain at the end. */
export interface ColumnSoFar {
  readonly name: string
  readonly type: string | null
}

/** A snapshot of an upload's progress. Never changes: a later status is another object. */
export interface UploadStatus {
  /** UUID version 7, as `upload.id` of the receipt. */
  readonly id: string
  /** Owner, as of a dataset. */
  readonly owner: string
  /** Name of the key or token with which it began. */
  readonly sender: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Last change of any member. Epoch milliseconds. */
  readonly updatedAt: number
  /** When it will be forgotten; null while it is in progress. Epoch milliseconds. */
  readonly expiresAt: number | null
  /** Increases with every change, even across restarts. */
  readonly version: number
  readonly phase: UploadPhase
  /** The client's key for it; null for none. */
  readonly idempotencyKey: string | null
  /** The client's own text, as of a resumable upload; absent for none. */
  readonly remark?: string | null
  /** Null until the name has arrived. */
  readonly fileName: string | null
  /**
   * Bytes of the request: the body of a form, or the file itself. `expected` is null if the client did not announce it.
   */
  readonly bytes: { readonly received: number; readonly expected: number | null }
  /** Counts of the records read so far; null before any. */
  readonly records: RecordCounts | null
  /** Null until the head of the file has been read; the same holds for the next two. */
  readonly encoding: Encoding | null
  readonly dialect: Dialect | null
  readonly columns: readonly ColumnSoFar[] | null
  /** Null unless it is done; the same holds for the next one. */
  readonly datasetId: string | null
  readonly outcome: UploadOutcome | null
  /** Null unless it failed. */
  readonly error: UploadFailure | null
}

/** True once nothing about it changes any more. */
export function isFinished({ phase }: Pick<UploadStatus, 'phase'>): boolean {
  return phase === 'done' || phase === 'failed' || phase === 'expired'
}
