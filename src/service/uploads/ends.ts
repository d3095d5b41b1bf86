// Ends: the last status of each upload that has ended, for as long as it is remembered. Interface only.
import type { UploadStatus } from '../../core/upload-status.ts'
import type { UploadsQuery } from '../service.ts'

export interface Ends extends AsyncDisposable {
  /** Remembers it; known at once, durable when `write` resolves. False where another process was first with this upload. */
  add(status: UploadStatus): Promise<boolean>
  /** Null for one that is not known, or not of that owner. Any text may be asked for. */
  get(owner: string, id: string): Promise<UploadStatus | null>
  /** Newest first: at least as many as the query wants and one more, where there are. */
  newest(owner: string, query: UploadsQuery): Promise<readonly UploadStatus[]>
  /** Durable when it resolves. */
  remove(owner: string, id: string): Promise<void>
  /** Resolves when all that was said is as durable as the storage lets it be. Never rejects. */
  write(): Promise<void>
}

/** Those that a query asks for, newest first: ids sort by time. */
export function newestOf(all: readonly UploadStatus[], owner: string, query: UploadsQuery): readonly UploadStatus[] {
  const { after, idempotencyKey } = query
  return all
    .filter((one) => one.owner === owner && (after === null || one.id < after))
    .filter((one) => idempotencyKey === null || one.idempotencyKey === idempotencyKey)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
}
