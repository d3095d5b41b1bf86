// Record marks: positions between the records of a file at which reading can start. Bounded: the larger the file, the further apart.
import type { Scanned } from '../../reading/scanner/scanner.ts'
import { RecordTally } from '../ingest/record-tally.ts'
import type { VerbatimRuns } from '../ingest/verbatim-runs.ts'

export interface RecordMark {
  /** Offset in the text of the file. */
  readonly byteOffset: number
  /** Physical lines before it. */
  readonly lines: number
  /** Records before it, of any kind. */
  readonly records: number
  readonly accepted: number
  readonly rejected: number
}

/** They take 40 KB: each is five numbers. */
const marksMax = 512
const firstDistanceBytes = 65_536

export class RecordMarks {
  #list: RecordMark[]
  #distanceBytes = firstDistanceBytes

  /** @param start The beginning of the records. */
  constructor(start: RecordMark) {
    this.#list = [start]
  }

  /** In file order; never changed. */
  get list(): readonly RecordMark[] {
    return [...this.#list]
  }

  add(mark: RecordMark): void {
    const last = this.#list.at(-1)
    if (last !== undefined && mark.byteOffset - last.byteOffset < this.#distanceBytes) return
    this.#list.push(mark)
    if (this.#list.length <= marksMax) return
    this.#list = this.#list.filter((_, index) => index % 2 === 0)
    this.#distanceBytes *= 2
  }
}

/** A tally that marks positions as it counts, and collects runs that stay unchanged. */
export class MarkingTally extends RecordTally {
  readonly marks: RecordMarks
  readonly #start: RecordMark
  readonly #isMarking: boolean
  readonly #runs: VerbatimRuns | null

  /**
   * @param isMarking False if reading can only begin at the start.
   * @param runs Gets all that is scanned.
   */
  constructor(
    start: Pick<RecordMark, 'byteOffset' | 'lines' | 'records'>,
    isMarking: boolean,
    runs: VerbatimRuns | null = null,
  ) {
    super()
    this.#runs = runs
    this.#isMarking = isMarking
    this.#start = { ...start, accepted: 0, rejected: 0 }
    this.marks = new RecordMarks(this.#start)
  }

  override add(scanned: Scanned): void {
    super.add(scanned)
    this.#runs?.add(scanned)
    // Records held back are consumed, but not counted yet.
    if (!this.#isMarking || (scanned.held ?? 0) > 0) return
    const { accepted, rejected, blank, skipped } = this
    const records = this.#start.records + accepted + rejected + blank + skipped
    this.marks.add({ byteOffset: scanned.consumedTo, lines: scanned.lines, records, accepted, rejected })
  }
}
