// Owned entries: what is remembered for owners, as lines of JSON in one file, across restarts. Bounded in number and bytes.
import { LineJournal } from '../../io/line-journal.ts'

interface Options<Entry> {
  /** Beyond this number, as beyond the limit of bytes, the oldest of the owner with the most are forgotten first. */
  readonly countMax: number
  /** An entry replaces an earlier one with the same id. */
  readonly idOf: (entry: Entry) => string
  readonly ownerOf: (entry: Entry) => string
  readonly isExpired: (entry: Entry) => boolean
}

/** Size limit of all lines: names may be long, and columns many. */
const bytesMax = 16 * 1_048_576
/** Forgotten entries stay in the file until it has this many spare bytes. */
const spareBytes = 4 * 1_048_576

export class OwnedEntries<Entry> implements AsyncDisposable {
  readonly #options: Options<Entry>
  /** Oldest first: that is the order in which they expire, too, unless a restart has changed how long they are kept. */
  readonly #byId = new Map<string, { readonly entry: Entry; readonly owner: string; readonly bytes: number }>()
  readonly #bytesBy = new Map<string, number>()
  #bytes = 0
  // Set by `open`, before the object is handed out.
  #journal!: LineJournal

  private constructor(options: Options<Entry>) {
    this.#options = options
  }

  /** @param path Of the file. */
  static async open<Entry>(path: string, options: Options<Entry>): Promise<OwnedEntries<Entry>> {
    const entries = new OwnedEntries(options)
    entries.#journal = await LineJournal.open(path, (lines) => {
      for (const line of lines) entries.#read(line)
      entries.#sweep()
      return entries.#lines()
    })
    return entries
  }

  /** Null if it is unknown. */
  get(id: string): Entry | null {
    this.#sweep()
    const entry = this.#byId.get(id)?.entry
    return entry === undefined || this.#options.isExpired(entry) ? null : entry
  }

  /** Oldest first; expired ones may be among them. */
  all(): readonly Entry[] {
    this.#sweep()
    return [...this.#byId.values()].map(({ entry }) => entry)
  }

  /** Remembers an entry from now on. Returns the line to write; null if it need not be remembered at all. */
  add(entry: Entry): string | null {
    const line = JSON.stringify(entry)
    this.#remember(entry, line)
    return this.#byId.has(this.#options.idOf(entry)) ? line : null
  }

  /** Forgets an entry. Returns the line to write; null if it is unknown. */
  remove(id: string): string | null {
    return this.#forget(id) ? JSON.stringify({ removed: id }) : null
  }

  /** Makes lines durable. */
  async write(lines: readonly string[]): Promise<void> {
    await Promise.all(lines.map((line) => this.#journal.add(line)))
    await this.#journal.replaceBeyond(2 * this.#bytes + spareBytes, () => this.#lines())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#journal[Symbol.asyncDispose]()
  }

  #read(line: string): void {
    // Our own lines; one that a disk has damaged is skipped.
    try {
      const read = JSON.parse(line) as Entry | { readonly removed: string }
      if (typeof read === 'object' && read !== null && 'removed' in read) this.#forget(read.removed)
      else this.#remember(read, line)
    } catch {}
  }

  #lines(): readonly string[] {
    return this.all().map((entry) => JSON.stringify(entry))
  }

  #remember(entry: Entry, line: string): void {
    const { countMax, idOf, ownerOf } = this.#options
    // Of a damaged line, these throw, before anything has changed.
    const [id, owner] = [idOf(entry), ownerOf(entry)]
    this.#forget(id)
    const bytes = Buffer.byteLength(line) + 1
    this.#byId.set(id, { entry, owner, bytes })
    this.#count(owner, bytes)
    while (this.#byId.size > countMax || this.#bytes > bytesMax) this.#forgetOne()
    this.#sweep()
  }

  /** Forgets expired ones up to the first that is not. */
  #sweep(): void {
    for (const [id, { entry }] of this.#byId) {
      if (!this.#options.isExpired(entry)) return
      this.#forget(id)
    }
  }

  /** The oldest of the owner that has the most. */
  #forgetOne(): void {
    const [most] = [...this.#bytesBy].reduce((most, one) => (one[1] > most[1] ? one : most))
    for (const [id, { owner }] of this.#byId) if (owner === most) return void this.#forget(id)
  }

  #forget(id: string): boolean {
    const one = this.#byId.get(id)
    if (one !== undefined) this.#count(one.owner, -one.bytes)
    return this.#byId.delete(id)
  }

  #count(owner: string, bytes: number): void {
    const held = (this.#bytesBy.get(owner) ?? 0) + bytes
    if (held === 0) this.#bytesBy.delete(owner)
    else this.#bytesBy.set(owner, held)
    this.#bytes += bytes
  }
}
