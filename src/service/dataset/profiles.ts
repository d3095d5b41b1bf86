// Profiles: the statistics of a dataset's columns, computed once and stored with it. Does not know how they are computed.

import type { Receipt } from '../../core/receipt.ts'
import type { ColumnStatistics, PartReader } from '../../engine/part-reader.ts'
import { SingleFlight } from '../../io/single-flight.ts'
import type { Store } from '../../store/store.ts'
import type { Profile } from '../service.ts'
import type { VerifiedFiles } from './verified-files.ts'

export interface ProfileTools {
  readonly store: Store
  readonly files: VerifiedFiles
  readonly reader: PartReader
}

/** Raise the number if the profile of the same dataset would change. */
const keptName = 'profile-2.json'

export class Profiles {
  readonly #tools: ProfileTools
  readonly #work = new SingleFlight<Profile>()

  constructor(tools: ProfileTools) {
    this.#tools = tools
  }

  async profile(receipt: Receipt, signal: AbortSignal): Promise<Profile> {
    const kept = await this.#tools.store.kept(receipt, keptName)
    // Only `#make` writes under this name.
    if (kept !== null) return JSON.parse(kept.toString()) as Profile
    return this.#work.run(receipt.id, (shared) => this.#make(receipt, shared), signal)
  }

  async #make(receipt: Receipt, signal: AbortSignal): Promise<Profile> {
    const { columns, records } = receipt
    const names = columns.map(({ name }) => name)
    const statistics = await this.#measure(receipt, names, signal)
    const profile = { num_examples: records.accepted, statistics, partial: false } as const
    // It can be computed again, so a failure to store it is no reason to withhold it.
    await this.#tools.store.keep(receipt, keptName, Buffer.from(JSON.stringify(profile))).catch(() => {})
    return profile
  }

  async #measure(receipt: Receipt, names: readonly string[], signal: AbortSignal) {
    const { parts } = receipt
    await using shared = await this.#tools.files.shareToRead(receipt, parts)
    const local: { path: string; records: number }[] = []
    for (const part of parts) local.push({ path: await shared.path(part), records: part.records })
    // Jobs start in this order: with the longest first, all readers finish at about the same time.
    const order = names.map((_, i) => i).sort((a, b) => weightOf(receipt, b) - weightOf(receipt, a))
    const wanted = order.map((i) => names[i] ?? '')
    const measured = await this.#tools.reader.measure(local, wanted, signal)
    const statistics: ColumnStatistics[] = []
    for (const [at, i] of order.entries()) statistics[i] = measured[at]!
    return statistics
  }
}

/** Relative cost of a column, by its type. */
function weightOf({ columns }: Receipt, index: number): number {
  const type = columns[index]?.type ?? ''
  if (type === 'boolean') return 0
  return type === 'integer' ? 1 : 2
}
