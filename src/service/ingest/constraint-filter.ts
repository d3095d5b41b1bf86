// Constraint filter: a scanner that rejects readable records by a list that may be as long as the file. Keeps little of the list in memory.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import type { ScannedReject, Scanner, ScanResult } from '../../reading/scanner/scanner.ts'
import { type Exclusion, ExclusionList, type Exclusions } from './exclusions.ts'

/**
 * Bytes scanned at once: any two of them may be a record, whose exclusion must then be in memory. Four times as many
 * took 140 MB more.
 */
const stepBytes = 16_384
/** Where so few records of a step are excluded, the next may be longer: each step costs some 15 µs. */
const sparseStepBytes = 65_536
const sparseMax = 256

/**
 * Scans with records excluded. Push only slices from `steps`, which passes exclusions on to the scanner in time. There
 * are never more exclusions in memory than records fit into the bytes not consumed yet.
 */
export class ConstraintFilter {
  readonly #scanner: Scanner
  readonly #exclusions: ExclusionList
  /** Passed on to the scanner, but not reached yet. */
  readonly #announced: Exclusion[] = []
  #isSparse = false
  /** Readable records returned so far, including excluded ones. */
  #readable = 0
  /** Readable records consumed after those, which the scanner holds back. */
  #held = 0
  /** Offsets in the original: of what was pushed, and of what was consumed. */
  #pushedTo: number
  #consumedTo: number
  readonly #before: number

  /**
   * @param startOffset Where the first byte pushed is in the original.
   * @param before Number of readable records before it.
   */
  constructor(scanner: Scanner, exclusions: Exclusions, startOffset: number, before = 0) {
    this.#scanner = scanner
    this.#before = before
    this.#exclusions = new ExclusionList(exclusions)
    this.#pushedTo = startOffset
    this.#consumedTo = startOffset
  }

  /** The same bytes in small steps, each after its exclusions are passed on. */
  async *steps(chunks: AsyncIterable<readonly BorrowedBytes[]>): AsyncGenerator<readonly BorrowedBytes[]> {
    await using exclusions = this.#exclusions
    for await (const slices of chunks) {
      for (const slice of slices) {
        for (let from = 0; from < slice.length; ) {
          const step = slice.subarray(from, from + (this.#isSparse ? sparseStepBytes : stepBytes))
          from += step.length
          this.#pushedTo += step.length
          // A readable record has at least two bytes.
          const last = this.#readable + this.#held + Math.ceil((this.#pushedTo - this.#consumedTo) / 2)
          for await (const some of exclusions.upTo(this.#before + last)) {
            this.#announced.push(...some)
            this.#scanner.exclude(some.map(({ ordinal }) => ordinal - this.#before))
          }
          yield [step]
        }
      }
    }
  }

  push(chunk: BorrowedBytes): ScanResult {
    return this.#count(this.#scanner.push(chunk))
  }

  end(): ScanResult {
    const last = this.#count(this.#scanner.end())
    if (this.#announced.length > 0 || this.#exclusions.hasLeft)
      throw new Error('Cannot exclude records: not all of them were found')
    return last
  }

  #count(scanned: ScanResult): ScanResult {
    let excluded = 0
    const rejects = scanned.rejects.map((reject): ScannedReject => {
      if (!isExcluded(reject)) return reject
      const exclude = this.#announced[excluded++]
      const detail = this.#before + reject.detail
      if (exclude?.ordinal !== detail) throw new Error('Cannot exclude records: they come in another order')
      return { ...reject, detail, column: exclude.column, ownMessage: exclude.message }
    })
    this.#announced.splice(0, excluded)
    this.#isSparse = excluded < sparseMax
    this.#readable += scanned.accepted + excluded
    this.#held = scanned.held ?? 0
    this.#consumedTo = scanned.consumedTo
    return { ...scanned, rejects }
  }
}
