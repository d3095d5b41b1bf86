// Corrector: replaces rejects with corrected records while a file is scanned. Keeps one text and few numbers in memory.
import type { Correction } from '../../core/receipt.ts'
import { Peekable } from '../../io/peekable.ts'
import { nothingScanned, type ScanResult } from '../../reading/scanner/scanner.ts'
import type { ReadRecord } from './record-of-text.ts'

/** Texts are passed on in batches of at least this many bytes. */
const heldBytesMax = 1_048_576

/** The numbers of corrected records among all readable ones of the corrected file, from 1, ascending. */
export interface CorrectedOrdinals {
  readonly all: number[]
  /** The numbers of those that are not readable in the original. */
  readonly added: number[]
}

/** One pass over a file. Its scanner must mark rejects, and reject every record that is corrected. */
export class Corrector implements AsyncDisposable {
  /** Numbers of the records corrected so far. Valid only if no other readable records were rejected. */
  readonly ordinals: CorrectedOrdinals = { all: [], added: [] }
  readonly #corrections: Peekable<Correction>
  readonly #readRecord: ReadRecord
  /** Number of records corrected so far that are not readable in the original. */
  #added = 0

  /** @param corrections In file order. */
  constructor(corrections: AsyncIterable<Correction>, readRecord: ReadRecord) {
    this.#corrections = new Peekable(corrections)
    this.#readRecord = readRecord
  }

  /** The same slices with corrected records in place, in several batches if the texts are long. */
  async *correct(scanned: ScanResult): AsyncGenerator<ScanResult> {
    const { rejects } = scanned
    if (rejects.length === 0 || (await this.#corrections.peek()) === null) return yield scanned
    let pieces: Uint8Array[] = []
    let from = 0
    let corrected = 0
    let heldBytes = 0
    const kept: (typeof rejects)[number][] = []
    for (const reject of rejects) {
      const correction = await this.#corrections.peek()
      if (correction?.record !== reject.record) {
        kept.push(reject)
        continue
      }
      if (heldBytes > heldBytesMax) {
        yield { ...nothingScanned(scanned), pieces, accepted: corrected }
        pieces = []
        corrected = 0
        heldBytes = 0
      }
      const { mark } = reject
      if (mark === undefined) throw new Error('Cannot correct records: their positions are not marked')
      const record = this.#recordOf(correction, reject)
      for (const piece of scanned.pieces.slice(from, mark.pieces)) pieces.push(piece)
      pieces.push(...record)
      heldBytes += record.reduce((sum, { length }) => sum + length, 0)
      from = mark.pieces
      corrected++
      this.#count(correction, mark.readable)
      await this.#corrections.take()
    }
    for (const piece of scanned.pieces.slice(from)) pieces.push(piece)
    const accepted = scanned.accepted + corrected
    yield { ...scanned, pieces, accepted, rejects: kept, isVerbatim: false }
  }

  /** Call at the end of the file. @throws {Error} if a correction was not for a reject of the file */
  async end(): Promise<void> {
    const next = await this.#corrections.peek()
    if (next !== null) throw new Error(`Cannot correct record ${next.record}: it is not rejected`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#corrections[Symbol.asyncDispose]()
  }

  #recordOf(correction: Correction, { byteOffset, byteLength }: Correction | ScanResult['rejects'][number]) {
    if (correction.byteOffset !== byteOffset || correction.byteLength !== byteLength) {
      throw new Error(`Cannot correct record ${correction.record}: it is in another place`)
    }
    const record = this.#readRecord(correction.text)
    if (record.kind === 'refused') throw new Error(`Cannot correct record ${correction.record}: ${record.reason}`)
    return record.pieces
  }

  #count({ ordinal }: Correction, readableBefore: number): void {
    const outer = readableBefore + this.#added + 1
    this.ordinals.all.push(outer)
    if (ordinal !== undefined) return
    this.#added++
    this.ordinals.added.push(outer)
  }
}
