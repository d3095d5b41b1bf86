// Resumable states: the state of an upload for its clients, whether it is here, read by another process, or has ended.
import { ServiceError } from '../../core/errors.ts'
import { isFinished } from '../../core/upload-status.ts'
import type { Spool, Spools } from '../../store/store.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { Appended, ResumableBytes, ResumableState } from './resumable.ts'
import type { UploadDetails } from './resumable-upload.ts'

export const notInTime = 'it was not finished in time'
/**
 * How long a client waits for another process to finish its upload; after that, it must ask for the status.
 * Milliseconds.
 */
const waitMsMax = 30_000

export class ResumableStates {
  readonly #spools: Spools
  readonly #uploads: Uploads
  readonly #keepMs: number

  /** @param keepMs How long an upload is kept after its last byte. Milliseconds. */
  constructor(spools: Spools, uploads: Uploads, keepMs: number) {
    this.#spools = spools
    this.#uploads = uploads
    this.#keepMs = keepMs
  }

  of({ facts, state }: Pick<Spool, 'facts' | 'state'>): ResumableState {
    const { bytes, expectedBytes, isComplete, changedAt } = state
    const expiresAt = changedAt + this.#keepMs
    // The service wrote them itself.
    const { remark } = facts.details as UploadDetails
    return { id: facts.id, bytes, expectedBytes, isComplete, expiresAt, remark, datasetId: null }
  }

  /** State of one that has ended or is read elsewhere. @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED */
  async elsewhere(owner: string, id: string): Promise<ResumableState> {
    const seen = (await this.#spools.shared?.look(id)) ?? null
    return seen?.facts.owner === owner ? this.of(seen) : await this.#afterEnd(owner, id)
  }

  /** Nothing can be added to a complete upload but zero bytes, as a client does that has missed the response. */
  async nothingMore(owner: string, id: string, { offset, declaredBytes }: ResumableBytes): Promise<Appended> {
    let state = await this.elsewhere(owner, id)
    if (offset !== state.bytes) {
      throw new ServiceError('UPLOAD_OFFSET_MISMATCH', { expected: state.bytes, provided: offset })
    }
    if (declaredBytes !== 0) {
      throw new ServiceError('UPLOAD_LENGTH_MISMATCH', { problem: `it is complete with ${state.bytes} bytes` })
    }
    if (state.datasetId === null) state = await this.#atEnd(owner, id)
    return { state, reply: null, isRepeated: false }
  }

  /** Waits for one that another process reads, for as long as a client may wait. */
  async #atEnd(owner: string, id: string): Promise<ResumableState> {
    using watch = await this.#uploads.of(owner).watch(id, '')
    const inTime = AbortSignal.timeout(waitMsMax)
    let seen = watch.status()
    while (!isFinished(seen) && !inTime.aborted) seen = await watch.changed(seen.version, inTime)
    return await this.elsewhere(owner, id)
  }

  async #afterEnd(owner: string, id: string): Promise<ResumableState> {
    const { phase, bytes, datasetId, error, expiresAt } = await this.#uploads.of(owner).get(id)
    if (phase === 'done') {
      const whole = { bytes: bytes.received, expectedBytes: bytes.received, isComplete: true }
      return { id, ...whole, expiresAt: expiresAt ?? 0, remark: null, datasetId }
    }
    if (phase === 'failed') throw new ServiceError('UPLOAD_ENDED', { id, problem: `it has failed: ${error?.message}` })
    if (phase === 'expired') throw new ServiceError('UPLOAD_ENDED', { id, problem: notInTime })
    throw new ServiceError('UPLOAD_NOT_FOUND', { id })
  }
}
