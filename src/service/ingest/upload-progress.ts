// Upload progress: what an upload reports while it runs. Interface only; each call is for a step or a segment, never for a record.
import type { ColumnSoFar } from '../../core/upload-status.ts'
import type { Reading } from '../../reading/reading.ts'
import type { CountedRecords } from './record-tally.ts'

export interface UploadProgress {
  /** The file name has arrived. */
  named(fileName: string): void
  /** The head has been read; `counted` holds the counts of the pass from now on, to be read now and then. */
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
