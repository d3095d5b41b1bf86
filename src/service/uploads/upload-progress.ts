// Upload progress: what an upload reports while it runs. Interface only; each call is for a step or a segment, none for a record.
import type { ColumnSoFar } from '../../core/upload-status.ts'
import type { Reading } from '../../reading/reading.ts'
import type { RejectPage } from '../service.ts'

/** What has been counted of a file; looked at now and then. */
export interface CountedRecords {
  readonly accepted: number
  readonly rejected: number
  readonly blank: number
  readonly skipped: number
}

export interface LookQuery {
  readonly offset: number
  /** At most this many; fewer where the rest would take too long to find, or has not come. */
  readonly limit: number
}

/** Records of an upload that is still read. Its methods fail with ENOENT once its files have gone elsewhere. */
export interface Look {
  /** Accepted records, their values as texts. */
  rows(
    query: LookQuery,
    signal: AbortSignal,
  ): Promise<{ readonly total: number; readonly offset: number; readonly rows: readonly (readonly string[])[] }>
  rejects(query: LookQuery, signal: AbortSignal): Promise<RejectPage>
}

export interface UploadProgress {
  /** The name has come under which the file is sent. */
  named(fileName: string): void
  /** The head has been read; `counted` is what the pass counts from now on, `look` shows it where that is possible. */
  reads(reading: Reading, counted: CountedRecords, look: Look | null): void
  /** Types have been guessed or decided. */
  typed(columns: readonly ColumnSoFar[]): void
  /** All bytes have come. */
  received(): void
  /**
   * From now on the upload is made durable and can no longer be cancelled.
   * @throws {ServiceError} UPLOAD_CANCELLED where it has been; UPLOAD_TAKEN_OVER where another process has it
   */
  writes(): Promise<void>
}

/** For an upload that nobody can watch. */
export const unwatched: UploadProgress = {
  named: () => {},
  reads: () => {},
  typed: () => {},
  received: () => {},
  writes: async () => {},
}
