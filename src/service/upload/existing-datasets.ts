// Existing datasets: whether the dataset that an upload would make exists already, and is whole. Changes nothing.
import { isServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { storedFiles } from '../../core/stored-files.ts'
import type { Store } from '../../store/store.ts'
import type { VerifiedFiles } from '../dataset/verified-files.ts'

export type Existing = { readonly kind: 'none' | 'damaged' } | { readonly kind: 'whole'; readonly receipt: Receipt }

/** Datasets whose checksums are known to be right, at most: some 200 bytes each. */
const verifiedMax = 20_000

/**
 * An upload must not be answered as a duplicate while its dataset is damaged. Presence and sizes are checked every time;
 * the bytes are compared with their checksums the first time, and again after anything about the files has changed.
 */
export class ExistingDatasets {
  readonly #store: Store
  readonly #files: VerifiedFiles
  /** What the files looked like when they were last right, by dataset; oldest first. */
  readonly #verified = new Map<string, string>()

  constructor(store: Store, files: VerifiedFiles) {
    this.#store = store
    this.#files = files
  }

  /** @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED */
  async find(id: string): Promise<Existing> {
    try {
      const receipt = await this.#store.receipt(id)
      if (receipt === null) return { kind: 'none' }
      return (await this.#isWhole(receipt)) ? { kind: 'whole', receipt } : { kind: 'damaged' }
    } catch (error) {
      // Deleted meanwhile.
      if (isServiceError(error, 'DATASET_NOT_FOUND')) return { kind: 'none' }
      if (isServiceError(error, 'DATASET_DAMAGED')) return { kind: 'damaged' }
      throw error
    }
  }

  async #isWhole(receipt: Receipt): Promise<boolean> {
    const { id } = receipt
    if ((await this.#files.damagedFiles(receipt, 'sizes')).length > 0) return false
    const stamp = await this.#stampOf(receipt)
    if (stamp === null) return false
    if (this.#verified.get(id) === stamp) return true
    if ((await this.#files.damagedFiles(receipt, 'bytes')).length > 0) return false
    this.#verified.delete(id)
    this.#verified.set(id, stamp)
    const [oldest] = this.#verified.keys()
    if (this.#verified.size > verifiedMax && oldest !== undefined) this.#verified.delete(oldest)
    return true
  }

  /** Differs after whatever changes a file; null when one has just gone. */
  async #stampOf(receipt: Receipt): Promise<string | null> {
    const stamps = await Promise.all(storedFiles(receipt).map(({ file }) => this.#store.stamp(receipt.id, file)))
    return stamps.includes(null) ? null : stamps.map((stamp) => stamp?.version).join()
  }
}
