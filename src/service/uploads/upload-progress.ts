// Upload progress: what an upload reports while it runs. Interface only; each call is for a step or a segment, never for a record.
import type { ColumnSoFar } from '../../core/upload-status.ts'
import type { Reading } from '../../reading/reading.ts'
import type { RejectPage } from '../service.ts'

/** Current counts of a file; read now and then. */
export interface CountedRecords {
  readonly accepted: number
  readonly rejected: number
  readonly blank: number
  readonly skipped: number
}

export interface LookQuery {
  readonly offset: number
  /** At most this many; fewer if the rest would take too long to find, or has not arrived. */
  readonly limit: number
}

/** Records of an upload that is still being read. Its methods fail with ENOENT once its files have been moved. */
export interface Look {
  /** Accepted records, their values as texts. */
  rows(
    query: LookQuery,
    signal: AbortSignal,
  ): Promise<{ readonly total: number; readonly offset: number; readonly rows: readonly (readonly string[])[] }>
  rejects(query: LookQuery, signal: AbortSignal): Promise<RejectPage>
}

export interface UploadProgress {
  /** The file name has arrived. */
  named(fileName: string): void
  /**
   * The head has been read; `counted` holds the counts of the pass from now on, and `look` shows its records if
   * possible.
   */
  reads(reading: Reading, counted: CountedRecords, look: Look | null): void
  /** Types have been guessed or decided. */
  typed(columns: readonly ColumnSoFar[]): void
  /** All bytes have arrived. */
  received(): void
  /**
   * From now on, the upload is made durable and can no longer be cancelled.
   * @throws {ServiceError} UPLOAD_CANCELLED if it was cancelled; UPLOAD_TAKEN_OVER if another process has it
   */
  writes(): Promise<void>
}

/** The progress of an upload that nobody can watch. */
export const unwatched: UploadProgress = {
  named: () => {},
  reads: () => {},
  typed: () => {},
  received: () => {},
  writes: async () => {},
}
