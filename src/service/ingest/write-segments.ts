// Write segments: sorts the records of a file into segments of accepted records and of rejects. Knows no types.
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Segment, SegmentLayout, SegmentPiece } from '../../convert/convert.ts'
import type { BorrowedBytes } from '../../core/borrowed-bytes.ts'
import type { CsvRewriter } from '../../csv/csv-rewriter.ts'
import { BufferedWriter } from '../../io/buffered-writer.ts'
import type { Scanned, Scanner } from '../../reading/scanner/scanner.ts'
import type { DraftFiles } from '../../store/store.ts'
import type { Corrector } from '../corrections/corrector.ts'
import type { RecordTally } from './record-tally.ts'
import { RejectLines, rejectLayout } from './reject-table.ts'

export interface CutterOptions {
  /** Segments are written to a folder of the draft; the receiver deletes them. */
  readonly draft: Pick<DraftFiles, 'dir' | 'folder'>
  readonly layout: SegmentLayout
  /** Size at which the first segment is closed, because types are decided on it. Bytes. */
  readonly firstBytes: number
  /** Size of all others, except early ones that refer to the file. Bytes. */
  readonly segmentBytes: number
  /** The file itself, if segments may refer to ranges of it instead of having a copy; null if they may not. */
  readonly text: TextFile | null
  /** If the file has one byte per character and is not in UTF-8: the UTF-8 for each byte, as in `Segment`. */
  readonly utf8OfBytes: Uint32Array | null
  /** Rewrites accepted records in `layout`; null if they are in it already. */
  readonly rewrite: CsvRewriter | null
  /** False on a second pass, which needs only the accepted records. */
  readonly withRejects: boolean
  /** Replaces rejects with corrected records; null if there are none. Disposed here. */
  readonly corrector: Corrector | null
  /** Called after the last chunk: true if no more segments are needed, not even for the remaining records. */
  readonly isDuplicate: () => boolean
}

/** The file whose records are cut. */
export interface TextFile {
  readonly path: string
  /** Offset of the first chunk in the file. */
  readonly startOffset: number
  /** Resolves when everything scanned so far can be read from the file. */
  flush(): Promise<void>
}

/** A finished, closed segment; `index` counts the segments of its kind from 0, in file order. */
export interface CutSegment {
  readonly kind: 'accepted' | 'rejected'
  readonly index: number
  readonly segment: Segment
  /** Some of its records, from all over it. Only for a long first segment that refers to the file. */
  readonly sample?: Segment
}

/**
 * Scans chunks and writes segments, cut at record ends. Yields at least one accepted segment, even if it is empty, so
 * that a file without records still has its columns. If the caller stops early, segments not yet yielded are deleted.
 */
