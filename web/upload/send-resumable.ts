// Send resumable: sends a file to the service whatever happens to the connection, and waits for its dataset. Knows no element and no queue.

import { isFinished, type UploadStatus } from '../../src/core/upload-status.ts'
import type { DeclaredDialect } from '../../src/reading/reading.ts'
import { ApiError } from '../api.ts'
import { isPassing, Patience } from './patience.ts'
import { uploadEvents } from './upload-events.ts'
import { addBytes, beginUpload, uploadOffset } from './upload-requests.ts'

export interface Resumable {
  readonly file: File
  /** Size of the whole file, even if the service has all of it and `file` is empty. Bytes. */
  readonly size: number
  readonly dialect: DeclaredDialect
  /** Id of an upload that was begun before; null for a new one. */
  readonly id: string | null
  readonly onBegun: (id: string) => Promise<void>
  /** Bytes sent; fewer than before if a break has lost some. */
  readonly onSent: (bytes: number) => void
  /** True while the connection is broken and being retried. */
  readonly onBroken: (isBroken: boolean) => void
  readonly onStatus: (status: UploadStatus) => void
}

/** Another request has added bytes in the meantime: ask for the offset again. */
const offsetMismatch = 409

/** The status of the upload when its dataset exists. @throws {ApiError} Also rejects with the reason of the signal. */
export async function sendResumable(resumable: Resumable, signal: AbortSignal): Promise<UploadStatus> {
  const { file, dialect, onBegun, onStatus } = resumable
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    const id = resumable.id ?? (await patiently(resumable, either, () => beginUpload(file, dialect, either)))
    await onBegun(id)
    const ended = lastStatus(id, onStatus, either)
    // Whichever ends first: the outcome may be known before the whole file has been sent.
    await Promise.race([sendRest(id, resumable, either), ended])
    const last = await ended
    if (last.phase === 'done') return last
    throw new ApiError(last.error?.status ?? 410, last.error?.message ?? last.phase, last.error?.exception)
  } finally {
    stop.abort()
  }
}

async function lastStatus(id: string, onStatus: (status: UploadStatus) => void, signal: AbortSignal) {
  for await (const status of uploadEvents(id, signal)) {
    onStatus(status)
    if (isFinished(status)) return status
  }
  throw new ApiError(410, id)
}

/** Resolves when every byte is there. */
async function sendRest(id: string, resumable: Resumable, signal: AbortSignal): Promise<void> {
  const { file, size, onSent } = resumable
  await patiently(resumable, signal, async (renew) => {
    const offset = await uploadOffset(id, signal)
    onSent(offset)
    if (offset === size) return
    const progress = (bytes: number) => {
      renew()
      onSent(Math.min(size, offset + bytes))
    }
    await addBytes(id, file, offset, { onSent: progress, signal })
  })
}

/** Retries after temporary failures, at once after a success and with growing waits otherwise. */
export async function patiently<Result>(
  { onBroken }: Pick<Resumable, 'onBroken'>,
  signal: AbortSignal,
  attempt: (renew: () => void) => Promise<Result>,
): Promise<Result> {
  const patience = new Patience()
  const renew = () => {
    patience.renew()
    onBroken(false)
  }
  for (;;) {
    try {
      const result = await attempt(renew)
      onBroken(false)
      return result
    } catch (error) {
      const isMismatch = error instanceof ApiError && error.status === offsetMismatch
      if (signal.aborted || !(isPassing(error) || isMismatch)) throw error
    }
    onBroken(true)
    await patience.wait(signal)
  }
}
