// Admission: who may send a body now. Decides by the head alone, before the body is read.
import { ServiceError } from '../../core/errors.ts'
import { readMultipartType } from '../../multipart/content-type.ts'
import type { Store } from '../../store/store.ts'
import { clientOf, FairPlaces } from '../fair-places.ts'
import type { Admission, CorrectionAdmission, PendingBody, UploadHead, UploadSlot } from '../service.ts'
import type { Quota, QuotaLimits } from './quota.ts'

export interface AdmissionLimits extends QuotaLimits {
  readonly requestBytesMax: number
  /** Uploads in progress at once. */
  readonly uploadsMax: number
  /** Limit for one client: an owner, or the network of anonymous uploads. */
  readonly uploadsPerClientMax: number
}

/** Space left free for everything else on the disk. Bytes. */
const spareBytes = 64 * 1024 * 1024

/** An upload needs its original, its parts (at most about as large), and segments in between. */
const bytesPerDeclaredByte = 2.2

/** Free space is measured at most this often. Milliseconds. */
const gaugeMs = 1000

/**
 * When all places are taken, a body that has kept the service waiting for longer loses its place to the next upload.
 * Otherwise, as many slow clients as there are places would keep all others out, even if each is fast enough.
 * Milliseconds.
 */
const waitMsMax = 5_000

/** A single client may hold three quarters of the places. */
const placesPerFreePlace = 3

interface FileSizes {
  /** As declared. */
  readonly fileBytes: number
  /** Of these, the bytes still to be written. */
  readonly missingBytes: number
}

/** An upload that needs a place. */
interface SlotRequest extends FileSizes {
  readonly network?: string | undefined
  readonly body?: PendingBody | undefined
}

/** What a place holds until it is released. */
interface HeldSlot extends SlotRequest {
  readonly owner: string
  /** Clients among which places are shared: an owner, or a network for anonymous uploads. */
  readonly client: string
}

export class AdmissionControl {
  readonly #limits: AdmissionLimits
  readonly #store: Pick<Store, 'freeBytes'>
  readonly #quota: Quota
  readonly #places: FairPlaces
  readonly #admitted = new Map<UploadSlot, HeldSlot>()
  #heldBytes = 0
  #freeBytes = Number.POSITIVE_INFINITY
  #gaugedAt = Number.NEGATIVE_INFINITY

  private constructor(limits: AdmissionLimits, store: Pick<Store, 'freeBytes'>, quota: Quota) {
    this.#limits = limits
    this.#places = new FairPlaces(limits.uploadsMax, placesPerFreePlace)
    this.#store = store
    this.#quota = quota
  }

  static async open(limits: AdmissionLimits, store: Pick<Store, 'freeBytes'>, quota: Quota): Promise<AdmissionControl> {
    const admissionControl = new AdmissionControl(limits, store, quota)
    await admissionControl.#gauge()
    return admissionControl
  }

  /**
   * If all places are taken, an upload that keeps the service waiting for its body gives way to this one.
   *
   * @throws {ServiceError} NOT_MULTIPART, NO_BOUNDARY, BAD_MULTIPART, CONTENT_CODED, REQUEST_TOO_LARGE, TOO_MANY_UPLOADS,
   *   DISK_FULL, QUOTA_EXCEEDED
   */
  admit(head: UploadHead, owner: string): Admission {
    const { contentType, declaredBytes, body, idempotencyKey } = head
    const boundary = boundaryOf(contentType)
    const { release } = this.#admitBody(head, 0, owner)
    const key = typeof idempotencyKey === 'string' ? idempotencyKey : null
    return { boundary, declaredBytes, body, idempotencyKey: key, release }
  }

  /**
   * Admits corrections of a file that is read again with them.
   *
   * @param fileBytes Of the text of the file.
   * @throws {ServiceError} NOT_CORRECTIONS, and as `admit`
   */
  admitCorrections(head: UploadHead, fileBytes: number, owner: string): Omit<CorrectionAdmission, 'receipt'> {
    const { contentType, declaredBytes, body } = head
    const boundary = correctionTypes.test(contentType ?? '') ? null : boundaryOf(contentType, 'NOT_CORRECTIONS')
    const { release } = this.#admitBody(head, fileBytes, owner)
    return { boundary, release, declaredBytes, body }
  }

  /** @throws {ServiceError} DISK_FULL if there is no room for an upload, however small */
  async checkRoom(): Promise<void> {
    await this.#gauge()
    this.#endingForRoom(0, [])
  }

