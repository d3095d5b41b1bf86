// Memory objects: shared objects in memory, for tests of how several processes communicate.
import type { ListedShared, SharedObjects } from './store.ts'

interface Kept {
  readonly bytes: Buffer
  readonly version: string
  readonly changedAt: number
}

export class MemoryObjects implements SharedObjects {
  readonly byName = new Map<string, Kept>()
  /** The clock of the store. Epoch milliseconds. */
  now = 0
  /** Number of calls so far. */
  calls = 0

  async write(name: string, bytes: Uint8Array, before?: string | null): Promise<string | null> {
    this.calls += 1
    const seen = this.byName.get(name)?.version ?? null
    if (before !== undefined && before !== seen) return null
    const version = `${this.calls}`
    this.byName.set(name, { bytes: Buffer.from(bytes), version, changedAt: this.now })
    return version
  }

  async get(name: string): Promise<{ readonly bytes: Buffer; readonly version: string } | null> {
    this.calls += 1
    return this.byName.get(name) ?? null
  }

  async *list(prefix: string): AsyncGenerator<ListedShared> {
    this.calls += 1
    for (const [name, { version, changedAt }] of [...this.byName]) {
      if (name.startsWith(prefix)) yield { name, version, changedAt }
    }
  }

  async delete(names: readonly string[]): Promise<void> {
    this.calls += 1
    for (const name of names) this.byName.delete(name)
  }
}
