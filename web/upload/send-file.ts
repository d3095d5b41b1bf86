// Send file: sends a file to the service whatever happens to the connection, and waits for its dataset. Knows no element
// and no queue.
import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
import type { DeclaredDialect } from '../../src/reading/reading.ts'
import { ApiError, UserFacingError } from '../api.ts'
import { t } from '../texts.ts'
import { Backoff, isTransient } from './backoff.ts'
import { lockUpload } from './kept-uploads.ts'
import { endUpload } from './live.ts'
import { uploadEvents } from './upload-events.ts'
import { addBytes, beginUpload, sendWhole, uploadOffset } from './upload-requests.ts'

/** What changes of an upload while its file is sent. */
export interface SendState {
  /** Id of the upload at the service, once it has begun. */
  readonly id: string | null
  /** Fewer than before if a break has lost some. */
  readonly sentBytes: number
  /** Bytes a second, smoothed; 0 while unknown. */
  readonly rate: number
  /** True while the connection is broken and being retried. */
  readonly isBroken: boolean
  /** The service's result so far. */
  readonly status: UploadStatus | null
}

export interface OutgoingFile extends SendState {
  /** Size of the whole file, even if the service has all of it and `file` is empty. Bytes. */
  readonly size: number
  /** The user's declarations about it; sent along. */
  readonly dialect: DeclaredDialect
  /** Of its columns; null if all types are detected. */
  readonly schema: object | null
}

export type UploadResult = Readonly<ReturnType<typeof resultOf>>

type Update = (change: Partial<SendState> & { readonly phase?: 'sending' | 'processing' }) => void

/** Smaller files are sent again after a break: that costs less than asking for their offset. */
const resumableBytesMin = 1_048_576
/** Another request has added bytes in the meantime: ask for the offset again. */
const offsetMismatch = 409

interface Sending {
  readonly upload: OutgoingFile
  readonly file: File
  readonly update: Update
  /** Called when an upload begins that can be continued by its id. */
  readonly onBegun: (id: string) => Promise<void>
  readonly signal: AbortSignal
}

/** @throws {ApiError, UserFacingError} Also rejects with the reason of the signal. */
export async function sendFile(sending: Sending): Promise<UploadResult> {
  const { upload, file, update, signal } = sending
  const { size } = upload
  if (upload.id !== null || size >= resumableBytesMin) return sendResumable(sending)
  const progress = progressOf(upload, update)
  const onSent = (bytes: number) => {
    progress(bytes)
    update({ phase: bytes >= size ? 'processing' : 'sending' })
  }
  const receipt = await withRetries(update, signal, () => sendWhole(file, upload, { onSent, signal }))
  const { accepted, rejected } = receipt.records
  if (receipt.upload !== undefined) endUpload(receipt.upload.id)
  return { datasetId: receipt.id, accepted, rejected, isDuplicate: receipt.duplicate === true }
}

async function sendResumable({ upload, file, update, onBegun, signal }: Sending): Promise<UploadResult> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const id = upload.id ?? (await withRetries(update, signal, () => beginUpload(file, upload, signal)))
  update({ id })
  const release = await lockUpload(id)
  if (release === null) throw new UserFacingError(t.otherTab)
  try {
    if (upload.id === null) await onBegun(id)
    const ended = lastStatus(id, update, either)
    // Whichever ends first: the outcome may be known before the whole file has been sent.
    await Promise.race([sendRest(id, upload, file, update, either), ended])
    const last = await ended
    endUpload(id)
    if (last.phase === 'done') return resultOf(last)
    throw new ApiError(last.error?.status ?? 410, last.error?.message ?? last.phase, last.error?.exception)
  } finally {
    stop.abort()
    release()
  }
}

export function resultOf({ datasetId, records, outcome }: UploadStatus) {
  const { accepted = 0, rejected = 0 } = records ?? {}
  return { datasetId: datasetId ?? '', accepted, rejected, isDuplicate: outcome !== 'new' }
}

async function lastStatus(id: string, update: Update, signal: AbortSignal): Promise<UploadStatus> {
  for await (const status of uploadEvents(id, signal)) {
    if (isFinished(status)) return status
    if (!signal.aborted) update({ status, phase: status.phase === 'receiving' ? 'sending' : 'processing' })
  }
  throw new ApiError(410, id)
}

async function sendRest(id: string, upload: OutgoingFile, file: File, update: Update, signal: AbortSignal) {
  const progress = progressOf(upload, update)
  await withRetries(update, signal, async (resetBackoff) => {
    const offset = await uploadOffset(id, signal)
    progress(offset)
    if (offset === upload.size) return
    const onSent = (bytes: number) => {
      resetBackoff()
      progress(offset + bytes)
    }
    await addBytes(id, file, offset, { onSent, signal })
  })
}

/** Retries after temporary failures, immediately after a success and with growing waits otherwise. */
export async function withRetries<Result>(
  update: (change: Pick<SendState, 'isBroken'>) => void,
  signal: AbortSignal,
  attempt: (resetBackoff: () => void) => Promise<Result>,
): Promise<Result> {
  const backoff = new Backoff()
  const resetBackoff = () => {
    backoff.reset()
    update({ isBroken: false })
  }
  for (;;) {
    try {
      const result = await attempt(resetBackoff)
      update({ isBroken: false })
      return result
    } catch (error) {
      const isMismatch = error instanceof ApiError && error.status === offsetMismatch
      if (signal.aborted || !(isTransient(error) || isMismatch)) throw error
    }
    update({ isBroken: true })
    await backoff.wait(signal)
  }
}

/** Share of the latest sample. */
const weight = 0.3
const sampleMs = 200

/** Reports the bytes sent so far, and how many they are a second, smoothed. */
function progressOf({ size, sentBytes }: OutgoingFile, update: Update): (bytes: number) => void {
  let [lastMs, lastBytes, rate] = [performance.now(), sentBytes, 0]
  return (bytes) => {
    const elapsedMs = performance.now() - lastMs
    if (elapsedMs >= sampleMs) {
      const sample = (Math.max(0, bytes - lastBytes) / elapsedMs) * 1_000
      rate = rate === 0 ? sample : rate * (1 - weight) + sample * weight
      lastMs += elapsedMs
      lastBytes = bytes
    }
    update({ sentBytes: Math.min(size, bytes), rate })
  }
}
