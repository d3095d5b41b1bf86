// Resumables: all uploads that arrive in several requests: begins them, adds to them, reads them, and drops unfinished ones in time.
import { isServiceError, ServiceError } from '../../core/errors.ts'
import type { UploadStatus } from '../../core/upload-status.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'
import type { SharedSpools, Spool, SpoolSight } from '../../store/store.ts'
import type { Place, UploadReply } from '../service.ts'
import type { HeldKey } from '../uploads/idempotency-keys.ts'
import { newSpool } from './new-spool.ts'
import { OtherReplicas } from './other-replicas.ts'
import type { Appended, NewResumable, ResumableBytes, ResumableState, ResumableUploads } from './resumable.ts'
import { ResumableReading, type ResumableTools } from './resumable-reading.ts'
import { notInTime, ResumableStates } from './resumable-states.ts'
import { failureOf, ResumableUpload, type UploadDetails } from './resumable-upload.ts'
import { keyOf, takeSpool } from './take-spool.ts'
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
  /** Null if this process has all uploads. */
  readonly #replicas: OtherReplicas | null
  /** Taking and leaving an upload happen one at a time. */
  readonly #moving = new KeyedMutex()
  #isClosing = false

  /** Continues the uploads that the store has found. */
  static async open(tools: ResumableTools, limits: ResumableLimits): Promise<Resumables> {
    const resumables = new Resumables(tools, limits)
    for (const spool of tools.store.spools.found) await resumables.#addFound(spool)
    resumables.#look()
    resumables.#background(resumables.#finishFound())
    return resumables
  }

  private constructor(tools: ResumableTools, limits: ResumableLimits) {
    this.#tools = tools
    this.#limits = limits
    this.#places = new UnfinishedPlaces(limits)
    this.#states = new ResumableStates(tools.store.spools, tools.uploads, limits.uploadsKeepMs)
    this.#waiting = new WaitingReadings(limits.resumeWaitMs, (entry) => this.#giveUp(entry))
    const { shared } = tools.store.spools
    this.#replicas = shared === null ? null : this.#openReplicas(shared)
    this.#looking = setInterval(() => this.#look(), Math.min(lookEveryMs, limits.uploadsKeepMs)).unref()
  }

  /** What an owner may see and do. */
  of(owner: string): ResumableUploads {
    const { fileBytesMax, requestBytesMax } = this.#tools.limits
    return {
      bytesMax: Math.min(fileBytesMax, requestBytesMax),
      create: (upload) => this.#create(owner, upload),
      state: async (id) => {
        const entry = await this.#find(owner, id)
        if (entry === null) return await this.#states.elsewhere(owner, id)
        return await entry.upload.take(async () => this.#states.of(entry.upload.spool))
      },
      append: (id, bytes) => this.#append(owner, id, bytes),
    }
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
    await Promise.all(
      entries.map(({ upload, reading }) =>
        upload.take(async () => {
          await reading.giveUp()
          await upload.spool.release()
        }),
      ),
    )
    await this.#replicas?.close()
    await Promise.allSettled(this.#ending)
  }

  async #create(owner: string, upload: NewResumable): Promise<ResumableState> {
    if (this.#isClosing) throw new ServiceError('SHUTTING_DOWN', {})
    const { idempotencyKey } = upload
    const key = idempotencyKey === null ? null : await this.#tools.keys.hold(owner, idempotencyKey)
    try {
      const { bytesMax } = this.of(owner)
      const spool = await newSpool({ ...this.#tools, places: this.#places, bytesMax }, owner, upload)
      await key?.belongsTo(spool.facts.id)
      return this.#states.of(this.#add(spool, key).upload.spool)
    } catch (error) {
      key?.release()
      throw error
    }
  }

  /** Uploads found at the start. The address of one that was to arrive in one request is unknown. */
  async #addFound(spool: Spool): Promise<void> {
    const { id, owner, details } = spool.facts
    if (await this.#tools.uploads.hasEnded(owner, id)) {
      this.#background(spool.remove().catch(() => {}))
      return
    }
    const { isOneRequest } = details as UploadDetails
    const entry = this.#add(spool, await keyOf(this.#tools.keys, spool.facts))
    if (isOneRequest && !spool.state.isComplete) {
      this.#background(this.#end(entry, new ServiceError('UPLOAD_INTERRUPTED', {})))
    }
  }

  #add(spool: Spool, key: HeldKey | null, lastVersion = 0): Entry {
    const { facts, state } = spool
    const { fileName, form, client, idempotencyKey } = facts.details as UploadDetails
    const stop = (error: ServiceError) => this.#background(this.#end(entry, error))
    const { id, owner, createdAt } = facts
    const known = { id, owner, createdAt, idempotencyKey, fileName: form === null ? fileName : null, stop }
    const sizes = { receivedBytes: state.bytes, expectedBytes: state.expectedBytes }
    const seal = () => spool.seal()
    const live = this.#tools.uploads.begin({ ...known, ...sizes, lastVersion, seal })
    spool.reports(() => live.status())
    spool.lost.addEventListener('abort', () => this.#background(this.#let(entry)))
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
    // Others may have taken it before there was a listener.
    if (spool.lost.aborted) this.#background(this.#let(entry))
    return entry
  }

  async #append(owner: string, id: string, bytes: ResumableBytes): Promise<Appended> {
    for (;;) {
      const entry = await this.#find(owner, id)
      if (entry === null) return await this.#states.nothingMore(owner, id, bytes)
      const appended = await entry.upload.take(async (isNewest) =>
        this.#byId.get(id) === entry ? await this.#appendTo(entry, bytes, isNewest) : null,
      )
      // Another process has taken it, or it has ended, while this request waited.
      if (appended !== null) return appended
    }
  }

  async #appendTo(entry: Entry, bytes: ResumableBytes, isNewest: () => boolean): Promise<Appended> {
    const { upload, reading } = entry
    const { owner } = upload.spool.facts
    let place: Place | null = null
    try {
      place = upload.spool.state.isComplete ? null : this.#admit(entry, bytes)
      if (place !== null) {
        this.#waiting.delete(entry)
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
      if (this.#byId.get(upload.id) === entry) entry.held.take(Math.max(state.bytes, state.expectedBytes ?? 0))
      if (state.expectedBytes !== null) upload.live.expects(state.expectedBytes)
      this.#letGo(entry, place)
    }
    const { isComplete } = upload.spool.state
    const isRepeated = (upload.key?.answer ?? null) !== null
    return { state: this.#states.of(upload.spool), reply: isComplete ? reading.begin() : null, isRepeated }
  }

  /** Admits the bytes that are still to arrive, as for an upload in one request. */
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
    this.#waiting.add(entry)
  }

  #giveUp(entry: Entry): void {
    this.#background(this.#replicas === null ? entry.reading.giveUp() : this.#leave(entry))
  }

  /**
   * An upload that can be added to, or is being read here; no other process then has it.
   * @returns null for one that is being read elsewhere, has ended, or never was
   */
  async #find(owner: string, id: string): Promise<Entry | null> {
    const found = await this.#moving.take(id, async () => {
      const own = this.#byId.get(id)
      if (this.#replicas === null) return own ?? null
      if (own !== undefined && (await own.upload.spool.isOurs())) return own
      if (own !== undefined) await this.#let(own)
      return await this.#takeFrom(id, (seen) => seen.facts.owner === owner && !seen.state.isComplete)
    })
    return found?.upload.spool.facts.owner === owner ? found : null
  }

  #done(entry: Entry, reply: UploadReply): void {
    entry.upload.live.done(reply, this.#tools.uploads.expiresAt())
    this.#remove(entry)
  }

  /** Ends an upload that will have no dataset: with an error, or because it has expired. */
  async #end(entry: Entry, error: ServiceError | 'expired'): Promise<void> {
    const { upload, reading } = entry
    if (this.#byId.get(upload.id) !== entry) return
    // If the store cannot be asked, its end cannot be recorded either.
    if (!(await upload.spool.isOurs().catch(() => true))) return await this.#let(entry)
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

  #openReplicas(shared: SharedSpools): OtherReplicas {
    const replicas = new OtherReplicas({
      shared,
      places: this.#places,
      keepMs: this.#limits.uploadsKeepMs,
      has: (id) => this.#byId.has(id),
      recover: (id, version) => this.#background(this.#recover(id, version).catch(this.#tools.onFailed)),
      onScan: () => this.#leaveIdle(),
      onFailed: this.#tools.onFailed,
    })
    this.#tools.uploads.joins({
      get: (owner, id) => replicas.get(owner, id),
      list: (owner) => replicas.list(owner),
      check: (id) => this.#letIfTaken(this.#byId.get(id)),
      cancel: (owner, id) => this.#cancelElsewhere(owner, id),
    })
    return replicas
  }

  async #takeFrom(id: string, isWanted: (seen: SpoolSight) => boolean): Promise<Entry | null> {
    const { store, uploads, keys } = this.#tools
    if (this.#isClosing) throw new ServiceError('SHUTTING_DOWN', {})
    const taken = await takeSpool(store.spools, uploads, id, isWanted)
    if (taken === null) return null
    const { spool, seen } = taken
    return this.#add(spool, await keyOf(keys, spool.facts), (seen.status as UploadStatus | null)?.version)
  }

  /** Continues an abandoned upload, or drops it; resolves when that is done. */
  async #recover(id: string, version: string): Promise<void> {
    const entry = await this.#moving.take(id, async () =>
      this.#byId.has(id) ? null : await this.#takeFrom(id, (seen) => seen.version === version),
    )
    if (entry === null) return
    const { spool, details } = entry.upload
    const isInTime = this.#states.of(spool).expiresAt > Date.now()
    if (spool.state.isComplete) await entry.reading.begin().catch(() => {})
    else if (details.isOneRequest) await this.#end(entry, new ServiceError('UPLOAD_INTERRUPTED', {}))
    else await (isInTime ? this.#leave(entry) : this.#end(entry, 'expired'))
  }

  async #cancelElsewhere(owner: string, id: string): Promise<boolean> {
    const isOwn = ({ facts }: SpoolSight) => facts.owner === owner
    const entry = await this.#moving.take(id, async () => {
      if (this.#byId.has(id)) return null
      return await this.#takeFrom(id, (seen) => {
        if (isOwn(seen) && seen.isSealed && seen.isHeld) throw new ServiceError('UPLOAD_FINISHED', { id })
        return isOwn(seen)
      })
    })
    return (await entry?.upload.live.cancel()) ?? false
  }

  /** Releases one that another process has now. */
  async #let(entry: Entry): Promise<void> {
    const { upload, reading, held } = entry
    if (this.#byId.get(upload.id) !== entry) return
    this.#byId.delete(upload.id)
    this.#waiting.delete(entry)
    const reason = new ServiceError('UPLOAD_TAKEN_OVER', {})
    upload.stop(reason)
    this.#tools.uploads.abandon(upload.id)
    await reading.end(reason)
    held[Symbol.dispose]()
    upload.key?.leave()
    await upload.spool.release()
  }

  /** Its client may have gone to another process without notice here. */
  async #letIfTaken(entry: Entry | undefined): Promise<void> {
    if (entry === undefined || !(await entry.upload.isElsewhere())) return
    await this.#moving.take(entry.upload.id, () => this.#let(entry))
  }

  /** Leaves an upload to the process that its client goes to, or that can store it. */
  async #leave(entry: Entry): Promise<void> {
    await this.#moving.take(entry.upload.id, async () => {
      if (!entry.upload.isBusy) await this.#let(entry)
    })
  }

  /** An upload that waits for a client is not kept here for long; one that cannot be stored is left to others. */
  #leaveIdle(): void {
    for (const entry of this.#byId.values()) {
      const { upload, reading } = entry
      const { isComplete } = upload.spool.state
      this.#background(this.#letIfTaken(entry))
      if (upload.isBusy || (isComplete ? reading.failure === null : this.#waiting.has(entry))) continue
      if (isComplete) this.#replicas?.rest(upload.id)
      this.#background(this.#leave(entry))
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
