// Upload JSON: how clients see the status of an upload. The one place that knows its JSON format and its links.
import type { UploadStatus } from '../../core/upload-status.ts'
import { phrase } from '../connection/error-record.ts'
import { datasetsPath } from './receipt-json.ts'
import { times } from './times.ts'

export const uploadsPath = '/qas/uploads'

/** An upload as `GET /qas/uploads/{id}` shows it. */
export function uploadStatusJson(status: UploadStatus) {
  const { encoding, dialect, columns } = status
  return { ...uploadLineJson(status), encoding, dialect, columns }
}

/** An entry in the list of uploads. */
export function uploadLineJson(status: UploadStatus) {
  const { id, createdAt, updatedAt, expiresAt, phase, fileName, bytes, records, datasetId, outcome } = status
  const { idempotencyKey } = status
  const error = errorJson(status)
  return {
    id,
    ...times({ createdAt, updatedAt, expiresAt }),
    phase,
    idempotencyKey,
    fileName,
    bytes,
    records,
    datasetId,
    outcome,
    error,
    links: links(status),
  }
}

/** Changes whenever the status does. */
export function uploadTag({ version }: UploadStatus): string {
  return `"${version.toString(36)}"`
}

/** The error record that the request was answered with, or would have been: its path was that of the upload. */
function errorJson({ id, error }: UploadStatus) {
  if (error === null) return null
  const { timestamp, status, exception, message } = error
  return {
    timestamp,
    status,
    error: phrase(status),
    exception,
    message,
    path: `${uploadsPath}/${id}`,
  }
}

function links({ id, datasetId }: UploadStatus) {
  const self = `${uploadsPath}/${id}`
  return { self, events: `${self}/events`, receipt: datasetId === null ? null : `${datasetsPath}/${datasetId}` }
}
