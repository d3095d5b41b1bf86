// Constraint filter: a scanner that rejects readable records by a list that may be as long as the file. Keeps little of the list in memory.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import { isExcluded } from '../../core/reject-reasons.ts'
import type { ScannedReject, Scanner, ScanResult } from '../../reading/scanner/scanner.ts'
import type { Exclusion } from './violations.ts'

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
  readonly #exclusions: AsyncIterator<Exclusion>
  /** Passed on to the scanner, but not reached yet. */
  readonly #announced: Exclusion[] = []
  /** Read, but not passed on yet. */
  #next: Exclusion | null = null
  #isThrough = false
  #isSparse = false
  /** Readable records returned so far, including excluded ones. */
  #readable = 0
  /** Readable records consumed after those, which the scanner holds back. */
  #held = 0
  /** Offsets in the original: of what was pushed, and of what was consumed. */
  #pushedTo: number
  #consumedTo: number

  /** @param exclusions Ascending. @param startOffset Where the first byte pushed is in the original. */
  constructor(scanner: Scanner, exclusions: AsyncIterable<Exclusion>, startOffset: number) {
    this.#scanner = scanner
    this.#exclusions = exclusions[Symbol.asyncIterator]()
    this.#pushedTo = startOffset
    this.#consumedTo = startOffset
  }

  /** The same bytes in small steps, each after its exclusions are passed on. */
  async *steps(chunks: AsyncIterable<readonly BorrowedBytes[]>): AsyncGenerator<readonly BorrowedBytes[]> {
    try {
      for await (const slices of chunks) {
        for (const slice of slices) {
          for (let from = 0; from < slice.length; ) {
            const step = slice.subarray(from, from + (this.#isSparse ? sparseStepBytes : stepBytes))
            from += step.length
            await this.#announce(step.length)
            yield [step]
          }
        }
      }
    } finally {
      await this.#exclusions.return?.()
    }
  }

  push(chunk: BorrowedBytes): ScanResult {
    this.#pushedTo += chunk.length
    return this.#count(this.#scanner.push(chunk))
  }

  end(): ScanResult {
    const last = this.#count(this.#scanner.end())
    if (this.#announced.length > 0 || this.#next !== null)
      throw new Error('Cannot exclude records: not all of them were found')
    return last
  }

  async #announce(bytes: number): Promise<void> {
    // A readable record has at least two bytes.
    const last = this.#readable + this.#held + Math.ceil((this.#pushedTo + bytes - this.#consumedTo) / 2)
    const ordinals: number[] = []
    while (!this.#isThrough) {
      this.#next ??= await this.#read()
      if (this.#next === null || this.#next.ordinal > last) break
      ordinals.push(this.#next.ordinal)
      this.#announced.push(this.#next)
      this.#next = null
    }
    if (ordinals.length > 0) this.#scanner.exclude(ordinals)
  }

  async #read(): Promise<Exclusion | null> {
    const next = await this.#exclusions.next()
    if (next.done) this.#isThrough = true
    return next.done ? null : next.value
  }

  #count(scanned: ScanResult): ScanResult {
    let excluded = 0
    const rejects = scanned.rejects.map((reject): ScannedReject => {
      if (!isExcluded(reject)) return reject
      const exclude = this.#announced[excluded++]
      if (exclude?.ordinal !== reject.detail) throw new Error('Cannot exclude records: they come in another order')
      return { ...reject, column: exclude.column, ownMessage: exclude.message }
    })
    this.#announced.splice(0, excluded)
    this.#isSparse = excluded < sparseMax
    this.#readable += scanned.accepted + excluded
    this.#held = scanned.held ?? 0
    this.#consumedTo = scanned.consumedTo
    return { ...scanned, rejects }
  }
}
