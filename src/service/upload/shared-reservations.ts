// Shared reservations: room for datasets that the processes on one store are about to publish, as objects that all of them see. Knows no limit.
import { randomUUID } from 'node:crypto'
import type { SharedObjects, Store } from '../../store/store.ts'

/** An older reservation was left by a process that has died. By the clock of the store. Milliseconds. */
const keptMsMax = 3_600_000

/** Room for a dataset that is about to be published. */
export interface Room {
  readonly owner: string
  readonly id: string
  readonly bytes: number
}

/** A reservation that other processes see. */
export interface Announced {
  /** Reserved by other processes for the owner: bytes by dataset. */
  readonly others: ReadonlyMap<string, number>
  /** Never rejects: a reservation that cannot be removed is ignored after an hour. */
  remove(): Promise<void>
}

/**
 * Each process writes its own reservations before it reads those of others. So if two reserve at the same time, at
 * least one sees the other.
 */
export class SharedReservations {
  readonly #shared: SharedObjects
  readonly #store: Pick<Store, 'catchUp'>
  /** Identifies this process. */
  readonly #mark = randomUUID()
  #count = 0

  constructor(shared: SharedObjects, store: Pick<Store, 'catchUp'>) {
    this.#shared = shared
    this.#store = store
  }

  /**
   * Once it resolves, every dataset published before is either counted by the store or in `others`.
   * @throws {ServiceError} STORE_UNAVAILABLE, STORE_FAILED
   */
  async announce({ owner, id, bytes }: Room): Promise<Announced> {
    const prefix = `reserved/o${Buffer.from(owner).toString('base64url')}/`
    this.#count += 1
    const name = `${prefix}${this.#mark}/${this.#count}-${id}-${bytes}`
    const remove = () => this.#shared.delete([name]).catch(() => {})
    try {
      await this.#shared.write(name, nothing)
      const others = await this.#readOthers(prefix, name)
      // Refreshed afterwards: a reservation is removed only once its dataset is counted.
      await this.#store.catchUp()
      return { others, remove }
    } catch (error) {
      await remove()
      throw error
    }
  }

  async #readOthers(prefix: string, own: string): Promise<ReadonlyMap<string, number>> {
    const listed = await Array.fromAsync(this.#shared.list(prefix))
    const now = listed.find(({ name }) => name === own)?.changedAt ?? 0
    const old = listed.filter(({ changedAt }) => changedAt < now - keptMsMax)
    if (old.length > 0) await this.#shared.delete(old.map(({ name }) => name)).catch(() => {})
    const others = new Map<string, number>()
    for (const { name, changedAt } of listed) {
      const [, mark, id = '', bytes] = /\/([\w-]+)\/\d+-([0-9a-f]+)-(\d+)$/.exec(name) ?? []
      if (mark !== undefined && mark !== this.#mark && changedAt >= now - keptMsMax) others.set(id, Number(bytes))
    }
    return others
  }
}

const nothing = Buffer.alloc(0)