  /** @param storedBytes What is read besides the body. */
  #admitBody(head: UploadHead, storedBytes: number, owner: string): UploadSlot {
    const { contentCoding = '', declaredBytes, network, body } = head
    checkCoding(contentCoding)
    const { requestBytesMax } = this.#limits
    if (declaredBytes !== null && declaredBytes > requestBytesMax) {
      throw new ServiceError('REQUEST_TOO_LARGE', { limitBytes: requestBytesMax })
    }
    const bytes = storedBytes + (declaredBytes ?? 0)
    return this.admitBytes({ network, body, fileBytes: bytes, missingBytes: bytes }, owner)
  }

  /** Whether `admitBytes` would admit them now. @throws {ServiceError} as `admitBytes` */
  checkBytes(upload: SlotRequest, owner: string): void {
    this.#endingFor({ ...upload, owner, client: clientOf(owner, upload.network) })
  }

  /** The places of slow uploads that have to be freed for another one; none are if it is refused. */
  #endingFor({ owner, client, ...sizes }: HeldSlot): readonly UploadSlot[] {
    const ending = this.#endingForPlace(client)
    const onTheWay = [...this.#admitted].filter(([place, one]) => one.owner === owner && !ending.includes(place))
    this.#quota.check(
      owner,
      onTheWay.reduce((sum, [, one]) => sum + one.fileBytes, sizes.fileBytes),
    )
    return this.#endingForRoom(bytesFor(sizes), ending)
  }

  /**
   * Admits the bytes of an upload that are still to come, or to be read; all of it counts for the quota.
   * @throws {ServiceError} TOO_MANY_UPLOADS, DISK_FULL, QUOTA_EXCEEDED
   */
  admitBytes(upload: SlotRequest, owner: string): UploadSlot {
    const held = { ...upload, owner, client: clientOf(owner, upload.network) }
    const problem = 'its body arrived slowly, and another upload needed its place'
    for (const place of this.#endingFor(held)) {
      const body = this.#admitted.get(place)?.body
      place.release()
      body?.fail(new ServiceError('REQUEST_TIMEOUT', { problem }))
    }
    const bytes = bytesFor(held)
    this.#heldBytes += bytes
    const free = this.#places.hold(held.client)
    const place: UploadSlot = {
      release: () => {
        free()
        if (this.#admitted.delete(place)) this.#heldBytes -= bytes
      },
    }
    this.#admitted.set(place, held)
    if (performance.now() - this.#gaugedAt > gaugeMs) void this.#gauge()
    return place
  }

  /**
   * The place that has to be freed for one more of a client: none within its share; otherwise that of a slow upload,
   * its own or of a client with more.
   */
  #endingForPlace(client: string): readonly UploadSlot[] {
    const { uploadsMax, uploadsPerClientMax } = this.#limits
    const places = this.#places
    if (places.hasPlaceFor(client, uploadsPerClientMax)) return []
    const held = places.heldBy(client)
    const takesFromOthers = places.freeCount <= 0 && held < uploadsPerClientMax
    const mayGo = [...this.#admitted].filter(
      ([, one]) => one.client === client || (takesFromOthers && places.heldBy(one.client) >= held),
    )
    const most = Math.max(0, ...mayGo.map(([, one]) => places.heldBy(one.client)))
    const [place = slowestFirst(mayGo)[0]] = slowestFirst(mayGo.filter(([, one]) => places.heldBy(one.client) === most))
    if (place === undefined) throw new ServiceError('TOO_MANY_UPLOADS', { limit: takesFromOthers ? uploadsMax : held })
    return [place]
  }

  /** `ending`, and more slow uploads if their space, which they may never use, makes room for a new one. */
  #endingForRoom(bytes: number, ending: readonly UploadSlot[]): readonly UploadSlot[] {
    const heldBy = (place: UploadSlot) => bytesFor(this.#admitted.get(place)!)
    // Held space counts from the last measurement on, so space used since then counts twice: this errs on the safe
    // side.
    let missing = this.#heldBytes + bytes + spareBytes - this.#freeBytes
    const all = [...ending]
    for (const place of ending) missing -= heldBy(place)
    for (const place of slowestFirst([...this.#admitted])) {
      if (missing <= 0 || all.includes(place) || heldBy(place) === 0) continue
      all.push(place)
      missing -= heldBy(place)
    }
    if (missing <= 0) return all
    void this.#gauge()
    throw new ServiceError('DISK_FULL', {})
  }

  async #gauge(): Promise<void> {
    this.#gaugedAt = performance.now()
    // If the store does not know, a write will fail.
    this.#freeBytes = await this.#store.freeBytes().catch(() => Number.POSITIVE_INFINITY)
  }
}

/** What an upload holds of the free space. */
const bytesFor = ({ missingBytes }: FileSizes): number => missingBytes * bytesPerDeclaredByte

/** The uploads that have kept the service waiting too long, the longest wait first. */
function slowestFirst(uploads: readonly (readonly [UploadSlot, HeldSlot])[]): readonly UploadSlot[] {
  return uploads
    .map(([place, { body }]) => ({ place, waitedMs: body?.waitedMs() ?? 0 }))
    .filter(({ waitedMs }) => waitedMs >= waitMsMax)
    .toSorted((a, b) => b.waitedMs - a.waitedMs)
    .map(({ place }) => place)
}

/** Types of a body that is the file itself. */
const correctionTypes = /^\s*(?:text\/csv|application\/(?:x-)?(?:ndjson|jsonl|jsonlines))\s*(?:;|$)/i

/** @throws {ServiceError} CONTENT_CODED */
export function checkCoding(contentCoding: string): void {
  if (contentCoding !== '') throw new ServiceError('CONTENT_CODED', { coding: contentCoding.slice(0, 100) })
}

/** @throws {ServiceError} NO_BOUNDARY, NOT_MULTIPART, BAD_MULTIPART */
export function boundaryOf(
  contentType: string | undefined,
  otherwise: 'NOT_MULTIPART' | 'NOT_CORRECTIONS' = 'NOT_MULTIPART',
): string {
  const type = readMultipartType(contentType)
  switch (type.kind) {
    case 'multipart':
      return type.boundary
    case 'no-boundary':
      // Only the route of the contract answers as the reference does.
      if (otherwise === 'NOT_MULTIPART') throw new ServiceError('NO_BOUNDARY', {})
      throw new ServiceError('BAD_MULTIPART', { problem: 'its Content-Type has no boundary' })
    case 'other':
      throw new ServiceError(otherwise, { contentType: contentType?.trim() || null })
    default:
      throw new ServiceError('BAD_MULTIPART', { problem: type.problem })
  }
}
