// Resumable states: the state of an upload for its clients, in progress or ended.
import { ServiceError } from '../../core/errors.ts'
import type { Spool } from '../../store/store.ts'
import type { OwnUploads } from '../service.ts'
import type { Appended, ResumableBytes, ResumableState } from './resumable.ts'
import type { UploadDetails } from './resumable-upload.ts'

export const notInTime = 'it was not finished in time'

export class ResumableStates {
  readonly #keepMs: number

  /** @param keepMs How long an upload is kept after its last byte. Milliseconds. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  of({ facts, state }: Pick<Spool, 'facts' | 'state'>): ResumableState {
    const { bytes, expectedBytes, isComplete, changedAt } = state
    const expiresAt = changedAt + this.#keepMs
    // The service wrote them itself.
    const { remark } = facts.details as UploadDetails
    return { id: facts.id, bytes, expectedBytes, isComplete, expiresAt, remark, datasetId: null }
  }

  /** Nothing can be added to a complete upload but zero bytes, as a client does that has missed the response. */
  nothingMore(uploads: OwnUploads, id: string, { offset, declaredBytes }: ResumableBytes): Appended {
    const state = this.afterEnd(uploads, id)
    if (offset !== state.bytes) {
      throw new ServiceError('UPLOAD_OFFSET_MISMATCH', { expected: state.bytes, provided: offset })
    }
    if (declaredBytes !== 0) {
      throw new ServiceError('UPLOAD_LENGTH_MISMATCH', { problem: `it is complete with ${state.bytes} bytes` })
    }
    return { state, reply: null, isRepeated: false }
  }

  /** State of one that has ended. @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED */
  afterEnd(uploads: OwnUploads, id: string): ResumableState {
    const { phase, bytes, datasetId, error, expiresAt, remark } = uploads.get(id)
    if (phase === 'done') {
      const whole = { bytes: bytes.received, expectedBytes: bytes.received, isComplete: true }
      return { id, ...whole, expiresAt: expiresAt ?? 0, remark: remark ?? null, datasetId }
    }
    if (phase === 'failed') throw new ServiceError('UPLOAD_ENDED', { id, problem: `it has failed: ${error?.message}` })
    if (phase === 'expired') throw new ServiceError('UPLOAD_ENDED', { id, problem: notInTime })
    throw new ServiceError('UPLOAD_NOT_FOUND', { id })
  }
}
