// Corrector: replaces rejects with corrected records while a file is scanned. Keeps one text in memory.
import { createReadStream } from 'node:fs'
import type { Correction } from '../../core/receipt.ts'
import { throwStoreError } from '../../core/storage-error.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import { Peekable } from '../../io/peekable.ts'
import { textLines } from '../../io/text-lines.ts'
import { nothingScanned, type ScanResult } from '../../reading/scanner/scanner.ts'
import type { ReadRecord } from './record-of-text.ts'

/** Texts are passed on in batches of at least this many bytes. */
const heldBytesMax = 1_048_576

/** A corrected record by its number among all readable ones of the corrected file, from 1. */
interface CorrectedOrdinal {
  readonly ordinal: number
  /** Whether it is not readable in the original. */
  readonly isAdded: boolean
}

/** The corrected records of a file, ascending. They are kept on disk: there may be as many as rejects. */
export class CorrectedOrdinals implements AsyncDisposable {
  readonly #path: string
  #writer: BufferedWriter | null = null

  /** @param path Of a new file. */
  constructor(path: string) {
    this.#path = path
  }

  async add({ ordinal, isAdded }: CorrectedOrdinal): Promise<void> {
    this.#writer ??= await BufferedWriter.create(this.#path, { syncEveryBytes: null })
    await this.#writer.write([Buffer.from(`${isAdded ? '+' : ''}${ordinal}\n`)])
  }

  /** All of them, once the last is added. */
  async *read(): AsyncGenerator<CorrectedOrdinal> {
    if (this.#writer === null) return
    await this.#writer.close()
    const stream = createReadStream(this.#path, { encoding: 'utf8' })
    try {
      // The encoding has been set.
      for await (const line of textLines(stream as AsyncIterable<string>)) {
        yield { ordinal: Number(line), isAdded: line.startsWith('+') }
      }
    } catch (error) {
      throwStoreError(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer?.close()
  }
}

/** One pass over a file. Its scanner must mark rejects, and reject every record that is corrected. */
export class Corrector implements AsyncDisposable {
  readonly #corrections: Peekable<Correction>
  readonly #readRecord: ReadRecord
  readonly #ordinals: CorrectedOrdinals | null
  /** Number of records corrected so far that are not readable in the original. */
  #added = 0

  /**
   * @param corrections In file order.
   * @param ordinals Gets those of the corrected records, which are right only if no other readable records are rejected.
   */
  constructor(corrections: AsyncIterable<Correction>, readRecord: ReadRecord, ordinals: CorrectedOrdinals | null) {
    this.#corrections = new Peekable(corrections)
    this.#readRecord = readRecord
    this.#ordinals = ordinals
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
      const isAdded = correction.ordinal === undefined
      await this.#ordinals?.add({ ordinal: mark.readable + this.#added + 1, isAdded })
      if (isAdded) this.#added++
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
    await this.#ordinals?.[Symbol.asyncDispose]()
  }

  #recordOf(correction: Correction, { byteOffset, byteLength }: Correction | ScanResult['rejects'][number]) {
    if (correction.byteOffset !== byteOffset || correction.byteLength !== byteLength) {
      throw new Error(`Cannot correct record ${correction.record}: it is in another place`)
    }
    const record = this.#readRecord(correction.text)
    if (record.kind === 'refused') throw new Error(`Cannot correct record ${correction.record}: ${record.reason}`)
    return record.pieces
  }
}
