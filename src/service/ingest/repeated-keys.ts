// Repeated keys: which records of a file repeat the key of an earlier one, and on which lines those are. Knows no values.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Converter, KeyOptions, Repeats } from '../../columns/converter.ts'
import type { DeclaredKey, RecordPlace } from '../../core/declared-values.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import type { ScanResult } from '../../reading/scanner/scanner.ts'
import type { Exclusions } from './exclusions.ts'

const nowhere: RecordPlace = { byteOffset: 0, byteLength: 0, lineEndBytes: 0 }

/** Its files are in a directory that is removed with all else. */
export class RepeatedKeys {
  readonly keys: readonly DeclaredKey[]
  readonly #dir: string
  readonly #secret: KeyOptions['secret']
  /** Of each segment. */
  readonly #records: number[] = []
  #repeats: Repeats | null = null
  /** Of the first records with keys that are repeated; 0 while it is unknown. */
  #lines = new Float64Array(0)

  constructor(dir: string, keys: readonly DeclaredKey[]) {
    this.#dir = dir
    this.keys = keys
    const [low = 0n, high = 0n] = new BigInt64Array(new Uint8Array(randomBytes(16)).buffer)
    this.#secret = [low, high]
  }

  /** For the conversion of a segment: once they are found, its records that repeat a key are left out. */
  options(index: number, records: number): { readonly keys?: KeyOptions } {
    const areFound = this.#repeats !== null
    if (this.keys.length === 0 || (areFound && !this.isAffected(index))) return {}
    this.#records[index] = records
    const columns = this.keys.map((key) => key.columns)
    return { keys: { columns, secret: this.#secret, path: this.#path(index), areFound } }
  }

  isAffected(index: number): boolean {
    return (this.#repeats?.counts[index] ?? 0) > 0
  }

  get areRepeated(): boolean {
    return this.#lines.length > 0
  }

  /** Call it after all segments were converted. */
  async find(converter: Pick<Converter, 'findRepeats'>, signal: AbortSignal): Promise<void> {
    if (this.keys.length === 0) return
    let records = 0
    const segments = this.#records.map((count, index) => {
      records += count
      return { path: this.#path(index), before: records - count }
    })
    this.#repeats = await converter.findRepeats({ segments }, signal)
    this.#lines = new Float64Array(this.#repeats.firsts.length)
  }

  /**
   * The first records with keys that later ones repeat, as if they were to be excluded: then the scanner says where they
   * are, but for the offset. The message is a number for `add`.
   */
  async *firsts(): Exclusions {
    const { firsts = new Float64Array(0) } = this.#repeats ?? {}
    for (const [i, ordinal] of firsts.entries())
      if (ordinal !== firsts[i - 1]) yield [{ ordinal, column: null, message: `${i}`, place: nowhere }]
  }

  /** Notes the lines of `firsts`, from a scan that excludes them. */
  add({ rejects }: ScanResult): void {
    for (const { line, ownMessage } of rejects.filter(isExcluded)) this.#lines[Number(ownMessage)] = line
  }

  /** The line of one of `firsts`; 0 if it is unknown. */
  lineOf(ordinal: number): number {
    const { firsts = [] } = this.#repeats ?? {}
    let [low, high] = [0, firsts.length]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (firsts[middle]! < ordinal) low = middle + 1
      else high = middle
    }
    return this.#lines[low] ?? 0
  }

  #path(index: number): string {
    return join(this.#dir, `keys-${String(index).padStart(5, '0')}`)
  }
}
