// Kept copies: the status of each copy, stored beside its dataset, so that every process can show it. One object for each
// table: two processes that copy into different tables never replace the status of the other.
import { createHash } from 'node:crypto'
import type { CopyStatus, CopyTarget } from '../../core/copies/copy-status.ts'
import type { Published, Store } from '../../store/store.ts'

/** Tables of one dataset whose status is kept for each target; a copy into a further one is not shown after its end. */
const tablesMax = 100

export class KeptCopies {
  readonly #store: Pick<Store, 'keep' | 'kept' | 'keptNames'>

  constructor(store: Pick<Store, 'keep' | 'kept' | 'keptNames'>) {
    this.#store = store
  }

  /** Newest first. */
  async list(of: Published, targets: readonly CopyTarget[]): Promise<readonly CopyStatus[]> {
    const names = await Promise.all(targets.map(({ name }) => this.#store.keptNames(of, prefixOf(name))))
    const kept = await Promise.all([...new Set(names.flat())].map((name) => this.#store.kept(of, name)))
    // Only `keep` writes under these names.
    const found = kept.flatMap((one) => (one === null ? [] : [JSON.parse(one.toString()) as CopyStatus]))
    const shown = found.filter(({ to }) => targets.some(({ name }) => name === to))
    return shown.toSorted((a, b) => b.updatedAt - a.updatedAt)
  }

  /** Replaces an earlier copy into the same table. */
  async keep(of: Published, status: CopyStatus): Promise<void> {
    const prefix = prefixOf(status.to)
    const name = prefix + createHash('sha256').update(status.table).digest('hex').slice(0, 16)
    const names = await this.#store.keptNames(of, prefix)
    if (!names.includes(name) && names.length >= tablesMax) return
    await this.#store.keep(of, name, Buffer.from(JSON.stringify(status)))
  }
}

function prefixOf(target: string): string {
  return `copies-${target}-`
}
