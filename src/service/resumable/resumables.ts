// Resumables: all uploads that come in several requests: begun, added to, read, dropped when they are not finished in time.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import { uuidV7 } from '../../core/ids.ts'
import { fileNameOf, lastSegment } from '../../multipart/part-head.ts'
import type { Spool } from '../../store/store.ts'
import { parseUploadOptions } from '../schema/upload-options.ts'
import type { Place, UploadReply } from '../service.ts'
import { clientOf } from '../shared-places.ts'
import { type AdmissionControl, boundaryOf } from '../upload/admission.ts'
import type { UploadTools } from '../upload/upload.ts'
import type { HeldKey, IdempotencyKeys } from '../uploads/idempotency-keys.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { declaredTexts } from './read-spool.ts'
import type { Appended, NewResumable, ResumableBytes, ResumableState, ResumableUploads } from './resumable.ts'
import { ResumableReading } from './resumable-reading.ts'
import { ResumableUpload, type UploadDetails } from './resumable-upload.ts'
import { type HeldPlace, type UnfinishedLimits, UnfinishedPlaces } from './unfinished-places.ts'

export interface ResumableLimits extends UnfinishedLimits {
  /** How long a reading waits for its client. Milliseconds. */
  readonly resumeWaitMs: number
  /** How long an upload is kept after its last byte. Milliseconds. */
  readonly uploadsKeepMs: number
}

export interface ResumableTools extends UploadTools {
  readonly uploads: Uploads
  readonly keys: IdempotencyKeys
  readonly admissionControl: AdmissionControl
  /** What an error of the work means: of storage that is gone, its own. */
  readonly explain: (error: unknown) => Promise<unknown>
}

const lookEveryMs = 60_000
const inTime = 'it was not finished in time'
/** Readings that wait for their clients at once: beyond them, the one that has waited longest is given up. */
const waitingMax = 8

interface Entry {
  readonly upload: ResumableUpload
  readonly reading: ResumableReading
  readonly held: HeldPlace
}

export class Resumables implements AsyncDisposable {
  readonly #tools: ResumableTools
  readonly #limits: ResumableLimits
  readonly #byId = new Map<string, Entry>()
  readonly #places: UnfinishedPlaces
  /** Readings whose clients have gone, the longest first. */
  readonly #waiting = new Map<Entry, NodeJS.Timeout>()
  readonly #ending = new Set<Promise<unknown>>()
  readonly #looking: NodeJS.Timeout
  #isClosing = false

  /** Goes on with what the store has found. */
  constructor(tools: ResumableTools, limits: ResumableLimits) {
    this.#tools = tools
    this.#limits = limits
    this.#places = new UnfinishedPlaces(limits)
    for (const spool of tools.store.spools.found) this.#addFound(spool)
    this.#look()
    this.#looking = setInterval(() => this.#look(), Math.min(lookEveryMs, limits.uploadsKeepMs)).unref()
    this.#background(this.#finishFound())
  }