export async function* cutSegments(
  chunks: AsyncIterable<readonly BorrowedBytes[]>,
  scanner: Pick<Scanner, 'push' | 'end'>,
  options: CutterOptions,
  tally: RecordTally,
): AsyncGenerator<CutSegment> {
  await using accepted = new SegmentWriter('accepted', options.layout, options)
  await using rejected = new SegmentWriter('rejected', rejectLayout, options)

  const { rewrite, text } = options
  const rejectLines = new RejectLines()
  await using corrector = options.corrector
  let keptTo = text?.startOffset ?? 0
  const writeAsRead = async ({ pieces, accepted: records, rejects }: Scanned): Promise<void> => {
    await accepted.write(rewrite === null ? pieces : rewrite(pieces), records)
    if (options.withRejects && rejects.length > 0) await rejected.write([rejectLines.of(rejects)], rejects.length)
  }

  /** Null if there is nothing to wait for, as in most files. */
  const keepAsRead = (scanned: Scanned): Promise<void> | null => {
    tally.add(scanned)
    const { isVerbatim, pieces, consumedTo } = scanned
    const bytes = consumedTo - keptTo
    const byteOffset = keptTo
    keptTo = consumedTo
    if (text === null || rewrite !== null || !isVerbatim) return writeAsRead(scanned)
    const utf8Bytes = options.utf8OfBytes === null ? bytes : sumOfLengths(pieces)
    accepted.addPlace({ path: text.path, byteOffset, bytes }, scanned.accepted, utf8Bytes)
    return null
  }

  const correctAndKeep = async (corrector: Corrector, scanned: Scanned): Promise<void> => {
    for await (const one of corrector.correct(scanned)) await keepAsRead(one)
  }

  const keep = (scanned: Scanned): Promise<void> | null =>
    corrector === null ? keepAsRead(scanned) : correctAndKeep(corrector, scanned)

  for await (const slices of chunks) {
    for (const step of stepsOf(slices)) {
      const keeping = keep(scanner.push(step))
      if (keeping !== null) await keeping
      if (accepted.isFull) yield await accepted.cut()
      if (rejected.isFull) yield await rejected.cut()
    }
  }
  if (options.isDuplicate()) return
  await keep(scanner.end())
  await corrector?.end()
  accepted.takeTail()
  if (accepted.hasRecords || accepted.index === 0) yield await accepted.cut()
  if (rejected.hasRecords) yield await rejected.cut()
}

