// Quota: limits the datasets of one owner, including those about to be published. Knows no places.
import { setTimeout } from 'node:timers/promises'
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { storedFiles } from '../../core/stored-files.ts'
import type { Store } from '../../store/store.ts'
import { type Announced, type Room, SharedReservations } from './shared-reservations.ts'

export interface QuotaLimits {
  /** Total bytes of one owner's stored files; Infinity for no limit. */
  readonly ownerBytesMax: number
  /** Datasets of one owner; Infinity for no limit. */
  readonly ownerDatasetsMax: number
}

/** Room for one dataset, and the number of uploads of the same bytes that hold it. */
interface Reservation {
  readonly owner: string
  readonly bytes: number
  holders: number
}

/** After this many tries, reservations of other processes count as used. */
const triesMax = 8
/** Half of it is random, so that one of several uploads that compete for the last room comes first. */
const retryMsUsual = 400

/** Used if there is no quota, as in most services: no other process needs to be asked. */
const nothingReserved: AsyncDisposable = { async [Symbol.asyncDispose]() {} }

export class Quota {
  readonly #limits: QuotaLimits
  readonly #store: Pick<Store, 'usage' | 'isCounted'>
  readonly #retryMs: number
  readonly #reservedById = new Map<string, Reservation>()
  readonly #isLimited: boolean
  /** Null if only this process publishes, or nothing is limited. */
  readonly #shared: SharedReservations | null

  constructor(
    limits: QuotaLimits,
    store: Pick<Store, 'usage' | 'isCounted' | 'shared' | 'catchUp'>,
    retryMs = retryMsUsual,
  ) {
    const { ownerBytesMax, ownerDatasetsMax } = limits
    this.#isLimited = Math.min(ownerBytesMax, ownerDatasetsMax) < Number.POSITIVE_INFINITY
    this.#limits = limits
    this.#store = store
    this.#retryMs = retryMs
    this.#shared = this.#isLimited && store.shared !== null ? new SharedReservations(store.shared, store) : null
  }

  /**
   * Checks whether an upload of this many bytes could be kept now, as far as this process knows. @throws {ServiceError}
   * QUOTA_EXCEEDED
   */
  check(owner: string, bytes: number): void {
    if (!this.#isLimited) return
    const used = this.#store.usage(owner)
    const refusal = this.#limited(used.bytes + bytes, used.datasets + 1)
    if (refusal !== null) throw refusal
  }

  /**
   * Reserves room for a dataset until disposed. The check and the publish are some time apart: meanwhile no other
   * upload of the owner can take the room, at this process or another one on the store.
   * @throws {ServiceError} QUOTA_EXCEEDED, STORE_UNAVAILABLE, STORE_FAILED
   */
  async reserve(receipt: Receipt): Promise<AsyncDisposable> {
    if (!this.#isLimited) return nothingReserved
    const { id, owner } = receipt
    using here = new DisposableStack()
    const bytes = storedFiles(receipt).reduce((sum, file) => sum + file.bytes, 0)
    here.use(this.#reserveHere({ id, owner, bytes }))
    const announced = this.#shared === null ? null : await this.#reserveEverywhere(this.#shared, { id, owner, bytes })
    const held = here.move()
    return {
      [Symbol.asyncDispose]: async () => {
        held.dispose()
        await announced?.remove()
      },
    }
  }

  #reserveHere({ id, owner, bytes }: Room): Disposable {
    const reservation = this.#reservedById.get(id) ?? { owner, bytes, holders: 0 }
    this.#reservedById.set(id, reservation)
    reservation.holders += 1
    const release = () => {
      reservation.holders -= 1
      if (reservation.holders === 0) this.#reservedById.delete(id)
    }
    const refusal = reservation.holders === 1 ? this.#refusal(owner) : null
    if (refusal !== null) {
      release()
      throw refusal
    }
    return { [Symbol.dispose]: release }
  }

  /**
   * If processes reserve the same room at the same time, none may keep it: each releases it, and tries again after a
   * while.
   */
  async #reserveEverywhere(shared: SharedReservations, room: Room): Promise<Announced> {
    for (let tries = 1; ; tries += 1) {
      const announced = await shared.announce(room)
      const refusal = this.#refusal(room.owner, announced.others)
      if (refusal === null) return announced
      await announced.remove()
      if (this.#refusal(room.owner) !== null || tries === triesMax) throw refusal
      await setTimeout((this.#retryMs * (1 + Math.random())) / 2)
    }
  }

  /** @param others Reserved by other processes: bytes by dataset. */
  #refusal(owner: string, others: ReadonlyMap<string, number> = new Map()): ServiceError | null {
    const used = this.#store.usage(owner)
    const own = [...this.#reservedById].filter(([, one]) => one.owner === owner)
    const reserved = new Map([...others, ...own.map(([id, { bytes }]) => [id, bytes] as const)])
    // A dataset that has just been published is in both counts until its reservation is disposed.
    for (const id of reserved.keys()) if (this.#store.isCounted(id)) reserved.delete(id)
    const bytes = reserved.values().reduce((sum, one) => sum + one, 0)
    return this.#limited(used.bytes + bytes, used.datasets + reserved.size)
  }

  #limited(bytes: number, datasets: number): ServiceError | null {
    const { ownerBytesMax, ownerDatasetsMax } = this.#limits
    if (bytes > ownerBytesMax) return new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerBytesMax} bytes` })
    if (datasets > ownerDatasetsMax)
      return new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerDatasetsMax} datasets` })
    return null
  }
}
