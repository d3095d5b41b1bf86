// Write segments: sorts the records of a file into segments of accepted ones and segments of rejects. Knows no types.
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Segment, SegmentLayout } from '../../convert/convert.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { CsvRewriter } from '../../csv/csv-rewriter.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import type { Scanned, Scanner } from '../../reading/scanner/scanner.ts'
import type { RecordTally } from './record-tally.ts'
import { rejectLayout, rejectLines } from './reject-table.ts'

export interface CutterOptions {
  /** Existing directory for the segments; they are the receiver's to delete. */
  readonly dir: string
  readonly layout: SegmentLayout
  /** The first segment is closed at this size, because types are decided on it. Bytes. */
  readonly firstBytes: number
  /** All others. Bytes. */
  readonly segmentBytes: number
  /** Rewrites accepted records in `layout`; null when they are in it already. */
  readonly rewrite: CsvRewriter | null
  /** False when only the accepted records are wanted, on a second pass. */
  readonly withRejects: boolean
  /** Asked at the end of the chunks: true when no more segments are wanted, not even of what is left over. */
  readonly isDuplicate: () => boolean
}

/** A finished, closed segment; `index` counts those of its kind from 0, in file order. */
export interface CutSegment {
  readonly kind: 'accepted' | 'rejected'
  readonly index: number
  readonly segment: Segment
}

/**
 * Scans chunks and writes segments, cut at record ends. Yields at least one accepted segment, be it empty, so that a file
 * without records still has its columns. Segments not yet given out are deleted when the caller stops early.
 */
export async function* cutSegments(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  scanner: Pick<Scanner, 'push' | 'end'>,
  options: CutterOptions,
  tally: RecordTally,
): AsyncGenerator<CutSegment> {
  await using accepted = new SegmentWriter('accepted', options.layout, options)
  await using rejected = new SegmentWriter('rejected', rejectLayout, options)

  const keep = async (scanned: Scanned): Promise<void> => {
    tally.add(scanned)
    const { rewrite } = options
    await accepted.write(rewrite === null ? scanned.pieces : rewrite(scanned.pieces), scanned.accepted)
    if (options.withRejects && scanned.rejects.length > 0) {
      await rejected.write([rejectLines(scanned.rejects)], scanned.rejects.length)
    }
  }

  for await (const slices of chunks) {
    for (const slice of slices) await keep(scanner.push(slice))
    if (accepted.isFull) yield await accepted.cut()
    if (rejected.isFull) yield await rejected.cut()
  }
  if (options.isDuplicate()) return
  await keep(scanner.end())
  if (accepted.hasRecords || accepted.index === 0) yield await accepted.cut()
  if (rejected.hasRecords) yield await rejected.cut()
}

class SegmentWriter implements AsyncDisposable {
  /** Of the segment that is being written. */
  index = 0
  readonly #kind: CutSegment['kind']
  readonly #layout: SegmentLayout
  readonly #options: CutterOptions
  #writer: BufferedWriter | null = null
  #records = 0

  constructor(kind: CutSegment['kind'], layout: SegmentLayout, options: CutterOptions) {
    this.#kind = kind
    this.#layout = layout
    this.#options = options
  }

  get hasRecords(): boolean {
    return this.#records > 0
  }

  get isFull(): boolean {
    const isFirst = this.#kind === 'accepted' && this.index === 0
    return (this.#writer?.bytes ?? 0) >= (isFirst ? this.#options.firstBytes : this.#options.segmentBytes)
  }

  async write(pieces: readonly Uint8Array[], records: number): Promise<void> {
    if (pieces.length === 0) return
    this.#records += records
    this.#writer ??= await this.#open()
    await this.#writer.write(pieces)
  }

  async cut(): Promise<CutSegment> {
    const writer = this.#writer ?? (await this.#open())
    await writer.close()
    this.#writer = null
    const segment = { path: writer.path, records: this.#records, bytes: writer.bytes, layout: this.#layout }
    this.#records = 0
    return { kind: this.#kind, index: this.index++, segment }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#writer === null) return
    await this.#writer[Symbol.asyncDispose]()
    await unlink(this.#writer.path)
  }

  #open(): Promise<BufferedWriter> {
    const path = join(this.#options.dir, `${this.#kind}-${String(this.index).padStart(5, '0')}.csv`)
    return BufferedWriter.create(path, { syncEveryBytes: null })
  }
}
