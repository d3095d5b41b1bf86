// Resumables: all uploads that arrive in several requests: begins them, adds to them, reads them, and drops unfinished ones in time.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { fileNameOf, lastSegment } from '../../multipart/part-head.ts'
import type { Spool } from '../../store/store.ts'
import { clientOf } from '../fair-places.ts'
import { parseUploadOptions } from '../schema/upload-options.ts'
import type {
  AppendResult,
  NewResumable,
  OwnUploads,
  ResumableBytes,
  ResumableState,
  ResumableUploads,
  UploadReply,
  UploadSlot,
} from '../service.ts'
import { type AdmissionControl, boundaryOf, checkCoding } from '../upload/admission.ts'
import type { HeldKey, IdempotencyKeys } from '../uploads/idempotency-keys.ts'
import type { Uploads } from '../uploads/uploads.ts'
import {
  agreedLength,
  declaredTexts,
  failureOf,
  type ReadingTools,
  ResumableUpload,
  type UploadDetails,
} from './resumable-upload.ts'
import { type ResumableLimits, UnfinishedPlaces } from './unfinished-places.ts'

export interface ResumableTools extends ReadingTools {
  readonly uploads: Uploads
  readonly keys: IdempotencyKeys
  readonly admissionControl: AdmissionControl
}

const lookEveryMs = 60_000
/** With more readings than these that wait for their clients, the one that has waited longest is stopped. */
const waitingMax = 8
const notInTime = 'it was not finished in time'

export class Resumables implements AsyncDisposable {
  readonly #tools: ResumableTools
  readonly #limits: ResumableLimits
  readonly #byId = new Map<string, ResumableUpload>()
  readonly #places: UnfinishedPlaces
  /** Uploads whose clients have disconnected, while they are read on; the longest wait first. */
  readonly #waiting = new Map<ResumableUpload, NodeJS.Timeout>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #looking: NodeJS.Timeout
  #isClosing = false

  /** Continues the uploads that the store has found. */
  static open(tools: ResumableTools, limits: ResumableLimits): Resumables {
    const resumables = new Resumables(tools, limits)
    for (const spool of tools.store.spools.found) resumables.#addFound(spool)
    resumables.#look()
    resumables.#background(resumables.#finishFound())
    return resumables
  }

  private constructor(tools: ResumableTools, limits: ResumableLimits) {
    this.#tools = tools
    this.#limits = limits
    this.#places = new UnfinishedPlaces(limits)
    this.#looking = setInterval(() => this.#look(), Math.min(lookEveryMs, limits.uploadsKeepMs)).unref()
  }

  /** What a sender may see and do. @param uploads Those that exist for the sender. */
  of(owner: string, sender: string, uploads: OwnUploads): ResumableUploads {
    return {
      bytesMax: this.#bytesMax,
      create: (upload) => this.#create(owner, sender, upload),
      state: async (id) => {
        const upload = this.#find(uploads, id)
        return upload === null ? afterEnd(uploads, id) : await upload.take(async () => this.#stateOf(upload.spool))
      },
      append: (id, bytes) => this.#append(uploads, id, bytes),
    }
  }

  /** Of an upload. */
  get #bytesMax(): number {
    const { fileBytesMax, requestBytesMax } = this.#tools.limits
    return Math.min(fileBytesMax, requestBytesMax)
  }