  /** What an owner may see and do. */
  of(owner: string): ResumableUploads {
    const { fileBytesMax, requestBytesMax } = this.#tools.limits
    return {
      bytesMax: Math.min(fileBytesMax, requestBytesMax),
      keepMs: this.#limits.uploadsKeepMs,
      create: (upload) => this.#create(owner, upload),
      state: async (id) => {
        const entry = this.#find(owner, id)
        if (entry === null) return this.#stateAfterEnd(owner, id)
        return await entry.upload.take(async () => this.#state(entry))
      },
      append: (id, bytes) => this.#append(owner, id, bytes),
    }
  }

  /** How many there are, and what they hold on disk. */
  unfinished(): { readonly uploads: number; readonly bytes: number } {
    const bytes = this.#byId.values().reduce((sum, { upload }) => sum + upload.spool.state.bytes, 0)
    return { uploads: this.#byId.size, bytes }
  }

  /** Gives up what runs; all that is durable is gone on with when the service starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#looking)
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    const entries = [...this.#byId.values()]
    for (const { upload } of entries) upload.stop(new ServiceError('SHUTTING_DOWN', {}))
    await Promise.all(entries.map(({ upload, reading }) => upload.take(() => reading.giveUp())))
    await Promise.allSettled(this.#ending)
  }

  async #create(owner: string, upload: NewResumable): Promise<ResumableState> {
    if (this.#isClosing) throw new ServiceError('SHUTTING_DOWN', {})
    const { idempotencyKey } = upload
    const key = idempotencyKey === null ? null : this.#tools.keys.hold(owner, idempotencyKey)
    try {
      return this.#state(this.#add(await this.#newSpool(owner, upload), key))
    } catch (error) {
      key?.release()
      throw error
    }
  }

  async #newSpool(owner: string, { network, expectedBytes, disposition, ...given }: NewResumable): Promise<Spool> {
    const tools = this.#tools
    const { bytesMax } = this.of(owner)
    const client = clientOf(owner, network)
    if (given.form !== null) boundaryOf(given.form.contentType)
    if (expectedBytes === 0) throw new ServiceError('EMPTY_FILE', {})
    if ((expectedBytes ?? 0) > bytesMax) throw new ServiceError('FILE_TOO_LARGE', { limitBytes: bytesMax })
    const bytes = expectedBytes ?? 0
    this.#places.check(client, bytes)
    tools.admissionControl.admitBytes({ fileBytes: bytes, missingBytes: bytes, network }, owner).release()
    await parseUploadOptions(declaredTexts(given.declared), tools.converter, AbortSignal.timeout(10_000))
    this.#places.check(client, bytes)
    const createdAt = Date.now()
    const details: UploadDetails = { ...given, fileName: nameOf(given.fileName, disposition), client }
    const facts = { id: uuidV7(createdAt), owner, createdAt, details }
    const reserved = this.#places.hold(client, bytes)
    return await tools.store.spools.create(facts, expectedBytes).finally(() => reserved[Symbol.dispose]())
  }

  /** What was there at the start. Of one that was to come in one request, nobody knows the address. */
  #addFound(spool: Spool): void {
    const { id, owner, details } = spool.facts
    if (this.#tools.uploads.hasEnded(id)) {
      this.#background(spool.remove().catch(() => {}))
      return
    }
    const { idempotencyKey, isOneRequest } = details as UploadDetails
    const entry = this.#add(spool, idempotencyKey ? this.#tools.keys.hold(owner, idempotencyKey) : null)
    if (isOneRequest && !spool.state.isComplete) {
      this.#background(this.#end(entry, new ServiceError('UPLOAD_INTERRUPTED', {})))
    }
  }

  #add(spool: Spool, key: HeldKey | null): Entry {
    const { facts, state } = spool
    const { fileName, form, client, idempotencyKey } = facts.details as UploadDetails
    const stop = (error: ServiceError) => this.#background(this.#end(entry, error))
    const { id, owner, createdAt } = facts
    const known = { id, owner, createdAt, idempotencyKey, fileName: form === null ? fileName : null, stop }
    const sizes = { receivedBytes: state.bytes, expectedBytes: state.expectedBytes }
    const upload = new ResumableUpload(spool, this.#tools.uploads.begin({ ...known, ...sizes }), key)
    const entry: Entry = {
      upload,
      reading: new ResumableReading(this.#tools, upload, {
        done: (reply) => this.#done(entry, reply),
        failed: (error) => this.#background(this.#end(entry, error)),
      }),
      held: this.#places.hold(client, Math.max(state.bytes, state.expectedBytes ?? 0)),
    }
    if (state.isComplete) upload.live.received()
    this.#byId.set(id, entry)
    return entry
  }

