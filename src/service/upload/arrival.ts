// Arrival: who sends something, and since when. It becomes the stored record of each upload.
import { uuidV7 } from '../../core/ids.ts'
import type { Upload, UploadOutcome } from '../../core/receipt.ts'
import { type UploadProgress, unwatched } from '../ingest/upload-progress.ts'

export interface UploadContext {
  /** Empty without authentication. */
  readonly owner: string
  /** Name of the key or token; empty without authentication. */
  readonly sender: string
  /** UUID version 7 of the time of arrival. */
  readonly uploadId: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** Time of `performance.now()`. */
  readonly startMs: number
  /** Receives the progress of the upload. */
  readonly progress: UploadProgress
}

/** Begins now. */
export function arrive(owner: string, sender = ''): UploadContext {
  const receivedAt = Date.now()
  return { owner, sender, uploadId: uuidV7(receivedAt), receivedAt, startMs: performance.now(), progress: unwatched }
}

/** The record of an arrival that has just ended. */
export function uploadRecord(
  { owner, uploadId, receivedAt, startMs }: UploadContext,
  datasetId: string,
  fileName: string,
  outcome: UploadOutcome,
): Upload {
  const durationMs = Math.round(performance.now() - startMs)
  return { id: uploadId, datasetId, fileName, owner, receivedAt, durationMs, outcome }
}
