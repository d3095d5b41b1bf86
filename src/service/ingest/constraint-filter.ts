// Constraint filter: a scanner that rejects readable records, which it is told of from a list as long as the file. Keeps little of it.
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { Scanned, ScannedReject, Scanner } from '../../reading/scanner/scanner.ts'
import type { Exclusion } from './violations.ts'

/** So many bytes are scanned at once: any two may be a record, whose drop has to be in memory by then. Four times as many took 140 MB more. */
const stepBytes = 16_384

/**
 * Scans with records left out. Push only what `steps` gives: it tells the scanner in time which records are to be rejected.
 * Never more drops are in memory than records fit into the bytes that are not settled yet.
 */
export class ConstraintFilter {
  readonly #scanner: Scanner
  readonly #drops: AsyncIterator<Exclusion>
  /** Told to the scanner, not seen again yet. */
  readonly #told: Exclusion[] = []
  /** Read, but not to be told yet. */
  #next: Exclusion | null = null
  #isThrough = false
  /** Readable records settled so far, dropped ones too. */
  #readable = 0
  /** Offsets in the original: what was pushed, what is settled. */
  #pushedTo: number
  #settledTo: number

  /** @param drops Ascending. @param startOffset Where the first byte pushed stands in the original. */
  constructor(scanner: Scanner, exclusions: AsyncIterable<Exclusion>, startOffset: number) {
    this.#scanner = scanner
    this.#drops = exclusions[Symbol.asyncIterator]()
    this.#pushedTo = startOffset
    this.#settledTo = startOffset
  }

  /** The same bytes in small steps, each after the drops in it are told. */
  async *steps(chunks: AsyncIterable<readonly BorrowedBytes[]>): AsyncGenerator<readonly BorrowedBytes[]> {
    try {
      for await (const slices of chunks) {
        for (const slice of slices) {
          for (let from = 0; from < slice.length; from += stepBytes) {
            const step = slice.subarray(from, from + stepBytes)
            await this.#tell(step.length)
            yield [step]
          }
        }
      }
    } finally {
      await this.#drops.return?.()
    }
  }

  push(chunk: BorrowedBytes): Scanned {
    this.#pushedTo += chunk.length
    return this.#count(this.#scanner.push(chunk))
  }

  end(): Scanned {
    const last = this.#count(this.#scanner.end())
    if (this.#told.length > 0 || this.#next !== null)
      throw new Error('Cannot reject records: not all of them were found')
    return last
  }

  async #tell(bytes: number): Promise<void> {
    // A readable record has two bytes at least.
    const last = this.#readable + Math.ceil((this.#pushedTo + bytes - this.#settledTo) / 2)
    const ordinals: number[] = []
    while (!this.#isThrough) {
      this.#next ??= await this.#read()
      if (this.#next === null || this.#next.ordinal > last) break
      ordinals.push(this.#next.ordinal)
      this.#told.push(this.#next)
      this.#next = null
    }
    if (ordinals.length > 0) this.#scanner.exclude(ordinals)
  }

  async #read(): Promise<Exclusion | null> {
    const next = await this.#drops.next()
    if (next.done) this.#isThrough = true
    return next.done ? null : next.value
  }

  #count(scanned: Scanned): Scanned {
    let excluded = 0
    const rejects = scanned.rejects.map((reject): ScannedReject => {
      if (reject.reason !== 'constraint') return reject
      const exclude = this.#told[excluded++]
      if (exclude?.ordinal !== reject.detail) throw new Error('Cannot reject records: they come in another order')
      return { ...reject, column: exclude.column, message: exclude.message }
    })
    this.#told.splice(0, excluded)
    this.#readable += scanned.accepted + excluded
    this.#settledTo = scanned.consumedTo
    return { ...scanned, rejects }
  }
}