  /** Their number, and their bytes on disk. */
  unfinished(): { readonly uploads: number; readonly bytes: number } {
    const bytes = this.#byId.values().reduce((sum, { spool }) => sum + spool.state.bytes, 0)
    return { uploads: this.#byId.size, bytes }
  }

  /** Stops what runs; everything durable is continued when the service starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#looking)
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    const all = [...this.#byId.values()]
    for (const upload of all) upload.stop(new ServiceError('SHUTTING_DOWN', {}))
    await Promise.all(all.map((upload) => upload.take(() => upload.stopReading())))
    await Promise.allSettled(this.#ending)
  }

  async #create(owner: string, sender: string, upload: NewResumable): Promise<ResumableState> {
    if (this.#isClosing) throw new ServiceError('SHUTTING_DOWN', {})
    const { idempotencyKey } = upload
    const key = idempotencyKey === null ? null : this.#tools.keys.hold({ owner, sender }, idempotencyKey)
    const given = typeof idempotencyKey === 'string' && !key?.refusal ? idempotencyKey : null
    try {
      if (key?.refusal && (upload.form === null || !upload.isOneRequest)) throw key.refusal
      const spool = await this.#newSpool(owner, { ...upload, sender, idempotencyKey: given })
      return this.#stateOf(this.#add(spool, key).spool)
    } catch (error) {
      key?.release()
      throw error
    }
  }

  /** Checks all that can be checked before the first byte. */
  async #newSpool(
    owner: string,
    {
      network,
      expectedBytes,
      disposition,
      ...given
    }: Omit<NewResumable, 'idempotencyKey'> & Pick<UploadDetails, 'idempotencyKey' | 'sender'>,
  ): Promise<Spool> {
    const client = clientOf(owner, network)
    if (given.form !== null) {
      boundaryOf(given.form.contentType)
      checkCoding(given.form.contentCoding)
    }
    if (expectedBytes === 0) throw new ServiceError('EMPTY_FILE', {})
    const bytes = expectedBytes ?? 0
    if (bytes > this.#bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: this.#bytesMax })
    this.#places.check(client, bytes)
    // Its first bytes hold a place; until then, no other upload ends for it.
    this.#tools.admissionControl.checkBytes({ fileBytes: bytes, missingBytes: bytes, network }, owner)
    await parseUploadOptions(declaredTexts(given.declared), AbortSignal.timeout(10_000))
    this.#places.check(client, bytes)
    const createdAt = Date.now()
    const details: UploadDetails = { ...given, fileName: nameOf(given.fileName, disposition), client }
    const facts = { id: uuidV7(createdAt), owner, createdAt, details }
    using _ = this.#places.hold(client, bytes)
    return await this.#tools.store.spools.create(facts, expectedBytes)
  }

  /** Uploads found at the start. The address of one that was to arrive in one request is unknown. */
  #addFound(spool: Spool): void {
    const { id, owner, details } = spool.facts
    if (this.#tools.uploads.hasEnded(owner, id)) {
      this.#background(spool.remove().catch(() => {}))
      return
    }
    const { isOneRequest, sender, idempotencyKey } = details as UploadDetails
    const key = idempotencyKey ? this.#tools.keys.hold({ owner, sender }, idempotencyKey) : null
    // If its key is in use, it continues without it.
    const upload = this.#add(spool, key?.refusal ? null : key)
    if (isOneRequest && !spool.state.isComplete) {
      this.#background(this.#end(upload, new ServiceError('UPLOAD_INTERRUPTED', {})))
    }
  }

