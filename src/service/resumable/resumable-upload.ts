// Resumable upload: the bytes of one upload as requests add them, one request at a time, the newest first. Does not read them.
import { createHash, timingSafeEqual } from 'node:crypto'
import { lengthOf, viewOf } from '../../core/borrowed-bytes.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Spool, SpoolWriter } from '../../store/store.ts'
import type { HeldKey } from '../uploads/idempotency-keys.ts'
import type { LiveUpload } from '../uploads/live-upload.ts'
import { Growth } from './growing-file.ts'
import type { NewResumable, ResumableBytes } from './resumable.ts'

/** What is stored of an upload besides its bytes. */
export interface UploadDetails
  extends Omit<NewResumable, 'expectedBytes' | 'network' | 'disposition' | 'idempotencyKey'> {
  readonly idempotencyKey: string | null
  /** Among clients, places are shared. */
  readonly client: string
  /** Name of the key or token with which it began. */
  readonly sender: string
}

/** How long bytes wait for more before they are written and read. Milliseconds. */
const gatherMs = 20

/** What `checkRoom` finds once more bytes have arrived than may. */
const tooLong = ['UPLOAD_LENGTH_MISMATCH', 'FILE_TOO_LARGE'] as const

export class ResumableUpload {
  readonly spool: Spool
  readonly details: UploadDetails
  readonly live: LiveUpload
  /** Null if its client has not named it. */
  readonly key: HeldKey | null
  /** What can be read of it, by readings that begin from now on. */
  growth: Growth
  /** Resolves once the reading has come to the file, and its key is not refused. */
  readonly fileBegun = Promise.withResolvers<void>()
  /** True while a request adds to it, until its bytes are durable. */
  isGrowing = false
  #stopWriter: ((error: ServiceError) => void) | null = null
  #last: Promise<unknown> = Promise.resolve()
  #newest = 0

  constructor(spool: Spool, live: LiveUpload, key: HeldKey | null) {
    const { bytes, isComplete } = spool.state
    this.spool = spool
    // The service wrote them itself, under a checksum.
    this.details = spool.facts.details as UploadDetails
    this.live = live
    this.key = key
    this.growth = new Growth(bytes, isComplete)
  }

  get id(): string {
    return this.spool.facts.id
  }

  /**
   * Runs the work of a request once earlier requests have ended. A request that is adding bytes is ended at once: a
   * client that returns does not wait for a connection that it has lost. `isNewest` is false once a later request
   * waits.
   */
  take<Result>(work: (isNewest: () => boolean) => Promise<Result>): Promise<Result> {
    this.#newest += 1
    const number = this.#newest
    this.stop(new ServiceError('UPLOAD_TAKEN_OVER', {}))
    const mine = this.#last.then(() => work(() => number === this.#newest))
    this.#last = mine.catch(() => {})
    return mine
  }

  /** Ends the request that adds to it with this error, if there is one. */
  stop(error: ServiceError): void {
    this.#stopWriter?.(error)
  }

  /**
   * Discards bytes that could be read but are not durable, since others may take their place: a reading that may have
   * read them has to start over. Returns whether there were any. Call it within `take`.
   */
  discardLost(): boolean {
    const { bytes, isComplete } = this.spool.state
    const hasLost = this.growth.readableBytes > bytes
    if (hasLost) this.growth = new Growth(bytes, isComplete)
    return hasLost
  }