  async #append(owner: string, id: string, bytes: ResumableBytes): Promise<Appended> {
    const entry = this.#find(owner, id)
    if (entry === null) return this.#nothingMore(owner, id, bytes)
    const { upload, reading } = entry
    return await upload.take(async (isNewest) => {
      if (this.#byId.get(id) !== entry) return this.#nothingMore(owner, id, bytes)
      let place: Place | null = null
      try {
        place = upload.spool.state.isComplete ? null : this.#admit(entry, bytes)
        if (place !== null) {
          this.#hasClient(entry)
          reading.begin()
          await upload.append(bytes, this.of(owner).bytesMax, isNewest)
        } else if (bytes.declaredBytes !== 0 || bytes.offset !== upload.spool.state.bytes) {
          await upload.append(bytes, this.of(owner).bytesMax, isNewest)
        }
      } catch (error) {
        if (upload.hasOverflowed || upload.details.isOneRequest) this.#background(this.#end(entry, failureOf(error)))
        throw reading.failure ?? error
      } finally {
        const { state } = upload.spool
        if (this.#byId.get(id) === entry) entry.held.take(Math.max(state.bytes, state.expectedBytes ?? 0))
        if (state.expectedBytes !== null) upload.live.expects(state.expectedBytes)
        this.#letGo(entry, place)
      }
      const { isComplete } = upload.spool.state
      const isRepeated = (upload.key?.answer ?? null) !== null
      return { state: this.#state(entry), reply: isComplete ? reading.begin() : null, isRepeated }
    })
  }

  /** As for an upload in one request, for the bytes that are still to come. */
  #admit({ upload, held }: Entry, { expectedBytes, declaredBytes, pending, network }: ResumableBytes): Place {
    const { facts, state } = upload.spool
    const length = state.expectedBytes ?? expectedBytes ?? state.bytes + (declaredBytes ?? 0)
    if (length > held.bytes) this.#places.checkBytes(upload.details.client, length - held.bytes)
    const bytes = { fileBytes: length, missingBytes: Math.max(0, length - state.bytes) }
    return this.#tools.admissionControl.admitBytes({ ...bytes, body: pending, network }, facts.owner)
  }

  /** The place of a request ends with it, or with the reading once no client is needed any more. */
  #letGo(entry: Entry, place: Place | null): void {
    const { upload, reading } = entry
    if (upload.spool.state.isComplete) {
      void reading.begin().then(
        () => place?.release(),
        () => place?.release(),
      )
      return
    }
    place?.release()
    if (this.#isClosing || this.#byId.get(upload.id) !== entry) return
    this.#hasClient(entry)
    this.#waiting.set(
      entry,
      setTimeout(() => this.#giveUp(entry), this.#limits.resumeWaitMs),
    )
    const [longest] = this.#waiting.keys()
    if (this.#waiting.size > waitingMax && longest !== undefined) this.#giveUp(longest)
  }

  #hasClient(entry: Entry): void {
    clearTimeout(this.#waiting.get(entry))
    this.#waiting.delete(entry)
  }

  #giveUp(entry: Entry): void {
    this.#hasClient(entry)
    this.#background(entry.reading.giveUp())
  }

  /** @returns null for one that has ended */
  #find(owner: string, id: string): Entry | null {
    const entry = this.#byId.get(id)
    return entry?.upload.spool.facts.owner === owner ? entry : null
  }

