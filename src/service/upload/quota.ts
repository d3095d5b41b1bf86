// Quota: limits the datasets of one owner, including those about to be published. Knows no places.
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { storedFiles } from '../../core/stored-files.ts'
import type { Store } from '../../store/store.ts'

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

/** Used if there is no quota, as in most services: the store need not be asked. */
const nothingReserved: Disposable = { [Symbol.dispose]() {} }

export class Quota {
  readonly #limits: QuotaLimits
  readonly #store: Pick<Store, 'usage' | 'isCounted' | 'catchUp'>
  readonly #reservedById = new Map<string, Reservation>()
  readonly #isLimited: boolean

  constructor(limits: QuotaLimits, store: Pick<Store, 'usage' | 'isCounted' | 'catchUp'>) {
    const { ownerBytesMax, ownerDatasetsMax } = limits
    this.#isLimited = Math.min(ownerBytesMax, ownerDatasetsMax) < Number.POSITIVE_INFINITY
    this.#limits = limits
    this.#store = store
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
   * Reserves room for a dataset until disposed, beside everything published before. The check and the publish are some
   * time apart: meanwhile no other upload of the owner to this process can take the room.
   * @throws {ServiceError} QUOTA_EXCEEDED, STORE_UNAVAILABLE, STORE_FAILED
   */
  async reserve(receipt: Receipt): Promise<Disposable> {
    if (!this.#isLimited) return nothingReserved
    await this.#store.catchUp()
    const { id, owner } = receipt
    const bytes = storedFiles(receipt).reduce((sum, file) => sum + file.bytes, 0)
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

  #refusal(owner: string): ServiceError | null {
    const used = this.#store.usage(owner)
    // A dataset that has just been published is in both counts until its reservation is disposed.
    const reserved = [...this.#reservedById].filter(([id, one]) => one.owner === owner && !this.#store.isCounted(id))
    const bytes = reserved.reduce((sum, [, one]) => sum + one.bytes, 0)
    return this.#limited(used.bytes + bytes, used.datasets + reserved.length)
  }

  #limited(bytes: number, datasets: number): ServiceError | null {
    const { ownerBytesMax, ownerDatasetsMax } = this.#limits
    if (bytes > ownerBytesMax) return new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerBytesMax} bytes` })
    if (datasets > ownerDatasetsMax)
      return new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerDatasetsMax} datasets` })
    return null
  }
}
