// Resumable upload: one upload that arrives in several requests. They add its bytes, one at a time, the newest first. One
// reading reads them meanwhile, whatever becomes of the connections, and starts over if it was stopped or the storage failed.
import { createHash, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type BorrowedBytes, lengthOf, viewOf } from '../../core/borrowed-bytes.ts'
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { Turns } from '../../io/turns/turns.ts'
import { unlessAborted } from '../../io/turns/unless-aborted.ts'
import type { Spool, SpoolWriter } from '../../store/store.ts'
import { type OptionPart, optionParts } from '../schema/upload-options.ts'
import type { NewResumable, ResumableBytes, UploadReply } from '../service.ts'
import { boundaryOf } from '../upload/admission.ts'
import { linkedOriginal, OriginalWriter } from '../upload/original-writer.ts'
import { type IncomingFile, receiveFile } from '../upload/receive-file.ts'
import { type UploadTools, uploadFile } from '../upload/upload.ts'
import type { HeldKey } from '../uploads/idempotency-keys.ts'
import type { LiveUpload } from '../uploads/live-upload.ts'
import { replayUpload } from '../uploads/replay-upload.ts'
import type { HeldPlace } from './unfinished-places.ts'

export interface ReadingTools extends UploadTools {
  /** The meaning of an error: if the storage is gone, the storage's own error. */
  readonly explain: (error: unknown) => Promise<unknown>
}

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

/** Failures that may end without a change of the bytes. */
const transientCodes = ['DISK_FULL', 'STORE_UNAVAILABLE', 'TOO_MANY_OPEN_FILES'] as const

/** What an upload is made of. */
interface UploadParts {
  readonly spool: Spool
  readonly live: LiveUpload
  /** Null if its client has not named it. */
  readonly key: HeldKey | null
  readonly held: HeldPlace
}

/** Receives the outcome of the upload. */
interface Outcomes {
  done(reply: UploadReply): void
  /** Called if the upload will never become a dataset. */
  failed(error: ServiceError): void
}

export class ResumableUpload {
  readonly spool: Spool
  readonly details: UploadDetails
  readonly live: LiveUpload
  readonly key: HeldKey | null
  readonly held: HeldPlace
  /** What can be read of it, by readings that begin from now on. */
  growth: Growth
  /** Resolves once the reading has come to the file, and its key is not refused. */
  readonly fileBegun = Promise.withResolvers<void>()
  /** True while a request adds to it, until its bytes are durable. */
  isGrowing = false
  /** Why the last reading failed; null while one runs. */
  failure: ServiceError | null = null
  readonly #tools: ReadingTools
  readonly #outcomes: Outcomes
  /** Whether a reading runs or has made the dataset, may begin, or makes no sense any more. */
  #phase: 'reading' | 'idle' | 'over' = 'idle'
  #stopReading = new AbortController()
  #reply: Promise<UploadReply> | null = null
  #stopWriter: ((error: ServiceError) => void) | null = null
  readonly #turns = new Turns()
  #newest = 0

  constructor(tools: ReadingTools, { spool, live, key, held }: UploadParts, outcomes: Outcomes) {
    const { bytes, isComplete } = spool.state
    this.spool = spool
    // The service wrote them itself, under a checksum.
    this.details = spool.facts.details as UploadDetails
    this.live = live
    this.key = key
    this.held = held
    this.growth = new Growth(bytes, isComplete)
    this.#tools = tools
    this.#outcomes = outcomes
  }

  get id(): string {
    return this.spool.facts.id
  }

