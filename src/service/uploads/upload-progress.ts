// Upload progress: what an upload reports while it runs. Interface only; each call is for a step or a segment, none for a record.
import type { ColumnSoFar } from '../../core/upload-status.ts'
import type { Reading } from '../../reading/reading.ts'

/** What has been counted of a file, by whoever counts; looked at now and then. */
export interface CountedRecords {
  readonly accepted: number
  readonly rejected: number
  readonly blank: number
  readonly skipped: number
}

export interface UploadProgress {
  /** The name has come under which the file is sent. */
  named(fileName: string): void
  /** The head has been read; `counted` is what the pass counts from now on. */
  reads(reading: Reading, counted: CountedRecords): void
  /** Types have been guessed or decided. */
  typed(columns: readonly ColumnSoFar[]): void
  /** All bytes have come. */
  received(): void
  /**
   * From now on the upload is made durable and can no longer be cancelled.
   * @throws {ServiceError} UPLOAD_CANCELLED where it has been
   */
  writes(): void
}

/** For an upload that nobody can watch. */
export const unwatched: UploadProgress = {
  named: () => {},
  reads: () => {},
  typed: () => {},
  received: () => {},
  writes: () => {},
}