  #state({ upload }: Entry): ResumableState {
    const { bytes, expectedBytes, isComplete, changedAt } = upload.spool.state
    const expiresAt = changedAt + this.#limits.uploadsKeepMs
    const { remark } = upload.details
    return { id: upload.id, bytes, expectedBytes, isComplete, expiresAt, remark, datasetId: null }
  }

  #stateAfterEnd(owner: string, id: string): ResumableState {
    const { phase, bytes, datasetId, error, expiresAt } = this.#tools.uploads.of(owner).get(id)
    if (phase === 'done') {
      const whole = { bytes: bytes.received, expectedBytes: bytes.received, isComplete: true }
      return { id, ...whole, expiresAt: expiresAt ?? 0, remark: null, datasetId }
    }
    if (phase === 'failed') throw new ServiceError('UPLOAD_ENDED', { id, problem: `it has failed: ${error?.message}` })
    if (phase === 'expired') throw new ServiceError('UPLOAD_ENDED', { id, problem: inTime })
    throw new ServiceError('UPLOAD_NOT_FOUND', { id })
  }

  /** To one that has its dataset nothing can be added but nothing, as a client does that has missed the answer. */
  #nothingMore(owner: string, id: string, { offset, declaredBytes }: ResumableBytes) {
    const state = this.#stateAfterEnd(owner, id)
    if (offset !== state.bytes) {
      throw new ServiceError('UPLOAD_OFFSET_MISMATCH', { expected: state.bytes, provided: offset })
    }
    if (declaredBytes !== 0) {
      throw new ServiceError('UPLOAD_LENGTH_MISMATCH', { problem: `it is complete with ${state.bytes} bytes` })
    }
    return { state, reply: null, isRepeated: false }
  }

  #done(entry: Entry, reply: UploadReply): void {
    entry.upload.live.done(reply, this.#tools.uploads.expiresAt())
    this.#remove(entry)
  }

  /** Ends an upload that will have no dataset: with an error, or because its time is over. */
  async #end(entry: Entry, error: ServiceError | 'expired'): Promise<void> {
    const { upload, reading } = entry
    if (this.#byId.get(upload.id) !== entry) return
    this.#byId.delete(upload.id)
    this.#hasClient(entry)
    const id = upload.id
    const reason = error === 'expired' ? new ServiceError('UPLOAD_ENDED', { id, problem: inTime }) : error
    const expiresAt = this.#tools.uploads.expiresAt()
    const tell = () => (error === 'expired' ? upload.live.expired(expiresAt) : upload.live.failed(error, expiresAt))
    // Who cancels is told when nothing is left; everybody else at once.
    const isCancelled = error !== 'expired' && isServiceError(error, 'UPLOAD_CANCELLED')
    if (!isCancelled) tell()
    upload.stop(reason)
    await reading.end(reason)
    await this.#remove(entry)
    if (isCancelled) tell()
  }

  #remove(entry: Entry): Promise<void> {
    const { upload, held } = entry
    this.#byId.delete(upload.id)
    this.#hasClient(entry)
    held[Symbol.dispose]()
    upload.key?.release()
    // Not before its end is remembered. What withstands is removed by the next start.
    return this.#background(
      upload.take(async () => {
        await this.#tools.uploads.written()
        await upload.spool.remove().catch(() => {})
      }),
    )
  }

  /** After a start: what had come whole is read, one after the other, as fast as the disk gives it. */
  async #finishFound(): Promise<void> {
    for (const { upload, reading } of [...this.#byId.values()]) {
      if (this.#isClosing || !upload.spool.state.isComplete) continue
      await reading.begin().catch(() => {})
    }
  }

  /** Ends what has expired, and reads again what could not be stored. */
  #look(): void {
    const now = Date.now()
    for (const entry of this.#byId.values()) {
      const { isComplete } = entry.upload.spool.state
      if (isComplete && entry.reading.failure !== null) void entry.reading.begin().catch(() => {})
      if (isComplete || entry.upload.isGrowing || this.#state(entry).expiresAt > now) continue
      this.#background(this.#end(entry, 'expired'))
    }
  }

  #background(work: Promise<void>): Promise<void> {
    const ended = work.finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    return ended
  }
}

/** Other errors of a body mean that its client has gone. */
function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError('UPLOAD_INTERRUPTED', {}, error)
}

/** The name itself counts before that in the header. @throws {ServiceError} BAD_PARAMETER, BAD_MULTIPART */
function nameOf(fileName: string, disposition: string | null): string {
  if (/[\0\r\n]/.test(fileName)) {
    throw new ServiceError('BAD_PARAMETER', { name: 'filename', seen: 'a NUL or a line end in it', wanted: 'none' })
  }
  if (fileName !== '') return lastSegment(fileName)
  return disposition === null ? '' : (fileNameOf(disposition) ?? '')
}
