// Admission: who may send a body now. Judges by the head alone, before a byte of the body is read.
import { ServiceError } from '../../core/errors.ts'
import { readMultipartType } from '../../multipart/content-type.ts'
import type { Store } from '../../store/store.ts'
import type { Admission, PendingBody, Place, UploadHead } from '../service.ts'
import { isNetwork, partyOf, SharedPlaces } from '../shared-places.ts'

export interface AdmissionLimits {
  readonly requestBytesMax: number
  /** Uploads in progress at once. */
  readonly uploadsMax: number
  /** Of one owner. */
  readonly uploadsPerOwnerMax: number
  /** Of one network, where nobody is asked who they are. */
  readonly uploadsPerAddressMax: number
  /** What the originals and parts of one owner may come to; Infinity for any number of bytes. */
  readonly ownerBytesMax: number
  /** Datasets of one owner; Infinity for any number. */
  readonly ownerDatasetsMax: number
}

/** Room left untouched for everything else on the disk. Bytes. */
const spareBytes = 64 * 1024 * 1024

/** An upload needs its original, its parts (at most about as large), and segments in between. */
const bytesPerDeclaredByte = 2.2

/** Free space is asked for again at most this often. Milliseconds. */
const gaugeMs = 1000

/**
 * How long a body may keep us waiting before its place goes to whoever wants it, when all are taken. Otherwise as many
 * slow senders as there are places would keep all others out, at a rate that is enough for each. Milliseconds.
 */
const waitMsMax = 5_000

/** A sender that is alone may hold three quarters of the places. */
const placesPerFreePlace = 3

/** What an admission holds until it is released. */
interface Reserved {
  readonly owner: string
  /** Among whom places are shared: an owner, or a network where nobody is asked who they are. */
  readonly party: string
  /** As declared. */
  readonly fileBytes: number
  readonly body: PendingBody | undefined
}

export class AdmissionControl {
  readonly #limits: AdmissionLimits
  readonly #store: Pick<Store, 'freeBytes' | 'usage'>
  readonly #places: SharedPlaces
  readonly #admitted = new Map<Place, Reserved>()
  #reservedBytes = 0
  #freeBytes = Number.POSITIVE_INFINITY
  #gaugedAt = Number.NEGATIVE_INFINITY

  private constructor(limits: AdmissionLimits, store: Pick<Store, 'freeBytes' | 'usage'>) {
    this.#limits = limits
    this.#places = new SharedPlaces(limits.uploadsMax, placesPerFreePlace)
    this.#store = store
  }

  static async open(limits: AdmissionLimits, store: Pick<Store, 'freeBytes' | 'usage'>): Promise<AdmissionControl> {
    const admissionControl = new AdmissionControl(limits, store)
    await admissionControl.#gauge()
    return admissionControl
  }

  /**
   * Where all places are taken, an upload that keeps us waiting for its body gives way to this one.
   *
   * @throws {ServiceError} NOT_MULTIPART, NO_BOUNDARY, BAD_MULTIPART, CONTENT_CODED, REQUEST_TOO_LARGE, TOO_MANY_UPLOADS,
   *   DISK_FULL, QUOTA_EXCEEDED
   */
  admit({ contentType, contentCoding = '', declaredBytes, body, network }: UploadHead, owner: string): Admission {
    const boundary = boundaryOf(contentType)
    if (!/^(identity)?$/i.test(contentCoding.trim())) {
      throw new ServiceError('CONTENT_CODED', { coding: contentCoding.slice(0, 100) })
    }
    const { requestBytesMax } = this.#limits
    if (declaredBytes !== null && declaredBytes > requestBytesMax) {
      throw new ServiceError('REQUEST_TOO_LARGE', { limitBytes: requestBytesMax })
    }
    const place = this.#reserve({ owner, party: partyOf(owner, network), fileBytes: declaredBytes ?? 0, body })
    return { boundary, release: place.release }
  }

  /** Admits the reading of a kept file as if it were sent. @throws {ServiceError} TOO_MANY_UPLOADS, DISK_FULL, QUOTA_EXCEEDED */
  admitReading(fileBytes: number, owner: string): Place {
    return this.#reserve({ owner, party: partyOf(owner, undefined), fileBytes, body: undefined })
  }

