// Run upload: runs the work on one upload whose client waits for the response, and reports its progress.
import { type BorrowedBytes, lengthOf } from '../../core/borrowed-bytes.ts'
import { ServiceError } from '../../core/errors.ts'
import { byteTurns } from '../../io/turns/byte-turns.ts'
import type { PendingBody, UploadReply } from '../service.ts'
import { arrive, type UploadContext } from '../upload/arrival.ts'
import type { LiveUpload } from './live-upload.ts'
import type { Uploads } from './uploads.ts'

/** What is sent, and how much of it has arrived. */
export interface UploadDescription {
  readonly owner: string
  readonly sender?: string
  readonly expectedBytes: number | null
  readonly fileName?: string
  readonly idempotencyKey?: string | null
  /** Size of a file that is already here, if all of it counts as received. */
  readonly receivedBytes?: number
  /** The body, if bytes are still to arrive. */
  readonly body?: PendingBody | undefined
}

type Work<Reply> = (arrival: UploadContext, live: LiveUpload, signal: AbortSignal) => Promise<Reply>

/**
 * @param gone Aborted when the client disconnects; the signal for `work` is also aborted when the upload is cancelled.
 * @throws what `work` throws, but UPLOAD_CANCELLED after a cancellation.
 */
export async function runUpload<Reply extends UploadReply>(
  uploads: Uploads,
  sent: UploadDescription,
  gone: AbortSignal,
  work: Work<Reply>,
): Promise<Reply> {
  using _ = byteTurns.begin()
  const { body, ...known } = sent
  const cancelling = new AbortController()
  const stop = (error: ServiceError) => {
    cancelling.abort(error)
    // It may be waiting for its next bytes.
    body?.fail(error)
  }
  const arrival = arrive(sent.owner, sent.sender)
  const live = uploads.begin({ ...known, id: arrival.uploadId, createdAt: arrival.receivedAt, stop })
  try {
    const signal = AbortSignal.any([gone, cancelling.signal])
    const reply = await work({ ...arrival, progress: live }, live, signal)
    live.done(reply, uploads.expiresAt())
    return reply
  } catch (error) {
    const isGone = (gone.aborted || live.isInterrupted) && !(error instanceof ServiceError)
    const reason = isGone ? new ServiceError('UPLOAD_INTERRUPTED', {}, error) : error
    const failure = live.failed(reason, uploads.expiresAt())
    // The client has disconnected.
    throw failure === reason ? error : failure
  }
}

/** The same body, counted as it arrives. */
export async function* countedBody(
  body: AsyncIterable<readonly BorrowedBytes[]>,
  live: LiveUpload,
): AsyncGenerator<readonly BorrowedBytes[]> {
  try {
    for await (const chunks of body) {
      live.receivedBytes += lengthOf(chunks)
      yield chunks
    }
  } catch (error) {
    // Other errors of a body mean that its client has disconnected.
    if (!(error instanceof ServiceError)) live.isInterrupted = true
    throw error
  }
  live.received()
}
