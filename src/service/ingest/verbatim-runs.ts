// Verbatim runs: the long ranges of a text in which accepted records stay unchanged. Bounded: later ones are omitted.
import type { Dialect, VerbatimRun } from '../../core/receipt.ts'
import type { Reading } from '../../reading/reading.ts'
import type { ScanResult } from '../../reading/scanner/scanner.ts'

/** Runs that a receipt lists, some 25 bytes each. */
const runsMax = 64
/** A shorter run saves less than a millisecond. */
const runBytesMin = 1_048_576

export interface RunLimits {
  readonly runsMax: number
  readonly runBytesMin: number
}

/** Collects runs. A scanner can start at the beginning and at the end of each. */
export class VerbatimRuns {
  readonly #list: VerbatimRun[] = []
  readonly #lineTerminator: Dialect['lineTerminator']
  readonly #isUtf8: boolean
  readonly #limits: RunLimits
  /** Start of the current run, and end of what was scanned. */
  #start: number
  #end: number

  /** @param byteOffset Offset of the first record. */
  constructor(
    byteOffset: number,
    { dialect, encoding }: Pick<Reading, 'dialect' | 'encoding'>,
    limits: RunLimits = { runsMax, runBytesMin },
  ) {
    this.#lineTerminator = dialect.lineTerminator
    this.#isUtf8 = encoding.name === 'utf-8'
    this.#limits = limits
    this.#start = byteOffset
    this.#end = byteOffset
  }

  /** Call for everything scanned, in order. */
  add(scanned: ScanResult): void {
    if (!this.#isAsItStands(scanned)) {
      this.#endRun()
      this.#start = scanned.consumedTo
    }
    this.#end = scanned.consumedTo
  }

  /** In file order. Call once, at the end. */
  list(): readonly VerbatimRun[] {
    this.#endRun()
    return this.#list
  }

  /** Every line end must be that of the file, as in `csv/csv-rewriter.ts`, including those in values. */
  #isAsItStands({ isVerbatim, hasReturn = true, hasLoneFeed = true }: ScanResult): boolean {
    if (!isVerbatim || !this.#isUtf8) return false
    if (this.#lineTerminator === '\n') return !hasReturn
    return this.#lineTerminator === '\r\n' && !hasLoneFeed
  }

  #endRun(): void {
    const { runsMax, runBytesMin } = this.#limits
    const [start, end] = [this.#start, this.#end]
    if (end - start >= runBytesMin && this.#list.length < runsMax) this.#list.push([start, end])
    this.#start = end
  }
}