  /** Reads it unless that is in progress; resolves when its dataset is durable. */
  read(): Promise<UploadReply> {
    if (this.#phase === 'over') return Promise.reject(this.failure)
    if (this.#phase === 'reading' && this.#reply !== null) return this.#reply
    this.#phase = 'reading'
    this.failure = null
    this.#stopReading = new AbortController()
    this.#reply = this.#readAfter(this.#reply, this.#stopReading.signal)
    // Reported to the request that waits for it, if there is one.
    this.#reply.catch(() => {})
    return this.#reply
  }

  /** Ends the reading so that it can start over; resolves when nothing of it is left. */
  async stopReading(reason: ServiceError = new ServiceError('SHUTTING_DOWN', {})): Promise<void> {
    if (this.#phase === 'reading') this.#phase = 'idle'
    this.#stopReading.abort(reason)
    await this.#reply?.catch(() => {})
  }

  /** Ends the reading for good. */
  async endReading(reason: ServiceError): Promise<void> {
    this.#phase = 'over'
    this.failure ??= reason
    await this.stopReading(reason)
  }

  async #readAfter(before: Promise<UploadReply> | null, signal: AbortSignal): Promise<UploadReply> {
    await before?.catch(() => {})
    try {
      signal.throwIfAborted()
      const reply = await readSpool(this.#tools, this, signal)
      this.#outcomes.done(reply)
      return reply
    } catch (error) {
      const explained = signal.aborted ? error : await this.#tools.explain(error)
      // Until the next try, its client can cancel it.
      this.live.restarts(this.spool.state.isComplete)
      if (signal.aborted) throw signal.reason
      const failure = explained instanceof ServiceError ? explained : new ServiceError('INTERNAL', {}, explained)
      this.failure = failure
      // After such a failure, bytes can still be added: a later reading reads them.
      this.#phase = transientCodes.some((code) => isServiceError(failure, code)) ? 'idle' : 'over'
      if (this.#phase === 'over') this.#outcomes.failed(failure)
      throw failure
    }
  }

  /**
   * Runs the work of a request once earlier requests have ended. A request that is adding bytes is ended immediately: a
   * client that returns does not wait for a connection that it has lost. `isNewest` is false once a later request
   * waits.
   */
  take<Result>(work: (isNewest: () => boolean) => Promise<Result>): Promise<Result> {
    this.#newest += 1
    const number = this.#newest
    this.stop(new ServiceError('UPLOAD_TAKEN_OVER', {}))
    return this.#turns.take(() => work(() => number === this.#newest))
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
   */
  async append(given: ResumableBytes, bytesMax: number, isNewest: () => boolean): Promise<void> {
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
      const limits = { expectedBytes, bytesMax, held: this.held }
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
  if (length !== null && end > length) throw inconsistent(`the bytes end at offset ${end}, expected at most ${length}`)
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
  readonly held: HeldPlace
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
function checkRoom(bytes: number, { expectedBytes, bytesMax, held }: Limits): void {
  if (expectedBytes !== null && bytes > expectedBytes) {
    throw inconsistent(`more than its ${expectedBytes} bytes have arrived`)
  }
  if (bytes > bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: bytesMax })
  held.reserve(bytes)
}

/** Other errors of a body mean that its client has disconnected. */
export function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('UPLOAD_INTERRUPTED', {}, error)
}

/**
 * Resolves when the dataset is durable, together with what belongs to its key. The bytes of a file become its original
 * as they are, except those of a form.
 */
async function readSpool(tools: UploadTools, of: ResumableUpload, signal: AbortSignal): Promise<UploadReply> {
  const { spool, details, live, growth, key } = of
  const { id, owner, createdAt } = spool.facts
  // Who receives a file may refuse it without reading it to its end.
  await using file = await open(spool.path, 'r')
  const receive = async () => {
    const incoming = await incomingOf(tools, of, growingFile(file, growth, signal))
    if (!key?.refusal) of.fileBegun.resolve()
    return incoming
  }
  const replayed = await replayUpload(tools, key, { owner, receive }, signal)
  if (replayed !== null) return replayed
  const startMs = performance.now() - (Date.now() - createdAt)
  const arrival = { owner, sender: details.sender, uploadId: id, receivedAt: createdAt, startMs, progress: live }
  const original = (path: string) =>
    details.form === null ? linkedOriginal(spool.path, path) : OriginalWriter.create(path)
  const reply = await uploadFile(tools, arrival, await receive(), original, signal)
  await key?.keep(reply)
  return reply
}

async function incomingOf(
  { limits }: UploadTools,
  { details }: ResumableUpload,
  bytes: AsyncIterable<readonly BorrowedBytes[]>,
): Promise<IncomingFile> {
  const { form, fileName: name, fileType: contentType, declared } = details
  if (form !== null) return await receiveFile(bytes, boundaryOf(form.contentType), limits)
  return { name, contentType, texts: declaredTexts(declared), chunks: notEmpty(bytes), notes: () => [] }
}

export function declaredTexts(declared: NewResumable['declared']): ReadonlyMap<OptionPart, string> {
  return new Map(
    optionParts.flatMap((name) => {
      const text = declared[name]
      return text === undefined ? [] : [[name, text]]
    }),
  )
}

async function* notEmpty(bytes: AsyncIterable<readonly BorrowedBytes[]>): AsyncGenerator<readonly BorrowedBytes[]> {
  let isEmpty = true
  for await (const slices of bytes) {
    isEmpty = false
    yield slices
  }
  if (isEmpty) throw new ServiceError('EMPTY_FILE', {})
}

const readBytes = 262_144

/** How many bytes of a file can be read, and whether more will follow. */
class Growth {
  readableBytes: number
  isWhole: boolean
  #waiting = Promise.withResolvers<void>()

  constructor(readableBytes: number, isWhole: boolean) {
    this.readableBytes = readableBytes
    this.isWhole = isWhole
  }

  /** Number of bytes readable now; it never decreases. */
  grow(readableBytes: number, isWhole = false): void {
    if (readableBytes <= this.readableBytes && isWhole === this.isWhole) return
    this.readableBytes = Math.max(readableBytes, this.readableBytes)
    this.isWhole = isWhole
    this.#waiting.resolve()
    this.#waiting = Promise.withResolvers()
  }

  /** Resolves when it changes. @throws the reason of `signal` if that is aborted first */
  async change(signal: AbortSignal): Promise<void> {
    await unlessAborted(this.#waiting.promise, signal)
  }
}

/** Ends when the file is whole. Each slice is valid until the next is requested. The caller closes the file. */
async function* growingFile(
  file: FileHandle,
  growth: Growth,
  signal: AbortSignal,
): AsyncGenerator<readonly BorrowedBytes[]> {
  let buffer: Buffer<ArrayBuffer> | null = null
  try {
    for (let position = 0; ; ) {
      signal.throwIfAborted()
      if (position < growth.readableBytes) {
        buffer ??= Buffer.allocUnsafeSlow(readBytes)
        const { bytesRead } = await file.read(
          buffer,
          0,
          Math.min(buffer.length, growth.readableBytes - position),
          position,
        )
        if (bytesRead === 0) throw new Error(`Cannot read an upload on disk: it has ${position} bytes, expected more`)
        position += bytesRead
        yield [buffer.subarray(0, bytesRead)]
      } else if (growth.isWhole) return
      else {
        // Many wait at the same time, most of them for long.
        buffer?.buffer.transfer(0)
        buffer = null
        await growth.change(signal)
      }
    }
  } finally {
    buffer?.buffer.transfer(0)
  }
}
