// Repeated keys: which records of a file repeat the key of an earlier one, and on which lines those are. Knows no values.
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Converter, KeyOptions, Repeats } from '../../convert/convert.ts'
import type { DeclaredKey } from '../../core/declared-values.ts'
import type { Scanned } from '../../reading/scanner/scanner.ts'
import { RecordTally } from './record-tally.ts'
import type { Exclusion } from './violations.ts'

/** The first record with a key that later ones repeat, as if it were to be excluded: then the scanner says where it is. */
export interface Holder extends Exclusion {
  readonly slot: number
}

const holderBytes = 12
const readHolders = 8_192

/** Its files are in a directory that is removed with all else. */
export class RepeatedKeys {
  readonly keys: readonly DeclaredKey[]
  readonly #dir: string
  readonly #secret: KeyOptions['secret']
  #repeats: Repeats | null = null
  /** By slot; 0 while it is unknown. */
  lines = new Float64Array(0)

  constructor(dir: string, keys: readonly DeclaredKey[]) {
    this.#dir = dir
    this.keys = keys
    const [low = 0n, high = 0n] = new BigInt64Array(new Uint8Array(randomBytes(16)).buffer)
    this.#secret = [low, high]
  }

  /** For the conversion of a segment: once they are found, its records that repeat a key are left out. */
  options(index: number): { readonly keys?: KeyOptions } {
    if (this.keys.length === 0) return {}
    const columns = this.keys.map((key) => key.columns)
    const shared = { columns, secret: this.#secret }
    if (this.#repeats === null) return { keys: { ...shared, path: this.#path(index) } }
    const repeated = this.#repeats.segments[index] ?? { from: 0, count: 0 }
    return { keys: { ...shared, path: join(this.#dir, 'repeated'), repeated } }
  }

  isAffected(index: number): boolean {
    return this.#repeats?.segments[index] !== undefined
  }

  /** Call it after all segments were converted. Returns whether records repeat a key. */
  async find(
    converter: Pick<Converter, 'findRepeats'>,
    segmentRecords: readonly number[],
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.keys.length === 0) return false
    const paths = segmentRecords.map((_, index) => this.#path(index))
    const records = segmentRecords.reduce((sum, count) => sum + count, 0)
    const job = { paths, records, repeatedPath: join(this.#dir, 'repeated'), holdersPath: join(this.#dir, 'holders') }
    this.#repeats = await converter.findRepeats(job, signal)
    this.lines = new Float64Array(this.#repeats.slots)
    return this.#repeats.segments.length > 0
  }

  /** In the order of the file; a record with several keys comes as often. */
  async *holders(segmentRecords: readonly number[]): AsyncGenerator<Holder> {
    await using file = await open(join(this.#dir, 'holders'))
    let [segment, before] = [0, 0]
    for await (const chunk of file.createReadStream({ highWaterMark: holderBytes * readHolders, autoClose: false })) {
      for (let at = 0; at < chunk.length; at += holderBytes) {
        for (; segment < chunk.readUInt32LE(at); segment++) before += segmentRecords[segment] ?? 0
        const ordinal = before + chunk.readUInt32LE(at + 4)
        yield { ordinal, column: null, message: '', slot: chunk.readUInt32LE(at + 8) }
      }
    }
  }

  #path(index: number): string {
    return join(this.#dir, `keys-${String(index).padStart(5, '0')}`)
  }
}

/** Notes on which lines records are that a scanner excludes. */
export class LineTally extends RecordTally {
  readonly #lines: Float64Array
  readonly #awaited: { readonly ordinal: number; readonly slots: number[] }[] = []

  /** @param lines By slot. */
  constructor(lines: Float64Array) {
    super()
    this.#lines = lines
  }

  /** The same records, one by one; they are awaited from then on. */
  async *awaiting(holders: AsyncIterable<Holder>): AsyncGenerator<Exclusion> {
    for await (const holder of holders) {
      const last = this.#awaited.at(-1)
      if (last?.ordinal === holder.ordinal) last.slots.push(holder.slot)
      else {
        this.#awaited.push({ ordinal: holder.ordinal, slots: [holder.slot] })
        yield holder
      }
    }
  }

  override add({ rejects }: Scanned): void {
    for (const { reason, line } of rejects) {
      if (reason !== 'constraint') continue
      for (const slot of this.#awaited.shift()?.slots ?? []) this.#lines[slot] = line
    }
  }
}