  /** Holds so many bytes more against what the owner has. @throws {ServiceError} QUOTA_EXCEEDED */
  checkQuota(owner: string, bytes: number): void {
    const { ownerBytesMax, ownerDatasetsMax } = this.#limits
    const used = this.#store.usage(owner)
    if (used.bytes + bytes > ownerBytesMax) {
      throw new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerBytesMax} bytes` })
    }
    if (used.datasets >= ownerDatasetsMax) {
      throw new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerDatasetsMax} datasets` })
    }
  }

  #reserve(reserved: Reserved): Place {
    const { uploadsPerOwnerMax } = this.#limits
    const { owner, party, fileBytes } = reserved
    const bytes = fileBytes * bytesPerDeclaredByte
    this.#findPlace(party)
    const own = [...this.#admitted].filter(([, one]) => one.owner === owner)
    if (own.length >= uploadsPerOwnerMax && !giveWay(own)) {
      throw new ServiceError('TOO_MANY_UPLOADS', { limit: uploadsPerOwnerMax })
    }
    this.checkQuota(
      owner,
      own.reduce((sum, [, one]) => sum + one.fileBytes, fileBytes),
    )
    this.#makeRoom(bytes)
    this.#reservedBytes += bytes
    const free = this.#places.hold(party)
    const place: Place = {
      release: () => {
        free()
        if (this.#admitted.delete(place)) this.#reservedBytes -= bytes
      },
    }
    this.#admitted.set(place, reserved)
    if (performance.now() - this.#gaugedAt > gaugeMs) void this.#gauge()
    return place
  }

  /** A place for a party: free, and within its share; else one that a slow upload gives up, of its own or of who has more. */
  #findPlace(party: string): void {
    const { uploadsMax, uploadsPerAddressMax } = this.#limits
    const places = this.#places
    if (places.hasPlaceFor(party, isNetwork(party) ? uploadsPerAddressMax : uploadsMax)) return
    const { freeCount } = places
    const held = places.heldBy(party)
    const mayGo = [...this.#admitted].filter(
      ([, one]) => one.party === party || (freeCount <= 0 && places.heldBy(one.party) >= held),
    )
    const most = Math.max(0, ...mayGo.map(([, one]) => places.heldBy(one.party)))
    if (giveWay(mayGo.filter(([, one]) => places.heldBy(one.party) === most)) || giveWay(mayGo)) return
    throw new ServiceError('TOO_MANY_UPLOADS', { limit: freeCount > 0 ? held : uploadsMax })
  }

  /** Room that slow uploads have reserved and may never use goes to who wants it, where that is all that is missing. */
  #makeRoom(bytes: number): void {
    const leftBytes = this.#freeBytes - bytes - spareBytes
    // What is reserved is counted from the last gauging on, so space that was used since is counted twice: on the safe side.
    while (leftBytes < this.#reservedBytes) {
      if (leftBytes >= 0 && giveWay([...this.#admitted])) continue
      void this.#gauge()
      throw new ServiceError('DISK_FULL', {})
    }
  }

  async #gauge(): Promise<void> {
    this.#gaugedAt = performance.now()
    // A store that cannot tell is found out by the write that fails.
    this.#freeBytes = await this.#store.freeBytes().catch(() => Number.POSITIVE_INFINITY)
  }
}

/** Breaks off the upload that has kept us waiting longest, if that was long, and frees its place. False if there is none. */
function giveWay(uploads: readonly (readonly [Place, Reserved])[]): boolean {
  let slowest: readonly [Place, PendingBody] | null = null
  let waitedMs = waitMsMax
  for (const [place, { body }] of uploads) {
    const ms = body?.waitedMs() ?? 0
    if (body === undefined || ms < waitedMs) continue
    slowest = [place, body]
    waitedMs = ms
  }
  if (slowest === null) return false
  const [place, body] = slowest
  place.release()
  body.fail(new ServiceError('REQUEST_TIMEOUT', { problem: 'its body came slowly, and its place was wanted' }))
  return true
}

function boundaryOf(contentType: string | undefined): string {
  const type = readMultipartType(contentType)
  switch (type.kind) {
    case 'multipart':
      return type.boundary
    case 'no-boundary':
      throw new ServiceError('NO_BOUNDARY', {})
    case 'other':
      throw new ServiceError('NOT_MULTIPART', { contentType: contentType?.trim() || null })
    default:
      throw new ServiceError('BAD_MULTIPART', { problem: type.problem })
  }
}