  /**
   * Adds bytes; when it resolves or rejects, all that count are durable. Call it within `take`.
   *
   * @param reserve Reserves the room for a total of bytes, or throws.
   */
  async append(
    given: ResumableBytes,
    { bytesMax, reserve }: Pick<Limits, 'bytesMax' | 'reserve'>,
    isNewest: () => boolean,
  ): Promise<void> {
    const before = this.spool.state
    const expectedBytes = agreedLength(this.spool, given, bytesMax)
    if (!isNewest()) throw new ServiceError('UPLOAD_TAKEN_OVER', {})
    // From here on, and not only once bytes are read: a request that arrives in between must not wait for a client that
    // has disconnected.
    this.#stopWriter = (error) => given.pending.fail(error)
    await using writer = await this.spool.open().catch((error) => {
      this.#stopWriter = null
      throw error
    })
    let failure: unknown = null
    try {
      given.onAccepted()
      const limits = { expectedBytes, bytesMax, reserve }
      await (given.checksum === null ? this.#receive(writer, given, limits) : receiveChecked(writer, given, limits))
    } catch (error) {
      if (given.checksum !== null) throw error
      failure = error
    } finally {
      this.#stopWriter = null
    }
    // Of a body that turns out to be too long, nothing counts, as of one that announces its length.
    if (tooLong.some((code) => isServiceError(failure, code))) {
      this.live.receivedBytes = (await writer.commit(before)).bytes
      throw failure
    }
    // Nothing is missing after the last byte, even if the connection breaks before the body ends.
    const isComplete = this.details.isOneRequest ? failure === null : writer.bytes === expectedBytes
    await writer.commit({ expectedBytes: isComplete ? writer.bytes : expectedBytes, isComplete })
    this.growth.grow(writer.bytes, isComplete)
    this.live.receivedBytes = writer.bytes
    if (isComplete) this.live.received()
    if (failure !== null) throw failure
  }

  /** Makes bytes readable as soon as they are written. */
  async #receive(writer: SpoolWriter, given: ResumableBytes, limits: Limits): Promise<void> {
    let idle: NodeJS.Timeout | undefined
    let durableBytes = writer.bytes
    const show = () => this.growth.grow(writer.readableBytes)
    try {
      for await (const slices of given.body) {
        checkRoom(writer.bytes + lengthOf(slices), limits)
        await writer.write(slices)
        this.live.receivedBytes = writer.bytes
        show()
        idle ??= setTimeout(() => {
          idle = undefined
          // If it fails, the next call of the writer fails, too.
          writer.flush().then(show, () => {})
        }, gatherMs)
        // The last byte becomes durable together with the state that it completes the upload.
        if (writer.bytes - durableBytes < this.spool.commitEveryBytes || writer.bytes === limits.expectedBytes) continue
        durableBytes = (await writer.commit({ expectedBytes: limits.expectedBytes })).bytes
      }
    } finally {
      clearTimeout(idle)
    }
  }
}

/**
 * The length of the whole upload, as far as it is known with this request.
 * @throws {ServiceError} UPLOAD_OFFSET_MISMATCH, UPLOAD_LENGTH_MISMATCH, FILE_TOO_LARGE
 */
export function agreedLength({ state }: Spool, given: ResumableBytes, bytesMax: number): number | null {
  const { offset, declaredBytes, expectedBytes } = given
  if (offset !== state.bytes) {
    throw new ServiceError('UPLOAD_OFFSET_MISMATCH', { expected: state.bytes, provided: offset })
  }
  const length = state.expectedBytes ?? expectedBytes
  if (expectedBytes !== null && expectedBytes !== length) {
    throw inconsistent(`its length is given as both ${length} and ${expectedBytes} bytes`)
  }
  const end = offset + (declaredBytes ?? 0)
  if (length !== null && end > length) throw inconsistent(`the bytes end at offset ${end}, wanted at most ${length}`)
  if (Math.max(length ?? 0, end) > bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: bytesMax })
  if (state.isComplete) throw inconsistent(`it is complete with ${state.bytes} bytes`)
  return length
}

function inconsistent(problem: string): ServiceError {
  return new ServiceError('UPLOAD_LENGTH_MISMATCH', { problem })
}

interface Limits {
  readonly expectedBytes: number | null
  readonly bytesMax: number
  readonly reserve: (bytes: number) => void
}

/** Writes the bytes, of which none count unless their checksum is right. */
async function receiveChecked(writer: SpoolWriter, given: ResumableBytes, limits: Limits): Promise<void> {
  if (given.checksum === null) return
  const { algorithm, digest } = given.checksum
  const hash = createHash(algorithm)
  for await (const slices of given.body) {
    checkRoom(writer.bytes + lengthOf(slices), limits)
    for (const slice of slices) hash.update(viewOf(slice))
    await writer.write(slices)
  }
  const seen = hash.digest()
  if (seen.length !== digest.length || !timingSafeEqual(seen, digest)) {
    throw new ServiceError('UPLOAD_CHECKSUM_MISMATCH', { algorithm })
  }
}

/** The length of a chunked body may turn out not to match the upload. */
function checkRoom(bytes: number, { expectedBytes, bytesMax, reserve }: Limits): void {
  if (expectedBytes !== null && bytes > expectedBytes) {
    throw inconsistent(`more than its ${expectedBytes} bytes have arrived`)
  }
  if (bytes > bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: bytesMax })
  reserve(bytes)
}

/** Other errors of a body mean that its client has disconnected. */
export function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('UPLOAD_INTERRUPTED', {}, error)
}