  #add(spool: Spool, key: HeldKey | null): ResumableUpload {
    const { id, owner, createdAt, details } = spool.facts
    const { bytes: receivedBytes, expectedBytes, isComplete } = spool.state
    const { fileName, form, client, sender, idempotencyKey, remark } = details as UploadDetails
    const live = this.#tools.uploads.begin({
      ...{ id, owner, sender, createdAt, idempotencyKey, remark, receivedBytes, expectedBytes },
      fileName: form === null ? fileName : null,
      stop: (error) => this.#background(this.#end(upload, error)),
    })
    const held = this.#places.hold(client, Math.max(receivedBytes, expectedBytes ?? 0))
    const upload: ResumableUpload = new ResumableUpload(
      this.#tools,
      { spool, live, key, held },
      {
        done: (reply) => this.#done(upload, reply),
        failed: (error) => this.#background(this.#end(upload, error)),
      },
    )
    if (isComplete) live.received()
    this.#byId.set(id, upload)
    return upload
  }

  async #append(uploads: OwnUploads, id: string, bytes: ResumableBytes): Promise<AppendResult> {
    const upload = this.#find(uploads, id)
    const appended = await upload?.take(async (isNewest) =>
      this.#byId.has(id) ? await this.#appendTo(upload, bytes, isNewest) : null,
    )
    // It had ended, or has ended while this request waited.
    return appended ?? nothingMore(uploads, id, bytes)
  }

  async #appendTo(upload: ResumableUpload, bytes: ResumableBytes, isNewest: () => boolean): Promise<AppendResult> {
    let place: UploadSlot | null = null
    try {
      const { isComplete, bytes: receivedBytes } = upload.spool.state
      // Before it takes a place, perhaps that of another upload.
      const hasMore = bytes.declaredBytes !== 0 || bytes.offset !== receivedBytes
      if (!isComplete || hasMore) agreedLength(upload.spool, bytes, this.#bytesMax)
      if (!isComplete) {
        place = this.#admit(upload, bytes)
        this.#endWait(upload)
        upload.read()
        upload.isGrowing = true
        await upload.append(bytes, this.#bytesMax, isNewest)
      }
    } catch (error) {
      if (upload.details.isOneRequest) {
        // Once this request has released it.
        this.#background(Promise.resolve().then(() => this.#end(upload, failureOf(error))))
      }
      throw upload.failure ?? error
    } finally {
      upload.isGrowing = false
      if (upload.discardLost()) await upload.stopReading()
      const { state } = upload.spool
      upload.held.take(Math.max(state.bytes, state.expectedBytes ?? 0))
      if (state.expectedBytes !== null) upload.live.expects(state.expectedBytes)
      this.#releasePlace(upload, place)
    }
    const { isComplete } = upload.spool.state
    const isRepeated = (upload.key?.answer ?? null) !== null
    // Errors that need no more than the beginning of a form are not left to a later request.
    if (isComplete) await Promise.race([upload.fileBegun.promise, upload.read()])
    return { state: this.#stateOf(upload.spool), reply: isComplete ? upload.read() : null, isRepeated }
  }

  /** Admits the bytes that are still to arrive, as for an upload in one request. */
  #admit(
    { spool, held }: ResumableUpload,
    { expectedBytes, declaredBytes, pending, network }: ResumableBytes,
  ): UploadSlot {
    const { facts, state } = spool
    const length = state.expectedBytes ?? expectedBytes ?? state.bytes + (declaredBytes ?? 0)
    held.reserve(length)
    const bytes = { fileBytes: length, missingBytes: Math.max(0, length - state.bytes) }
    return this.#tools.admissionControl.admitBytes({ ...bytes, body: pending, network }, facts.owner)
  }

  /** The place of a request ends with it, or with the reading once no client is needed any more. */
  #releasePlace(upload: ResumableUpload, place: UploadSlot | null): void {
    const release = () => place?.release()
    if (upload.spool.state.isComplete) {
      void upload.read().then(release, release)
      return
    }
    release()
    if (!this.#isClosing && this.#byId.get(upload.id) === upload) this.#wait(upload)
  }

  /** Its reading waits for its client, for some time and while there are not too many. */
  #wait(upload: ResumableUpload): void {
    this.#endWait(upload)
    const stop = (one: ResumableUpload) => {
      this.#endWait(one)
      this.#background(one.stopReading())
    }
    this.#waiting.set(
      upload,
      setTimeout(() => stop(upload), this.#limits.resumeWaitMs),
    )
    const [longest] = this.#waiting.keys()
    if (this.#waiting.size > waitingMax && longest !== undefined) stop(longest)
  }

  /** Its client has returned, or it has ended. */
  #endWait(upload: ResumableUpload): void {
    clearTimeout(this.#waiting.get(upload))
    this.#waiting.delete(upload)
  }

  /** Null for an upload that has ended. @throws {ServiceError} UPLOAD_NOT_FOUND */
  #find(uploads: OwnUploads, id: string): ResumableUpload | null {
    uploads.get(id)
    return this.#byId.get(id) ?? null
  }

  #done(upload: ResumableUpload, reply: UploadReply): void {
    upload.live.done(reply, this.#tools.uploads.expiresAt())
    this.#remove(upload)
  }

  /** Ends an upload that will have no dataset: with an error, or because it has expired. */
  async #end(upload: ResumableUpload, error: ServiceError | 'expired'): Promise<void> {
    const { id, live } = upload
    if (!this.#byId.delete(id)) return
    this.#endWait(upload)
    const reason = error === 'expired' ? new ServiceError('UPLOAD_ENDED', { id, problem: notInTime }) : error
    const expiresAt = this.#tools.uploads.expiresAt()
    const end = () => (error === 'expired' ? live.expired(expiresAt) : live.failed(error, expiresAt))
    // A client that cancels gets its response when nothing is left; all others immediately.
    const isCancelled = error !== 'expired' && isServiceError(error, 'UPLOAD_CANCELLED')
    if (!isCancelled) end()
    upload.stop(reason)
    await upload.endReading(reason)
    await this.#remove(upload)
    if (isCancelled) end()
  }

  #remove(upload: ResumableUpload): Promise<void> {
    this.#byId.delete(upload.id)
    this.#endWait(upload)
    upload.held[Symbol.dispose]()
    upload.key?.release()
    // Only after its end is remembered. The next start removes what could not be removed now.
    return this.#background(
      upload.take(async () => {
        await this.#tools.uploads.written()
        await upload.spool.remove().catch(() => {})
      }),
    )
  }

  /** After a start: reads complete uploads, one after the other, as fast as the disk allows. */
  async #finishFound(): Promise<void> {
    for (const upload of [...this.#byId.values()]) {
      if (this.#isClosing || !upload.spool.state.isComplete) continue
      await upload.read().catch(() => {})
    }
  }

  /** Ends expired uploads, and retries those that could not be stored. */
  #look(): void {
    const now = Date.now()
    for (const upload of this.#byId.values()) {
      const { isComplete } = upload.spool.state
      if (isComplete && upload.failure !== null) void upload.read().catch(() => {})
      if (isComplete || upload.isGrowing || this.#stateOf(upload.spool).expiresAt > now) continue
      this.#background(this.#end(upload, 'expired'))
    }
  }

  #stateOf({ facts, state }: Spool): ResumableState {
    const { bytes, expectedBytes, isComplete, changedAt } = state
    const expiresAt = changedAt + this.#limits.uploadsKeepMs
    // The service wrote them itself.
    const { remark } = facts.details as UploadDetails
    return { id: facts.id, bytes, expectedBytes, isComplete, expiresAt, remark, datasetId: null }
  }

  #background(work: Promise<void>): Promise<void> {
    const ended = work.finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    return ended
  }
}

