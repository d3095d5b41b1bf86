// Ends: the last status of each upload that has ended, for as long as it is remembered. Interface only.
import type { UploadStatus } from '../../core/upload-status.ts'
import type { UploadsQuery } from '../service.ts'

export interface Ends extends AsyncDisposable {
  /**
   * Remembers it: known at once, durable when `write` resolves. False if another process was first with this upload.
   */
  add(status: UploadStatus): Promise<boolean>
  /** Null if it is unknown, or belongs to another owner. `id` may be any text. */
  get(owner: string, id: string): Promise<UploadStatus | null>
  /** Newest first: at least one more than the query asks for, if there are that many. */
  newest(owner: string, query: UploadsQuery): Promise<readonly UploadStatus[]>
  /** Durable when it resolves. */
  remove(owner: string, id: string): Promise<void>
  /** Resolves when every status is as durable as the storage allows. Never rejects. */
  write(): Promise<void>
}

/** Whether the time for which it is remembered is over. */
export function isExpired({ expiresAt }: Pick<UploadStatus, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}

/** The uploads that a query selects, newest first: ids sort by time. Leaves out expired ones. */
export function newestOf(all: readonly UploadStatus[], owner: string, query: UploadsQuery): readonly UploadStatus[] {
  const { after, idempotencyKey } = query
  return all
    .filter((one) => one.owner === owner && (after === null || one.id < after))
    .filter((one) => !isExpired(one))
    .filter((one) => idempotencyKey === null || one.idempotencyKey === idempotencyKey)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
}
