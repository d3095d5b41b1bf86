// Upload progress: what an upload reports while it runs. Interface only; each call is for a step or a segment, never for a record.
import type { ColumnSoFar } from '../../core/upload-status.ts'
import type { Reading } from '../../reading/reading.ts'

/** Current counts of a file; read now and then. */
export interface CountedRecords {
  readonly accepted: number
  readonly rejected: number
  readonly blank: number
  readonly skipped: number
}

export interface UploadProgress {
  /** The file name has arrived. */
  named(fileName: string): void
  /** The head has been read; `counted` holds the counts of the pass from now on. */
  reads(reading: Reading, counted: CountedRecords): void
  /** Types have been guessed or decided. */
  typed(columns: readonly ColumnSoFar[]): void
  /** All bytes have arrived. */
  received(): void
  /**
   * From now on, the upload is made durable and can no longer be cancelled.
   * @throws {ServiceError} UPLOAD_CANCELLED if it was cancelled
   */
  writes(): void
}

/** The progress of an upload that nobody can watch. */
export const unwatched: UploadProgress = {
  named: () => {},
  reads: () => {},
  typed: () => {},
  received: () => {},
  writes: () => {},
}
