// Quota: what the datasets of one owner may come to, with those that are about to be published. Knows no places.
import { ServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { storedFiles } from '../../core/stored-files.ts'
import type { Store } from '../../store/store.ts'

export interface QuotaLimits {
  /** What the stored files of one owner may come to; Infinity for any number of bytes. */
  readonly ownerBytesMax: number
  /** Datasets of one owner; Infinity for any number. */
  readonly ownerDatasetsMax: number
}

/** Room for one dataset, and by how many uploads of the same bytes it is held. */
interface Reservation {
  readonly owner: string
  readonly bytes: number
  holders: number
}

export class Quota {
  readonly #limits: QuotaLimits
  readonly #store: Pick<Store, 'usage' | 'isCounted'>
  readonly #reservedById = new Map<string, Reservation>()

  constructor(limits: QuotaLimits, store: Pick<Store, 'usage' | 'isCounted'>) {
    this.#limits = limits
    this.#store = store
  }

  /** Whether an upload of so many bytes could be kept now. @throws {ServiceError} QUOTA_EXCEEDED */
  check(owner: string, bytes: number): void {
    const used = this.#store.usage(owner)
    this.#limit(used.bytes + bytes, used.datasets + 1)
  }

  /**
   * Reserves room for a dataset until disposed: between the check and the publish, which takes time, no other upload of the
   * owner can take it. @throws {ServiceError} QUOTA_EXCEEDED
   */
  reserve(receipt: Receipt): Disposable {
    const { id } = receipt
    const reservation = this.#reservedById.get(id) ?? this.#take(receipt)
    reservation.holders += 1
    this.#reservedById.set(id, reservation)
    return {
      [Symbol.dispose]: () => {
        reservation.holders -= 1
        if (reservation.holders === 0) this.#reservedById.delete(id)
      },
    }
  }

  #take(receipt: Receipt): Reservation {
    const { owner } = receipt
    const bytes = storedFiles(receipt).reduce((sum, file) => sum + file.bytes, 0)
    const used = this.#store.usage(owner)
    // One that has just been published is in both counts until its reservation is disposed.
    const others = [...this.#reservedById].filter(([id, one]) => one.owner === owner && !this.#store.isCounted(id))
    const reservedBytes = others.reduce((sum, [, one]) => sum + one.bytes, 0)
    this.#limit(used.bytes + reservedBytes + bytes, used.datasets + others.length + 1)
    return { owner, bytes, holders: 0 }
  }

  #limit(bytes: number, datasets: number): void {
    const { ownerBytesMax, ownerDatasetsMax } = this.#limits
    if (bytes > ownerBytesMax) throw new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerBytesMax} bytes` })
    if (datasets > ownerDatasetsMax) throw new ServiceError('QUOTA_EXCEEDED', { limit: `${ownerDatasetsMax} datasets` })
  }
}
