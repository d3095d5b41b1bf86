// Unfinished places: limits the number and the total size of resumable uploads, shared among clients. Knows no upload.
import { ServiceError } from '../../core/errors.ts'
import { FairPlaces } from '../fair-places.ts'

export interface UnfinishedLimits {
  /** Number of uploads. */
  readonly unfinishedMax: number
  /** Total bytes of all of them, once they are complete. */
  readonly unfinishedBytesMax: number
}

export interface ResumableLimits extends UnfinishedLimits {
  /** How long a reading waits for its client. Milliseconds. */
  readonly resumeWaitMs: number
  /** How long an upload is kept after its last byte. Milliseconds. */
  readonly uploadsKeepMs: number
}

/** A client may hold as many places and bytes as are free. */
const perFreePlace = 1

export class UnfinishedPlaces {
  readonly #limits: UnfinishedLimits
  readonly #places: FairPlaces
  readonly #bytesBy = new Map<string, number>()
  #bytes = 0

  constructor(limits: UnfinishedLimits) {
    this.#limits = limits
    this.#places = new FairPlaces(limits.unfinishedMax, perFreePlace)
  }

  /** @throws {ServiceError} TOO_MANY_UNFINISHED */
  check(client: string, bytes: number): void {
    if (!this.#places.hasPlaceFor(client)) throw tooMany(`${this.#places.heldBy(client)} uploads`)
    this.#checkBytes(client, bytes)
  }

  /** Checks for bytes in addition to those held. @throws {ServiceError} TOO_MANY_UNFINISHED */
  #checkBytes(client: string, bytes: number): void {
    const held = this.#bytesBy.get(client) ?? 0
    if (held + bytes > this.#limits.unfinishedBytesMax - this.#bytes - bytes) throw tooMany(`${held} bytes`)
  }

  /** Holds a place until it is disposed. */
  hold(client: string, bytes: number): HeldPlace {
    const release = this.#places.hold(client)
    let heldBytes = 0
    let isHeld = true
    const take = (now: number) => {
      if (!isHeld) return
      this.#bytes += now - heldBytes
      this.#bytesBy.set(client, (this.#bytesBy.get(client) ?? 0) + now - heldBytes)
      if (this.#bytesBy.get(client) === 0) this.#bytesBy.delete(client)
      heldBytes = now
    }
    take(bytes)
    return {
      take,
      reserve: (now) => {
        if (!isHeld || now <= heldBytes) return
        this.#checkBytes(client, now - heldBytes)
        take(now)
      },
      [Symbol.dispose]: () => {
        release()
        take(0)
        isHeld = false
      },
    }
  }
}

export interface HeldPlace extends Disposable {
  /** Holds this many bytes from now on; none once it is disposed. */
  take(bytes: number): void
  /** Holds at least this many bytes from now on, if there is room. @throws {ServiceError} TOO_MANY_UNFINISHED */
  reserve(bytes: number): void
}

/** @param held What the client holds, with its unit. */
function tooMany(held: string): ServiceError {
  return new ServiceError('TOO_MANY_UNFINISHED', { held })
}
