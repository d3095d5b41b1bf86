// Sent status: the members of an upload's status that the client reads. The rest is passed on unchanged.
import { type UploadStatus, uploadPhases } from '../core/upload-status.ts'
import { ClientError, type Failure } from './client-error.ts'

/** The progress of an upload, as the server sends it. */
export interface SentStatus
  extends Pick<
    UploadStatus,
    'id' | 'createdAt' | 'updatedAt' | 'phase' | 'fileName' | 'bytes' | 'records' | 'datasetId' | 'outcome'
  > {
  readonly error: { readonly status: number; readonly message: string; readonly [member: string]: unknown } | null
}

/** Parses a response as the status of an upload. @throws {ClientError} wrong, if it lacks required members */
export function readStatus(value: unknown): SentStatus {
  const { id, phase, bytes, createdAt } = members(value)
  const isStatus =
    typeof id === 'string' &&
    typeof createdAt === 'number' &&
    uploadPhases.some((one) => one === phase) &&
    typeof members(bytes).received === 'number'
  // A response with these members comes from the service, which sends the others too.
  if (isStatus) return value as SentStatus
  throw new ClientError({
    kind: 'wrong',
    message: 'Cannot read the response: it is not the status of an upload; is this the right server?',
  })
}

/** Why an upload did not become a dataset. */
export function failureOf({ id, phase, error }: SentStatus): Failure {
  if (error === null) return { kind: 'wrong', message: `Cannot finish upload '${id}': it is ${phase}` }
  const { status, message, exception, timestamp, error: title, path } = error
  const record = {
    timestamp: Number(timestamp),
    status,
    error: String(title),
    exception: String(exception),
    message,
    path: String(path),
  }
  return { kind: 'refused', status, message, record, retryAfterMs: null }
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