function sumOfLengths(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Bytes scanned between checks for a full segment; a segment exceeds its size by no more, whatever arrives at once. */
const stepBytes = 65_536

function* stepsOf(slices: readonly BorrowedBytes[]): Generator<BorrowedBytes> {
  for (const slice of slices) {
    for (let from = 0; from < slice.length; from += stepBytes) yield slice.subarray(from, from + stepBytes)
  }
}

/**
 * The segments after the first are small, so that the columns of a file of a few megabytes are written while it
 * arrives, and by all threads at its end: 4.2 MB take 34 ms instead of 40 (2 × Intel Xeon, 2026-11-22). Including the
 * last step, a segment is one row group, see src/columns/wasm-column-writer.ts.
 */
const earlyBytes = 1_572_864 - stepBytes
const earlyCount = 3

/** Size at which an accepted segment after the first is closed: `earlyBytes` at first, then twice as many each time. */
function acceptedBytes(index: number, { text, segmentBytes }: CutterOptions): number {
  // A segment with its own file is converted with SQL, which takes nearly as long for a small segment.
  return text === null ? segmentBytes : Math.min(segmentBytes, earlyBytes * 2 ** Math.max(0, index - earlyCount))
}

/**
 * A shorter remainder at the end of the file belongs to the last full segment, because a separate part takes some
 * 1.5 ms of CPU, whatever its size. Only for segments that refer to the file. Bytes.
 */
const tailBytes = 262_144
/** If segments are small, so is the remainder that may belong to one. */
const tailsPerSegmentMin = 4

/** Every seventh step of a first segment belongs to its sample. */
const sampledSteps = 7
/** A segment shorter than this many samples has none: it is soon read as a whole. */
const samplesMin = 4

/** Ranges of records, and their totals. */
class Places {
  readonly pieces: SegmentPiece[] = []
  records = 0
  bytes = 0

  /** Joins the piece to the last one if it directly follows. */
  add(piece: SegmentPiece, records: number, utf8Bytes: number): void {
    const last = this.pieces.at(-1)
    if (last?.path === piece.path && last.byteOffset + last.bytes === piece.byteOffset) {
      this.pieces[this.pieces.length - 1] = { ...last, bytes: last.bytes + piece.bytes }
    } else this.pieces.push(piece)
    this.records += records
    this.bytes += utf8Bytes
  }

  addAll({ pieces, records, bytes }: Places): void {
    for (const piece of pieces) this.add(piece, 0, 0)
    this.records += records
    this.bytes += bytes
  }
}

class SegmentWriter implements AsyncDisposable {
  /** Index of the segment that is being written. */
  index = 0
  readonly #kind: CutSegment['kind']
  readonly #layout: SegmentLayout
  readonly #options: CutterOptions
  #writer: BufferedWriter | null = null
  /** Where the records added so far are: in the file itself, or in the segment's own file. */
  #places = new Places()
  /** Records added since the segment was full. */
  #tail = new Places()
  #steps = 0
  readonly #sample = new Places()

  constructor(kind: CutSegment['kind'], layout: SegmentLayout, options: CutterOptions) {
    this.#kind = kind
    this.#layout = layout
    this.#options = options
  }

  get hasRecords(): boolean {
    return this.#places.records > 0
  }

  /** True if the segment must be cut. */
  get isFull(): boolean {
    const tailMin = Math.min(tailBytes, acceptedBytes(this.index, this.#options) / tailsPerSegmentMin)
    return this.#isFilled && (this.#writer !== null || this.#tail.bytes >= tailMin)
  }

  get #isFilled(): boolean {
    const { firstBytes, segmentBytes } = this.#options
    if (this.#kind === 'rejected') return this.#places.bytes >= segmentBytes
    return this.#places.bytes >= (this.#isFirst ? firstBytes : acceptedBytes(this.index, this.#options))
  }

  get #isFirst(): boolean {
    return this.#kind === 'accepted' && this.index === 0
  }

  /** Adds records that are unchanged in the file; the segment needs no file of its own for them. */
  addPlace(piece: SegmentPiece, records: number, utf8Bytes: number): void {
    if (piece.bytes === 0) return
    if (this.#isFilled) {
      this.#tail.add(piece, records, utf8Bytes)
      return
    }
    if (this.#isFirst && this.#steps++ % sampledSteps === 0) this.#sample.add(piece, records, utf8Bytes)
    this.#places.add(piece, records, utf8Bytes)
  }

  async write(pieces: readonly Uint8Array[], records: number): Promise<void> {
    if (pieces.length === 0) return
    this.takeTail()
    this.#writer ??= await this.#open()
    const byteOffset = this.#writer.bytes
    await this.#writer.write(pieces)
    const { path } = this.#writer
    const bytes = this.#writer.bytes - byteOffset
    this.#places.add({ path, byteOffset, bytes }, records, bytes)
  }

  /** Makes the records added since the segment was full part of it. */
  takeTail(): void {
    this.#places.addAll(this.#tail)
    this.#tail = new Places()
  }

  async cut(): Promise<CutSegment> {
    const { text, utf8OfBytes } = this.#options
    const { records, bytes } = this.#places
    const hasPlaces = this.#places.pieces.some(({ path }) => path === text?.path)
    const writer = hasPlaces ? this.#writer : (this.#writer ?? (await this.#open()))
    await writer?.close()
    if (hasPlaces) await text?.flush()
    const path = writer?.path ?? this.#path
    const encoded = utf8OfBytes === null ? {} : { utf8OfBytes }
    const pieces = hasPlaces ? { pieces: this.#places.pieces, ...encoded } : {}
    const segment = { path, ...pieces, records, bytes, layout: this.#layout }
    const hasSample = this.#isFirst && this.#sample.bytes > 0 && bytes >= samplesMin * this.#sample.bytes
    const sample = hasSample ? { sample: { path, ...this.#sample, ...encoded, layout: this.#layout } } : {}
    this.#writer = null
    this.#places = this.#tail
    this.#tail = new Places()
    return { kind: this.#kind, index: this.index++, segment, ...sample }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#writer === null) return
    await this.#writer[Symbol.asyncDispose]()
    await unlink(this.#writer.path)
  }

  get #path(): string {
    return join(this.#options.draft.dir, 'segments', `${this.#kind}-${String(this.index).padStart(5, '0')}.csv`)
  }

  async #open(): Promise<BufferedWriter> {
    await this.#options.draft.folder('segments')
    return await BufferedWriter.create(this.#path, { syncEveryBytes: null })
  }
}
