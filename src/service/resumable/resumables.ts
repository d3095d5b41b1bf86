// Resumables: all uploads that arrive in several requests: begins them, adds to them, reads them, and drops unfinished ones in time.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { Spool } from '../../store/store.ts'
import type { OwnUploads, Place, UploadReply } from '../service.ts'
import type { HeldKey } from '../uploads/idempotency-keys.ts'
import { newSpool } from './new-spool.ts'
import type { Appended, NewResumable, ResumableBytes, ResumableState, ResumableUploads } from './resumable.ts'
import { ResumableReading, type ResumableTools } from './resumable-reading.ts'
import { notInTime, ResumableStates } from './resumable-states.ts'
import { agreedLength, failureOf, ResumableUpload, type UploadDetails } from './resumable-upload.ts'
import { type HeldPlace, type ResumableLimits, UnfinishedPlaces } from './unfinished-places.ts'
import { WaitingReadings } from './waiting-readings.ts'

const lookEveryMs = 60_000

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
  readonly #states: ResumableStates
  /** Readings whose clients have disconnected. */
  readonly #waiting: WaitingReadings<Entry>
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
    this.#states = new ResumableStates(limits.uploadsKeepMs)
    this.#waiting = new WaitingReadings(limits.resumeWaitMs, ({ reading }) => this.#background(reading.giveUp()))
    this.#looking = setInterval(() => this.#look(), Math.min(lookEveryMs, limits.uploadsKeepMs)).unref()
  }

  /** What a sender may see and do. @param uploads Those that exist for the sender. */
  of(owner: string, sender: string, uploads: OwnUploads): ResumableUploads {
    return {
      bytesMax: this.#bytesMax,
      create: (upload) => this.#create(owner, sender, upload),
      state: async (id) => {
        const entry = this.#find(uploads, id)
        if (entry === null) return this.#states.afterEnd(uploads, id)
        return await entry.upload.take(async () => this.#states.of(entry.upload.spool))
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
    const bytes = this.#byId.values().reduce((sum, { upload }) => sum + upload.spool.state.bytes, 0)
    return { uploads: this.#byId.size, bytes }
  }

  /** Gives up what runs; everything durable is continued when the service starts again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#looking)
    this.#waiting[Symbol.dispose]()
    const entries = [...this.#byId.values()]
    for (const { upload } of entries) upload.stop(new ServiceError('SHUTTING_DOWN', {}))
    await Promise.all(entries.map(({ upload, reading }) => upload.take(() => reading.giveUp())))
    await Promise.allSettled(this.#ending)
  }

  async #create(owner: string, sender: string, upload: NewResumable): Promise<ResumableState> {
    if (this.#isClosing) throw new ServiceError('SHUTTING_DOWN', {})
    const { idempotencyKey } = upload
    const key = idempotencyKey === null ? null : this.#tools.keys.hold({ owner, sender }, idempotencyKey)
    const given = typeof idempotencyKey === 'string' && !key?.refusal ? idempotencyKey : null
    try {
      if (key?.refusal && (upload.form === null || !upload.isOneRequest)) throw key.refusal
      const tools = { ...this.#tools, places: this.#places, bytesMax: this.#bytesMax }
      const spool = await newSpool(tools, owner, { ...upload, sender, idempotencyKey: given })
      return this.#states.of(this.#add(spool, key).upload.spool)
    } catch (error) {
      key?.release()
      throw error
    }
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
    const entry = this.#add(spool, key?.refusal ? null : key)
    if (isOneRequest && !spool.state.isComplete) {
      this.#background(this.#end(entry, new ServiceError('UPLOAD_INTERRUPTED', {})))
    }
  }

  #add(spool: Spool, key: HeldKey | null): Entry {
    const { facts, state } = spool
    const { fileName, form, client, sender, idempotencyKey, remark } = facts.details as UploadDetails
    const stop = (error: ServiceError) => this.#background(this.#end(entry, error))
    const { id, owner, createdAt } = facts
    const known = {
      id,
      owner,
      sender,
      createdAt,
      idempotencyKey,
      remark,
      fileName: form === null ? fileName : null,
      stop,
    }
    const sizes = { receivedBytes: state.bytes, expectedBytes: state.expectedBytes }
    const live = this.#tools.uploads.begin({ ...known, ...sizes })
    const upload = new ResumableUpload(spool, live, key)
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

  async #append(uploads: OwnUploads, id: string, bytes: ResumableBytes): Promise<Appended> {
    const entry = this.#find(uploads, id)
    const appended = await entry?.upload.take(async (isNewest) =>
      this.#byId.has(id) ? await this.#appendTo(entry, bytes, isNewest) : null,
    )
    // It had ended, or has ended while this request waited.
    return appended ?? this.#states.nothingMore(uploads, id, bytes)
  }

  async #appendTo(entry: Entry, bytes: ResumableBytes, isNewest: () => boolean): Promise<Appended> {
    const { upload, reading } = entry
    let place: Place | null = null
    try {
      const { isComplete, bytes: receivedBytes } = upload.spool.state
      // Before it takes a place, perhaps that of another upload.
      const hasMore = bytes.declaredBytes !== 0 || bytes.offset !== receivedBytes
      if (!isComplete || hasMore) agreedLength(upload.spool, bytes, this.#bytesMax)
      if (!isComplete) {
        place = this.#admit(entry, bytes)
        this.#waiting.delete(entry)
        reading.begin()
        upload.isGrowing = true
        await upload.append(bytes, { bytesMax: this.#bytesMax, reserve: entry.held.reserve }, isNewest)
      }
    } catch (error) {
      if (upload.details.isOneRequest) {
        // Once this request has let it go.
        this.#background(Promise.resolve().then(() => this.#end(entry, failureOf(error))))
      }
      throw reading.failure ?? error
    } finally {
      upload.isGrowing = false
      if (upload.discardLost()) await reading.giveUp()
      const { state } = upload.spool
      entry.held.take(Math.max(state.bytes, state.expectedBytes ?? 0))
      if (state.expectedBytes !== null) upload.live.expects(state.expectedBytes)
      this.#letGo(entry, place)
    }
    const { isComplete } = upload.spool.state
    const isRepeated = (upload.key?.answer ?? null) !== null
    // Errors that need no more than the beginning of a form are not left to a later request.
    if (isComplete) await Promise.race([upload.fileBegun.promise, reading.begin()])
    return { state: this.#states.of(upload.spool), reply: isComplete ? reading.begin() : null, isRepeated }
  }

  /** Admits the bytes that are still to arrive, as for an upload in one request. */
  #admit({ upload, held }: Entry, { expectedBytes, declaredBytes, pending, network }: ResumableBytes): Place {
    const { facts, state } = upload.spool
    const length = state.expectedBytes ?? expectedBytes ?? state.bytes + (declaredBytes ?? 0)
    held.reserve(length)
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
    this.#waiting.add(entry)
  }

  /** Null for an upload that has ended. @throws {ServiceError} UPLOAD_NOT_FOUND */
  #find(uploads: OwnUploads, id: string): Entry | null {
    uploads.get(id)
    return this.#byId.get(id) ?? null
  }

  #done(entry: Entry, reply: UploadReply): void {
    entry.upload.live.done(reply, this.#tools.uploads.expiresAt())
    this.#remove(entry)
  }

  /** Ends an upload that will have no dataset: with an error, or because it has expired. */
  async #end(entry: Entry, error: ServiceError | 'expired'): Promise<void> {
    const { upload, reading } = entry
    if (!this.#byId.delete(upload.id)) return
    this.#waiting.delete(entry)
    const id = upload.id
    const reason = error === 'expired' ? new ServiceError('UPLOAD_ENDED', { id, problem: notInTime }) : error
    const expiresAt = this.#tools.uploads.expiresAt()
    const end = () => (error === 'expired' ? upload.live.expired(expiresAt) : upload.live.failed(error, expiresAt))
    // A client that cancels gets its response when nothing is left; all others at once.
    const isCancelled = error !== 'expired' && isServiceError(error, 'UPLOAD_CANCELLED')
    if (!isCancelled) end()
    upload.stop(reason)
    await reading.end(reason)
    await this.#remove(entry)
    if (isCancelled) end()
  }

  #remove(entry: Entry): Promise<void> {
    const { upload, held } = entry
    this.#byId.delete(upload.id)
    this.#waiting.delete(entry)
    held[Symbol.dispose]()
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
    for (const { upload, reading } of [...this.#byId.values()]) {
      if (this.#isClosing || !upload.spool.state.isComplete) continue
      await reading.begin().catch(() => {})
    }
  }

  /** Ends expired uploads, and retries those that could not be stored. */
  #look(): void {
    const now = Date.now()
    for (const entry of this.#byId.values()) {
      const { isComplete } = entry.upload.spool.state
      if (isComplete && entry.reading.failure !== null) void entry.reading.begin().catch(() => {})
      if (isComplete || entry.upload.isGrowing || this.#states.of(entry.upload.spool).expiresAt > now) continue
      this.#background(this.#end(entry, 'expired'))
    }
  }

  #background(work: Promise<void>): Promise<void> {
    const ended = work.finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    return ended
  }
}
