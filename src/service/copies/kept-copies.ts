// Kept copies: the status of each copy, stored beside its dataset, so that every process can show it.
import type { CopyStatus, CopyTarget } from '../../core/copies/copy-status.ts'
import { KeyedMutex } from '../../io/keyed-mutex.ts'
import type { Store } from '../../store/store.ts'

/** Tables kept per target: the most recently copied ones. */
const copiesMax = 100

export class KeptCopies {
  readonly #store: Pick<Store, 'keep' | 'kept'>
  readonly #writing = new KeyedMutex()

  constructor(store: Pick<Store, 'keep' | 'kept'>) {
    this.#store = store
  }

  /** Newest first. */
  async list(datasetId: string, targets: readonly CopyTarget[]): Promise<readonly CopyStatus[]> {
    const lists = await Promise.all(targets.map(({ name }) => this.#read(datasetId, name)))
    return lists.flat().toSorted((a, b) => b.updatedAt - a.updatedAt)
  }

  /** Replaces an earlier copy into the same table. */
  async keep(datasetId: string, status: CopyStatus): Promise<void> {
    await this.#writing.take(datasetId, async () => {
      const others = (await this.#read(datasetId, status.to)).filter(({ table }) => table !== status.table)
      const bytes = Buffer.from(JSON.stringify([status, ...others].slice(0, copiesMax)))
      await this.#store.keep({ id: datasetId }, nameOf(status.to), bytes)
    })
  }

  async #read(datasetId: string, target: string): Promise<readonly CopyStatus[]> {
    const kept = await this.#store.kept({ id: datasetId }, nameOf(target))
    // Only `keep` writes under this name.
    return kept === null ? [] : (JSON.parse(kept.toString()) as readonly CopyStatus[])
  }
}

function nameOf(target: string): string {
  return `copies-${target}.json`
}
