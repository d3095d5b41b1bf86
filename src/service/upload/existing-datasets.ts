// Existing datasets: whether the dataset that an upload would make already exists and is intact. Changes nothing.
import { isServiceError } from '../../core/errors.ts'
import type { Receipt } from '../../core/receipt.ts'
import { storedFiles } from '../../core/stored-files.ts'
import type { DatasetVersion, Store } from '../../store/store.ts'
import type { VerifiedFiles } from '../dataset/verified-files.ts'

export type DatasetLookup =
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly publish: DatasetVersion }
  | { readonly kind: 'whole'; readonly receipt: Receipt }

/** Number of datasets remembered as intact: some 200 bytes each. */
const verifiedMax = 20_000

/**
 * An upload must not be answered as a duplicate while its dataset is damaged. Presence and sizes are checked every time;
 * the bytes are compared with their checksums the first time, and again after anything about the files has changed.
 */
export class ExistingDatasets {
  readonly #store: Store
  readonly #files: VerifiedFiles
  /** Stamps of the files when they were last intact, by dataset; oldest first. */
  readonly #verified = new Map<string, string>()

  constructor(store: Store, files: VerifiedFiles) {
    this.#store = store
    this.#files = files
  }

  /**
   * What is found holds for one publish, whose age then counts from now: it does not expire while an upload of its
   * bytes ends. @throws {ServiceError} STORE_UNAVAILABLE, TOO_MANY_OPEN_FILES, STORE_FAILED
   */
  async find(id: string): Promise<DatasetLookup> {
    for (;;) {
      const publish = await this.#store.published(id)
      if (publish === null) return { kind: 'none' }
      const found = await this.#look(publish)
      // Otherwise it was removed or replaced meanwhile: what there is now counts.
      if (await this.#store.renew(publish)) return found
    }
  }

  async #look(publish: DatasetVersion): Promise<DatasetLookup> {
    try {
      const receipt = await this.#store.receipt(publish.id)
      if (receipt !== null && (await this.#isWhole(receipt))) return { kind: 'whole', receipt }
    } catch (error) {
      if (!isServiceError(error, 'DATASET_NOT_FOUND') && !isServiceError(error, 'DATASET_DAMAGED')) throw error
    }
    return { kind: 'damaged', publish }
  }

  async #isWhole(receipt: Receipt): Promise<boolean> {
    const { id } = receipt
    const files = storedFiles(receipt)
    const stamps = await Promise.all(files.map(({ file }) => this.#store.stamp(receipt, file)))
    if (stamps.some((stamp, i) => stamp?.bytes !== files[i]?.bytes)) return false
    // Differs after any change of a file.
    const stamp = stamps.map((one) => one?.version).join()
    if (this.#verified.get(id) === stamp) return true
    for (const file of files) if (!(await this.#files.isIntact(receipt, file))) return false
    this.#verified.delete(id)
    this.#verified.set(id, stamp)
    const [oldest] = this.#verified.keys()
    if (this.#verified.size > verifiedMax && oldest !== undefined) this.#verified.delete(oldest)
    return true
  }
}