/** The name itself takes precedence over the one in the header. @throws {ServiceError} BAD_PARAMETER, BAD_MULTIPART */
function nameOf(fileName: string, disposition: string | null): string {
  if (/[\0\r\n]/.test(fileName)) {
    throw new ServiceError('BAD_PARAMETER', { name: 'filename', seen: 'a NUL or a line end in it', expected: 'none' })
  }
  if (fileName !== '') return lastSegment(fileName)
  return disposition === null ? '' : (fileNameOf(disposition) ?? '')
}

/** Nothing can be added to a complete upload but zero bytes, as a client does that has missed the response. */
function nothingMore(uploads: OwnUploads, id: string, { offset, declaredBytes }: ResumableBytes): AppendResult {
  const state = afterEnd(uploads, id)
  if (offset !== state.bytes) {
    throw new ServiceError('UPLOAD_OFFSET_MISMATCH', { expected: state.bytes, provided: offset })
  }
  if (declaredBytes !== 0) {
    throw new ServiceError('UPLOAD_LENGTH_MISMATCH', { problem: `it is complete with ${state.bytes} bytes` })
  }
  return { state, reply: null, isRepeated: false }
}

/** State of one that has ended. @throws {ServiceError} UPLOAD_NOT_FOUND, UPLOAD_ENDED */
function afterEnd(uploads: OwnUploads, id: string): ResumableState {
  const { phase, bytes, datasetId, error, expiresAt, remark } = uploads.get(id)
  if (phase === 'done') {
    const whole = { bytes: bytes.received, expectedBytes: bytes.received, isComplete: true }
    return { id, ...whole, expiresAt: expiresAt ?? 0, remark: remark ?? null, datasetId }
  }
  if (phase === 'failed') throw new ServiceError('UPLOAD_ENDED', { id, problem: `it has failed: ${error?.message}` })
  if (phase === 'expired') throw new ServiceError('UPLOAD_ENDED', { id, problem: notInTime })
  throw new ServiceError('UPLOAD_NOT_FOUND', { id })
}
